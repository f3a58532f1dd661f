import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { browserAt, signUpAt } from '../support/browser.ts';
import { has } from '../support/extensions.ts';
import { openTestStore } from '../support/test-store.ts';

const policyOf = (answer: Response) =>
  new Map(
    (answer.headers.get('content-security-policy') ?? '').split('; ').map((directive) => {
      const [name = '', ...values] = directive.split(' ');
      return [name, values.join(' ')];
    }),
  );

describe('a page', () => {
  it.each(['/sign-in', '/sign-up', '/account', '/setup?key=x', '/reset?key=x'])(
    'cannot be framed, loads only resources of the store, and is not cached: %s',
    async (path) => {
      const store = await openTestStore();
      const browser = await signUpAt(store);
      const answer = await browser.open(path);
      const policy = policyOf(answer);
      expect(policy.get('default-src')).toBe("'none'");
      expect(policy.get('frame-ancestors')).toBe("'none'");
      expect(policy.get('base-uri')).toBe("'none'");
      expect(policy.get('style-src')).toBe("'self'");
      expect(policy.get('script-src') ?? "'self'").toBe("'self'");
      expect(policy.get('form-action')).toMatch(/^'(self|none)'$/);
      expect(answer.headers.get('x-frame-options')).toBe('DENY');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
      expect(answer.headers.get('referrer-policy')).toMatch(/^(same-origin|no-referrer)$/);
    },
  );

  it('has its own script and those of the header, all served by the store', async () => {
    const store = await openTestStore();
    const page = await (await browserAt(store).open('/sign-in')).text();
    const scripts = [...page.matchAll(/<script[^>]*>/g)].map(([tag]) => tag);
    expect(scripts).toHaveLength(3);
    for (const tag of scripts) {
      const [, src = ''] = /src="(\/assets\/[^"]+)"/.exec(tag) ?? [];
      const script = await store.call('GET', src);
      expect([script.status, script.headers.get('content-type')]).toEqual([
        200,
        'text/javascript; charset=utf-8',
      ]);
      expect(script.headers.get('cache-control')).toContain('immutable');
    }
    expect(page).not.toMatch(/ on\w+=/);
  });

  it('escapes the parameter next', async () => {
    const store = await openTestStore();
    const attack = '"><img src=x onerror=alert(1)>';
    const page = await (await browserAt(store).open(`/sign-in?next=${encodeURIComponent(attack)}`)).text();
    expect(page).not.toContain('<img src=x');
    expect(page).toContain('&quot;&gt;&lt;img');
  });
});

async function builtPages(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-web-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'assets'));
  for (const page of ['check', 'account', 'moderation', 'admin'])
    await writeFile(join(folder, `${page}.html`), '<!doctype html>');
  return folder;
}

const OWN = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'";
const CLOSED = "base-uri 'none'; frame-ancestors 'none'";

/** Pages with forms. */
const FORM = `${OWN}; connect-src 'self'; form-action 'self'; ${CLOSED}`;
/** Pages that act for the signed-in user are one document: it opens bundles in a worker, and frames the panels of a version under review. */
const ACTING = `${OWN}; connect-src 'self'; worker-src 'self'; form-action 'self'; frame-src 'self'; ${CLOSED}`;
/** Pages without forms. */
const READ = `${OWN}; connect-src 'self'; form-action 'none'; ${CLOSED}`;
/** Pages whose URL contains a secret run no scripts. */
const SECRET = `${OWN}; form-action 'self'; ${CLOSED}`.replace("script-src 'self'; ", '');
/** The page that opens bundles of users sends no requests. */
const ALONE = `${OWN}; worker-src 'self'; form-action 'none'; ${CLOSED}`;

/** The complete content security policy of each kind of page, as in docs/project/threats.md. */
const POLICIES: readonly (readonly [path: string, policy: string])[] = [
  ...(has('storefront') ? [['/', FORM] as const] : []),
  ['/sign-in', FORM],
  ['/sign-up', FORM],
  ['/setup', SECRET],
  ['/reset?key=x', SECRET],
  ['/confirm?key=x', SECRET],
  ['/apps/oauth/callback?state=x', SECRET],
  ['/device', FORM],
  ['/nowhere', FORM],
  ...(has('docs')
    ? (['/docs', '/api/docs', '/docs/codes'] as const).map((path) => [path, FORM] as const)
    : []),
  ['/policy', READ],
  ['/check', ALONE],
  ['/account', ACTING],
  ['/moderation', ACTING],
  ['/admin', ACTING],
];

it('every page has the content security policy of its kind', async () => {
  const store = await openTestStore({ webDir: await builtPages() });
  const session = await store.signedIn('anna', { role: 'administrator' });
  const headers = { accept: 'text/html' };
  const found = await Promise.all(
    POLICIES.map(async ([path]) => {
      const answer = await store.call('GET', path, { session, headers });
      return [path, answer.headers.get('content-security-policy')];
    }),
  );
  expect(found).toEqual(POLICIES);
});
