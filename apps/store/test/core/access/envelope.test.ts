import { type ErrorCode, LIMITS } from '@svc/contracts';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import type { Env } from '../../../src/core/access/context.ts';
import { answerRefusal } from '../../../src/core/access/envelope.ts';
import { icon } from '../../../src/http/html.ts';
import { ApiError } from '../../../src/platform/api-error.ts';
import type { Brand } from '../../../src/platform/brand.ts';
import { UnavailableError } from '../../../src/platform/unavailable-error.ts';
import { browserAt, signUpAt } from '../../support/browser.ts';
import { has } from '../../support/extensions.ts';
import { bodyOf, openTestStore } from '../../support/test-store.ts';

describe('an unexpected error', () => {
  it('is described only in the log', async () => {
    const secret = 'the password of the database';
    let broken = false;
    const clock = () => {
      if (broken) throw new Error(secret);
      return new Date(0);
    };
    const store = await openTestStore({ ambient: { clock } });
    broken = true;
    const answer = await bodyOf(store.call('GET', '/api/apps/catalog'));
    expect(answer).toEqual({
      httpStatus: 500,
      code: 'internal',
      message: expect.any(String),
      requestId: expect.any(String),
    });
    expect(JSON.stringify(answer)).not.toContain(secret);
    const line = store.lines.find((text) => text.includes(secret));
    expect(line).toContain(answer.requestId);
  });
});

describe('an unavailable dependency', () => {
  it('answers 503 with Retry-After, and is named only in the log', async () => {
    let away = false;
    const clock = () => {
      if (away) throw new UnavailableError('The database at db.internal is away.', { retryAfter: 7 });
      return new Date(0);
    };
    const store = await openTestStore({ ambient: { clock } });
    away = true;
    const response = await store.call('GET', '/api/apps/catalog');
    expect(response.headers.get('retry-after')).toBe('7');
    const answer = await bodyOf(response);
    expect(answer).toMatchObject({ httpStatus: 503, code: 'unavailable', retryAfter: 7 });
    expect(answer.message).not.toContain('db.internal');
    expect(store.lines.find((text) => text.includes('db.internal'))).toContain(answer.requestId);
  });

  it.each(['EMFILE', 'ENFILE', 'ENOMEM', 'ERR_WORKER_INIT_FAILED'])(
    'is also the process itself without resources: %s',
    async (code) => {
      let isOut = false;
      const clock = () => {
        const cause = Object.assign(new Error(`${code}: no more`), { code });
        if (isOut) throw new Error('It failed.', { cause });
        return new Date(0);
      };
      const store = await openTestStore({ ambient: { clock } });
      isOut = true;
      const answer = await bodyOf(store.call('GET', '/api/apps/catalog'));
      expect(answer).toMatchObject({ httpStatus: 503, code: 'unavailable', retryAfter: 10 });
    },
  );
});

describe('the headers of a refusal', () => {
  it('name the scheme of a 401, and end the connection of a slow upload: no other refusal has them', async () => {
    let code: ErrorCode | null = null;
    const clock = () => {
      if (code) throw new ApiError(code, 'It was refused.');
      return new Date(0);
    };
    const store = await openTestStore({ ambient: { clock } });
    const token = await store.publisherToken();
    const found: Record<string, unknown> = {};
    for (code of ['unauthorized', 'upload_too_slow', 'forbidden'] as const) {
      const { headers } = await store.call('POST', '/api/apps/publish', { token, body: '' });
      const names = ['www-authenticate', 'connection', 'content-range', 'retry-after'];
      found[code] = names.map((name) => headers.get(name));
    }
    code = null;
    expect(found).toEqual({
      unauthorized: ['Bearer realm="svc"', null, null, null],
      upload_too_slow: [null, 'close', null, null],
      forbidden: [null, null, null, null],
    });
  });
});

describe('an error message that contains the requested id', () => {
  it('is cut at 600 characters, without splitting one', async () => {
    const store = await openTestStore();
    for (const id of ['a'.repeat(3_000), '😀'.repeat(1_000), `a${'😀'.repeat(1_000)}`]) {
      const answer = await bodyOf(store.call('GET', `/api/apps/${encodeURIComponent(id)}`));
      expect(answer).toMatchObject({ httpStatus: 404, code: 'not_found' });
      expect(answer.message).toHaveLength(600);
      expect(answer.message).toMatch(/^There is no published app .*…$/u);
      expect(answer.message.isWellFormed()).toBe(true);
      expect(answer.message).not.toContain('\uFFFD\uFFFD');
    }
    const short = await bodyOf(store.call('GET', '/api/apps/com.example.none'));
    expect(short.message).toMatch(/com\.example\.none.*\.$/);
    const fitting = 'a'.repeat(600 - short.message.length + 'com.example.none'.length);
    const whole = await bodyOf(store.call('GET', `/api/apps/${fitting}`));
    expect([whole.message.length, whole.message.at(-1)]).toEqual([600, short.message.at(-1)]);
  });
});

/** Where to go from an unknown URL. */
const LINKS = has('docs')
  ? '<p class="buttons"><a href="/docs">Documentation</a>'
  : '<p class="buttons"><a href="/account">Your account</a>';

