import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { connectFailure } from '../../src/platform/runtime-error.ts';
import { fakeWeb, json } from '../support/fake-web.ts';
import { testAccounts, USE } from '../support/open-accounts.ts';
import { realSystem } from '../support/real-system.ts';
import { relayServer } from '../support/relay-server.ts';
import { appWith, fromStore } from '../support/sample-apps.ts';
import { AS, DECLARED, DISCOVERED, failing, honest, METADATA, trying } from '../support/sign-in.ts';

it('the verifier is no value that the browser carries, and its hash is the challenge', async () => {
  const { accounts, app, web } = await trying(DECLARED);
  await accounts.connect(app, 'main');
  const asked = accounts.opened[0]?.searchParams;
  const form = new URLSearchParams(web.bodies.find((body) => body.includes('code_verifier')));
  const verifier = form.get('code_verifier') ?? '';
  expect(verifier).toMatch(/^[\w-]{43}$/);
  expect(createHash('sha256').update(verifier).digest('base64url')).toBe(asked?.get('code_challenge'));
  expect([...(asked?.values() ?? [])]).not.toContain(verifier);
});

describe('an account whose OAuth endpoints are in the manifest', () => {
  it('connects as the contract specifies, without discovery', async () => {
    const { accounts, app, web, relay } = await trying({ ...DECLARED, params: { audience: 'notes' } });
    await accounts.connect(app, 'main');
    expect(await accounts.token(app, 'main', USE)).toBe('at-1');
    expect(web.urls()).toEqual([`${AS}/token`]);
    const [request] = web.asked;
    const body = Object.fromEntries(new URLSearchParams(web.bodies[0]));
    expect(request?.headers.get('content-type')).toContain('application/x-www-form-urlencoded');
    expect(request?.headers.get('accept')).toBe('application/json');
    expect(body).toEqual({
      grant_type: 'authorization_code',
      code: 'the-code-0123456789',
      code_verifier: expect.stringMatching(/^[\w-]{43}$/),
      client_id: 'public-client',
      redirect_uri: `${relay.url}/apps/oauth/callback`,
    });
    const opened = accounts.opened[0]?.searchParams;
    expect(opened?.get('audience')).toBe('notes');
    expect(opened?.has('resource')).toBe(false);
  });

  it('accepts a token response without type, expiry and refresh token, and uses the token until it is refused', async () => {
    const { accounts, app } = await trying(DECLARED, { [`${AS}/token`]: () => json({ access_token: 'at' }) });
    await accounts.connect(app, 'main');
    accounts.pass(10 * 365 * 24 * 3600_000);
    expect(await accounts.token(app, 'main', USE)).toBe('at');
    expect(await accounts.refreshAfter401(app, 'main', 'at', null)).toBeNull();
    expect(accounts.told.at(-1)).toMatchObject({ type: 'account-dropped', reason: 'expired' });
  });

  it('ignores parameters of the manifest that only the client may set', async () => {
    const params = {
      state: 'mine',
      redirect_uri: 'https://evil.example/',
      Response_Mode: 'fragment',
      scope: 'all',
    };
    const authorizeUrl = `${AS}/authorize?tenant=1&code_challenge_method=plain&request_uri=https://evil.example/#x`;
    const { accounts, app } = await trying({ ...DECLARED, authorizeUrl, params });
    await accounts.connect(app, 'main');
    const [url] = accounts.opened;
    expect(url?.searchParams.getAll('code_challenge_method')).toEqual(['S256']);
    expect(url?.searchParams.get('scope')).toBe('read');
    expect(url?.searchParams.get('tenant')).toBe('1');
    expect(url?.href).not.toMatch(/mine|evil|fragment|#/);
  });

  it.each([
    ['an http URL', { tokenUrl: 'http://as.example.com/token' }],
    ['a javascript URL', { authorizeUrl: 'javascript:alert(1)' }],
    ['a file URL', { authorizeUrl: 'file:///etc/passwd' }],
    ['localhost', { tokenUrl: 'https://localhost/token' }],
    ['a private address', { authorizeUrl: 'https://192.168.0.1/authorize' }],
    ['a private address in hexadecimal', { authorizeUrl: 'https://0x7f.1/authorize' }],
    ['a name of the local network', { revokeUrl: 'https://nas.local/revoke' }],
    ['a URL with a password', { tokenUrl: 'https://a:b@as.example.com/token' }],
  ])('does not connect to %s', async (_what, addresses) => {
    expect(await failing({ ...DECLARED, ...addresses })).toContain('sign-in address');
  });

  it('does not connect to a private address for revocations, where the server is found', async () => {
    const given = { ...DISCOVERED, revokeUrl: 'https://nas.local/revoke' };
    expect(await failing(given)).toContain('sign-in address');
  });

  it('accepts a response whose iss matches the server metadata', async () => {
    const issuer = 'https://id.example.com';
    const place = `${issuer}/.well-known/oauth-authorization-server`;
    const pages = { [place]: () => json({ ...METADATA, issuer }) };
    const { accounts, app } = await trying(DECLARED, pages, { code: 'c', iss: issuer });
    await accounts.connect(app, 'main');
    expect(await accounts.token(app, 'main', USE)).toBe('at-1');
  });
});

// OpenID Connect Dynamic Client Registration 1.0, section 2: servers refuse a web client with an http callback.
it.each([
  ['native', 'http'],
  ['web', 'https'],
])('registers as a %s client for a callback at an %s address', async (type, scheme) => {
  const { web, relay } = await trying(DISCOVERED);
  const store = scheme === 'http' ? relay.url : 'https://store.example.com';
  const accounts = await testAccounts({
    store,
    guard: web.guard,
    fetchStore: async (input) => {
      const { pathname, search } = new URL(String(input));
      return fetch(relay.url + pathname + search);
    },
    openBrowser: async (url) => {
      relay.park({ state: new URL(url).searchParams.get('state'), code: 'the-code-0123456789' });
    },
  });
  await accounts.connect(appWith([DISCOVERED], { source: fromStore(store) }), 'main');
  const registered = web.bodies.filter((body) => body.includes('redirect_uris'));
  expect(registered.map((body) => JSON.parse(body))).toMatchObject([
    { redirect_uris: [`${store}/apps/oauth/callback`], application_type: type },
  ]);
});

describe('a sign-in that is not finished', () => {
  it('ends after ten minutes', async () => {
    const relay = await relayServer();
    const system = {
      ...realSystem,
      // Ten minutes are over at once; a poll waits.
      sleep: (ms: number, signal?: AbortSignal) => realSystem.sleep(ms === 600_000 ? 0 : ms, signal),
    };
    const web = fakeWeb(honest());
    const accounts = await testAccounts({
      store: relay.url,
      guard: web.guard,
      system,
      openBrowser: async () => {},
    });
    const app = appWith([DECLARED], { source: fromStore(relay.url) });
    const attempt = accounts.connect(app, 'main');
    await expect(attempt).rejects.toMatchObject({
      code: 'connect-failed',
      message: expect.stringContaining('ten minutes'),
      detail: { cause: 'timed-out', oauthError: null },
    });
  });

  it('ends when a server does not respond within 30 seconds', async () => {
    const relay = await relayServer();
    const system = {
      ...realSystem,
      sleep: (ms: number, signal?: AbortSignal) => realSystem.sleep(ms === 30_000 ? 200 : ms, signal),
    };
    const web = fakeWeb(honest({ [`${AS}/.well-known/oauth-authorization-server`]: () => null }));
    const accounts = await testAccounts({ store: relay.url, guard: web.guard, system });
    const attempt = accounts.connect(appWith([DISCOVERED], { source: fromStore(relay.url) }), 'main');
    await expect(attempt).rejects.toMatchObject({
      code: 'connect-failed',
      message: 'as.example.com: It took longer than allowed.',
      detail: { cause: 'unreachable', oauthError: null },
    });
  });

  it('ends when the browser cannot be opened, and its error does not contain the URL', async () => {
    const { accounts, app } = await trying(DECLARED);
    const broken = await testAccounts({
      store: 'https://store.example',
      folder: accounts.folder,
      openBrowser: (url) => Promise.reject(new Error(url)),
    });
    const error = await broken.connect(app, 'main').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'connect-failed', message: 'The browser cannot be opened.' });
    expect(connectFailure(error)).toEqual({ cause: 'no-browser', oauthError: null });
  });

  it.each<{ what: string; account: typeof DECLARED; pages?: object; brought: object; detail: object }>([
    {
      what: 'the user declines',
      account: DECLARED,
      brought: { error: 'access_denied' },
      detail: { cause: 'denied', oauthError: 'access_denied' },
    },
    {
      what: 'the server refuses',
      account: DECLARED,
      brought: { error: 'Invalid_Scope' },
      detail: { cause: 'refused', oauthError: 'invalid_scope' },
    },
    {
      what: 'the response comes from another server',
      account: DECLARED,
      brought: { code: 'c', iss: 'https://evil.example.com' },
      detail: { cause: 'issuer', oauthError: null },
    },
  ])('names the cause when $what', async ({ account, brought, detail }) => {
    const { accounts, app } = await trying(account, {}, brought as never);
    const error = await accounts.connect(app, 'main').catch((reason: unknown) => reason);
    expect(connectFailure(error)).toEqual(detail);
  });
});
