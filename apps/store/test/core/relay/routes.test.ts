import { randomBytes } from 'node:crypto';
import { ClientMetadata, LIMITS, routeNames } from '@svc/contracts';
import { BOTH_DATABASES, DEEP, readInterop } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { clientMetadata } from '../../../src/core/relay/routes.ts';
import { contentsOf } from '../../support/database.ts';
import { bodyOf, openTestStore, type TestStore } from '../../support/test-store.ts';

const newState = (): string => randomBytes(16).toString('base64url');
const park = (store: TestStore, query: Record<string, string>) =>
  store.call('GET', `/apps/oauth/callback?${new URLSearchParams(query)}`);
const collect = (store: TestStore, state: string) =>
  bodyOf(store.call('GET', `/api/apps/oauth/result?${new URLSearchParams({ state })}`));

const pending = { httpStatus: 200, pending: true };

describe('the relay', () => {
  it('delivers a code once, to the client that has the state', BOTH_DATABASES, async () => {
    const store = await openTestStore();
    const state = newState();
    expect(await collect(store, state)).toEqual(pending);
    expect((await park(store, { state, code: 'parked-c0de', iss: 'https://id.example' })).status).toBe(200);
    expect(await collect(store, newState())).toEqual(pending);
    expect(await collect(store, state)).toEqual({
      httpStatus: 200,
      code: 'parked-c0de',
      iss: 'https://id.example',
    });
    expect(await collect(store, state)).toEqual(pending);
  });

  it('delivers error and error_description of a refusal', async () => {
    const store = await openTestStore();
    const state = newState();
    await park(store, { state, error: 'access_denied', error_description: 'They said no.', scope: 'x' });
    expect(await collect(store, state)).toEqual({
      httpStatus: 200,
      error: 'access_denied',
      error_description: 'They said no.',
    });
  });

  it('delivers a code to one of a thousand concurrent requests', DEEP, async () => {
    const store = await openTestStore();
    const state = newState();
    await park(store, { state, code: 'parked-c0de' });
    // On a busy machine PostgreSQL has no free connection for some requests within seconds: they get 503 and are sent again.
    const ask = async (): ReturnType<typeof collect> => {
      const answer = await collect(store, state);
      return answer.httpStatus === 503 ? ask() : answer;
    };
    const answers = await Promise.all(Array.from({ length: 1_000 }, ask));
    expect(answers.filter((answer) => 'code' in answer)).toEqual([{ httpStatus: 200, code: 'parked-c0de' }]);
    expect(answers.filter((answer) => 'pending' in answer)).toHaveLength(999);
  });

  it('keeps the first callback for a state, collected or not, and shows the same page for later ones', async () => {
    const store = await openTestStore();
    const state = newState();
    const pages = [await park(store, { state, code: 'first' }), await park(store, { state, code: 'second' })];
    expect(await collect(store, state)).toMatchObject({ code: 'first' });
    pages.push(await park(store, { state, code: 'third' }));
    expect(await collect(store, state)).toEqual(pending);
    const texts = await Promise.all(pages.map((page) => page.text()));
    expect(new Set(texts).size).toBe(1);
  });

  it('keeps one of several concurrent callbacks for a state', BOTH_DATABASES, async () => {
    const store = await openTestStore();
    const state = newState();
    await Promise.all(Array.from({ length: 20 }, (_, n) => park(store, { state, code: `code-${n}` })));
    expect(await collect(store, state)).toMatchObject({ code: expect.stringMatching(/^code-\d+$/) });
    expect(await collect(store, state)).toEqual(pending);
  });

  it('does not deliver a code after five minutes', async () => {
    const store = await openTestStore();
    const [taken, late] = [newState(), newState()];
    await park(store, { state: taken, code: 'a' });
    await park(store, { state: late, code: 'b' });
    store.advance(5 * 60_000 - 1);
    expect(await collect(store, taken)).toMatchObject({ code: 'a' });
    store.advance(1);
    expect(await collect(store, late)).toEqual(pending);
  });

  it('deletes what has expired when a response or a client comes', async () => {
    const store = await openTestStore();
    const { relay } = store.stores;
    const now = () => store.clock().toISOString();
    await park(store, { state: newState(), code: 'a' });
    await collect(store, newState());
    store.advance(LIMITS.relay.lifetimeMs);
    await park(store, { state: newState(), code: 'b' });
    expect(await relay.countIn('', now())).toMatchObject({ all: 1 });
    store.advance(LIMITS.relay.signInMs);
    await collect(store, newState());
    expect(await relay.countClients('', now())).toMatchObject({ all: 1 });
  });

  it.each([
    { state: 'short', code: 'c' },
    { state: `${'x'.repeat(257)}`, code: 'c' },
    { state: '<script>alert(1)</script>', code: 'c' },
    { state: 'x'.repeat(22) },
    { state: 'x'.repeat(22), code: 'c', error: 'access_denied' },
    { state: 'x'.repeat(22), code: 'y'.repeat(4_097) },
    { state: 'x'.repeat(22), error: '' },
    { code: 'c' },
  ])('refuses %j with a page that does not contain the input', async (query) => {
    const store = await openTestStore();
    const answer = await park(store, query as Record<string, string>);
    expect(answer.status).toBe(400);
    const text = await answer.text();
    expect(text).not.toMatch(/script>|<img src=x|alert|xxxx|yyyy/);
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it.each([
    { error: '"><img src=x>' },
    { error: 'access_denied', error_description: 'They said "no".\r\n<script>alert(1)</script>', code: '' },
    { error: 'server_error', error_description: 'ü'.repeat(3_000) },
    { error: 'server_error', error_description: '\u0000\u202e', iss: 'x'.repeat(5_000) },
  ])('delivers the error of %j, and a page that does not contain it', async (query) => {
    const store = await openTestStore();
    const state = newState();
    const answer = await park(store, { state, ...query } as Record<string, string>);
    expect(answer.status).toBe(200);
    expect(await answer.text()).not.toMatch(/script>|<img src=x|alert|üü|xxx/);
    const came = await collect(store, state);
    expect(came.error).toBe(query.error);
    expect(came.error_description ?? '').toMatch(/^[^\p{Cc}\p{Cf}]{0,1024}$/u);
  });

  it.each([
    ['a fragment, which no server sees', 'GET', ''],
    ['a form', 'POST', ''],
    ['no code', 'GET', '?state=aaaaaaaaaaaaaaaaaaaaaa&session_state=x'],
  ])('says what to set when the response is in %s', async (_what, method, query) => {
    const store = await openTestStore();
    const answer = await store.call(method, `/apps/oauth/callback${query}`, {
      headers: { accept: 'text/html' },
      ...(method === 'POST' && { body: 'state=aaaaaaaaaaaaaaaaaaaaaa&code=parked-c0de' }),
    });
    expect(answer.status).toBe(method === 'POST' ? 405 : 400);
    expect(await answer.text()).toContain('response_mode=query');
  });

  it('accepts a state of 22 and of 256 characters, and a code of 4 KiB', async () => {
    const store = await openTestStore();
    for (const state of [`${'-._~'.repeat(5)}ab`, 'z'.repeat(256)]) {
      await park(store, { state, code: 'c'.repeat(4_096) });
      expect(await collect(store, state)).toMatchObject({ code: 'c'.repeat(4_096) });
    }
  });

  it('allows no other origin, no cache and no referrer, and has state and code in neither log nor database', async () => {
    const store = await openTestStore();
    const state = newState();
    const page = await park(store, { state, code: 'c0de-that-nobody-may-see' });
    const contents = await contentsOf(store.folder);
    const result = await store.call('GET', `/api/apps/oauth/result?state=${state}`, {
      headers: { origin: 'https://evil.example' },
    });
    for (const answer of [page, result]) {
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    }
    expect(page.headers.get('content-security-policy')).not.toContain('script-src');
    expect(await page.text()).not.toContain('<script');
    for (const secret of [state, 'c0de-that-nobody-may-see']) {
      expect(contents).not.toContain(secret);
      expect(store.lines.join('\n')).not.toContain(secret);
    }
  });

  it('does not remove a code on a HEAD request', async () => {
    const store = await openTestStore();
    const state = newState();
    await park(store, { state, code: 'parked-c0de' });
    expect((await store.call('HEAD', `/api/apps/oauth/result?state=${state}`)).status).toBe(200);
    expect(await collect(store, state)).toMatchObject({ code: 'parked-c0de' });
  });

  it('keeps codes when the store restarts', async () => {
    const store = await openTestStore();
    const state = newState();
    await park(store, { state, code: 'parked-c0de' });
    await store.close();
    const next = await openTestStore({ folder: store.folder });
    expect(await collect(next, state)).toMatchObject({ code: 'parked-c0de' });
  });
});

describe('the interop vectors', () => {
  type Callback = { name: string; query: string; status: number; state: string; result?: object };
  const vectors = readInterop('relay', 'callbacks.json') as Callback[];

  it('get the expected status and result', async () => {
    const store = await openTestStore();
    for (const { name, query, status, state, result } of vectors) {
      expect((await store.call('GET', `/apps/oauth/callback?${query}`)).status, name).toBe(status);
      const came = await collect(store, state);
      if (result) expect(came, name).toEqual({ httpStatus: 200, ...result });
      else expect(came, name).not.toMatchObject({ code: 'c' });
    }
  });
});

const brand = {
  name: 'Acme Apps',
  logo: '/assets/logo-abc.png',
  logoType: 'image/png',
  routeNames: routeNames(),
};

it('client_id is the URL of the document, and redirect_uris has only the callback of the relay', () => {
  expect(clientMetadata({ baseUrl: 'https://store.example', brand })).toEqual({
    client_id: 'https://store.example/apps/oauth/client.json',
    client_name: 'Acme Apps',
    client_uri: 'https://store.example',
    logo_uri: 'https://store.example/assets/logo-abc.png',
    redirect_uris: ['https://store.example/apps/oauth/callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'web',
  });
});

it('application_type is native if the callback uses http', () => {
  const { application_type } = clientMetadata({ baseUrl: 'http://localhost:8787', brand });
  expect(application_type).toBe('native');
});

it('the document is served as JSON that can be cached for an hour, and its logo exists', async () => {
  const store = await openTestStore();
  const response = await store.call('GET', '/apps/oauth/client.json');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  expect(response.headers.get('cache-control')).toBe('public, max-age=3600');
  const text = await response.text();
  // Section 6.6 of the draft recommends that servers read at most 5 KiB.
  expect(text.length).toBeLessThan(5 * 1024);
  const { client_id, logo_uri } = ClientMetadata.parse(JSON.parse(text));
  expect(new URL(client_id).pathname).toBe('/apps/oauth/client.json');
  const logo = await store.call('GET', new URL(logo_uri).pathname);
  expect([logo.status, logo.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
});