describe('the page of a refusal', () => {
  it('links to the sign-in where the user is signed out, and to nothing else', async () => {
    const store = await openTestStore();
    const answer = await store.call('POST', '/device/answer', { headers: { accept: 'text/html' } });
    const text = await answer.text();
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="svc"']);
    expect(text).toContain('<a class="button main" href="/sign-in">Sign in</a>');
    expect(text).toContain('<p>Sign in, and try again.</p>');
    expect(text).toContain(`<code>${answer.headers.get('x-request-id')}</code>`);
    expect(text).toContain(String(icon('seal-care')));
    expect(text).not.toContain(LINKS);
    const unknown = await (await store.call('GET', '/nope', { headers: { accept: 'text/html' } })).text();
    expect(unknown).toContain(String(icon('search-x')));
    expect(unknown).toContain(LINKS);
  });

  it('leads to a new proof and back, and to the account where an address is not confirmed', async () => {
    const mail = { SVC_SMTP_URL: 'smtp://127.0.0.1:1', SVC_MAIL_FROM: 'store@store.test' };
    const store = await openTestStore({ environment: mail });
    const session = await store.signedIn('anna');
    await store.stores.people.change('anna', { emailVerified: false });
    const unconfirmed = await store.call('GET', '/device', { session });
    expect([unconfirmed.status, await unconfirmed.text()]).toEqual([
      403,
      expect.stringContaining('<a class="button main" href="/account">Go to your account</a>'),
    ]);
    await store.stores.people.change('anna', { emailVerified: true });
    store.advance(LIMITS.people.proofMs + 1);
    const page = await store.call('GET', '/device?code=x', { session });
    expect([page.status, page.headers.get('location')]).toEqual([
      303,
      '/sign-in?next=%2Fdevice%3Fcode%3Dx&again=',
    ]);
    const form = await store.call('POST', '/device/answer', {
      session,
      body: String(new URLSearchParams({ csrf: session.csrf, code: 'BCDF-GHJK' })),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect([form.status, await form.text()]).toEqual([
      403,
      expect.stringContaining('<input type="hidden" name="code" value="BCDF-GHJK">'),
    ]);
  });

  it('has one button, which sends a request again that may succeed then', async () => {
    let failure: Error | null = null;
    const clock = () => {
      if (failure) throw failure;
      return new Date(0);
    };
    const store = await openTestStore({ ambient: { clock } });
    const pageOf = async (method: string, path: string) => {
      const answer = await store.call(method, path, { headers: { accept: 'text/html' } });
      return [
        answer.status,
        /<a class="button main" href="([^"]*)">([^<]*)</.exec(await answer.text())?.slice(1),
      ];
    };
    const passing = [
      [503, new UnavailableError('The database is away.')],
      [500, new Error('It failed.')],
    ] as const;
    for (const [status, error] of passing) {
      failure = error;
      expect(await pageOf('GET', '/api/review-clock')).toEqual([status, ['', 'Retry']]);
    }
    failure = null;
    expect(await pageOf('GET', '//evil.example')).toEqual([
      404,
      has('storefront') ? ['/', 'Browse the store'] : ['/account', 'Go to your account'],
    ]);
  });

  it.each<[string, ErrorCode, object, string, boolean]>([
    ['GET', 'invalid_request', { issues: [] }, 'Link not valid', false],
    ['GET', 'invalid_request', {}, 'The request failed', false],
    ['POST', 'invalid_request', { issues: [] }, 'The request failed', false],
    ['GET', 'already_exists', { issues: [] }, 'The request failed', false],
    ['GET', 'rate_limited', {}, 'The request failed', true],
    ['POST', 'rate_limited', {}, 'The request failed', false],
  ])(
    'after %s and %s with %o has the heading %s, and sends a reading request again: %s',
    async (method, code, extras, heading, isAgain) => {
      const brand: Brand = { name: 'Store', logo: '/logo.png', logoType: 'image/png', routeNames: new Set() };
      const app = new Hono<Env>().all('*', (c) => {
        c.set('isPage', true);
        c.set('brand', brand);
        c.set('requestId', 'r');
        return answerRefusal(c, new ApiError(code, 'It failed.', extras));
      });
      const page = await (await app.request('/', { method })).text();
      expect([page.includes(`<h1>${heading}</h1>`), page.includes('>Retry</a>')]).toEqual([true, isAgain]);
    },
  );

  const KEY = `YQ.1.${'a'.repeat(43)}`;

  it.each([
    ['/nope', 'Page not found'],
    [`/reset?key=${KEY}`, 'Link not valid'],
    [`/confirm?key=${KEY}`, 'Link not valid'],
    [`/invitations/${'a'.repeat(43)}`, 'Invitation not valid'],
    ['/setup', 'Setup link not valid'],
    ['/forgotten', 'Password reset by mail is not available'],
  ])('has a heading that says what is wrong, at %s', async (path, heading) => {
    const store = await openTestStore();
    const browser = await signUpAt(store);
    const answer = await browser.send('GET', path, { headers: { accept: 'text/html' } });
    expect(answer.status).toBe(404);
    expect(await answer.text()).toContain(`<h1>${heading}</h1>`);
  });

  it.each(['/apps/oauth/callback?state=short', '/apps/oauth/callback'])(
    'says what to do about an address that does not parse, and what is wrong with it, at %s',
    async (path) => {
      const store = await openTestStore();
      const answer = await store.call('GET', path, { headers: { accept: 'text/html' } });
      const text = await answer.text();
      expect([answer.status, text.includes('<h1>Link not valid</h1>')]).toEqual([400, true]);
      expect(text).toContain('Go back to the page or the app that opened it');
      expect(text).toMatch(/<p class="hint">state /);
    },
  );

  it('names the field of a form that is wrong, and calls no link invalid', async () => {
    const browser = browserAt(await openTestStore());
    await browser.open('/sign-in');
    const answer = await browser.submit('/sign-in', { email: 'anna@example.com' });
    const text = await answer.text();
    expect(answer.status).toBe(400);
    expect(text).toContain('<h1>The request failed</h1>');
    expect(text).toMatch(/<p class="hint">password /);
  });
});
