import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { SignInPage } from '../../src/accounts/sign-ins.ts';
import type { Answer, Card } from '../../src/cards/card.ts';
import type { InstalledApp } from '../../src/library/installed-app.ts';
import { connectFailure } from '../../src/platform/runtime-error.ts';
import { said } from '../support/calls.ts';
import { fakeWeb, json } from '../support/fake-web.ts';
import { fullDisk } from '../support/full-disk.ts';
import { testAccounts, USE } from '../support/open-accounts.ts';
import { realSystem } from '../support/real-system.ts';
import { relayServer } from '../support/relay-server.ts';
import { appWith, fromStore } from '../support/sample-apps.ts';
import { AS, DECLARED, DISCOVERED, failing, honest, METADATA, TOKENS, trying } from '../support/sign-in.ts';
import { wildApp, wildClient, wildServers } from '../support/wild-world.ts';

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

it('opens no browser while the disk is full', async () => {
  const { accounts, app } = await trying(DECLARED);
  await accounts.connect(app, 'main');
  const disk = await fullDisk();
  await expect(accounts.connect(app, 'main')).rejects.toMatchObject({ code: 'ENOSPC' });
  expect(accounts.opened).toHaveLength(1);
  disk.mockRestore();
  await accounts.connect(app, 'main');
  expect(accounts.opened).toHaveLength(2);
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

it('a server that requires a token only for calls is found from the settings: first, after a refusal, after a restart', async () => {
  const servers = await wildServers();
  servers.mcp.state.challengesCalls = true;
  const app = wildApp(servers, 'mcp');
  const first = await wildClient(servers, app, { answer: () => ({ accepted: false }) });
  await first.accounts.connect(app, 'main');
  expect(await first.call()).toEqual(said('did say'));
  servers.oauth.access.clear();
  servers.oauth.refresh.clear();
  await expect(first.call()).rejects.toMatchObject({ code: 'declined' });
  await first.accounts.connect(app, 'main');
  expect(await first.call()).toEqual(said('did say'));
  await first.close();
  const later = await wildClient(servers, app, { folder: first.folder });
  await later.accounts.disconnect(app, 'main');
  await later.accounts.connect(app, 'main');
  expect(await later.call()).toEqual(said('did say'));
  expect(servers.mcp.calls).toEqual(['say', 'say', 'say']);
});

describe('the host of the authorization server', () => {
  /** Connects, and then again at another server; the user answers the cards so. */
  async function connecting(answer: Answer | null) {
    const cards: Card[] = [];
    const ask = async (card: Card) => {
      cards.push(card);
      return answer ?? { accepted: false };
    };
    const world = await trying(DISCOVERED, {}, { code: 'c' }, { ...(answer && { ask }) });
    return { ...world, cards };
  }

  it.each<[string, string | null | undefined, object[]]>([
    ['was shown', 'as.example.com', []],
    ['the user did not ask about, as they started the first sign-in', undefined, []],
    ['is another one than was shown', 'id.example.com', [{ formerHost: 'id.example.com' }]],
    ['was unknown when the card was shown', null, [{ formerHost: null }]],
  ])('that %s', async (_what, shownHost, expected) => {
    const { accounts, app, cards } = await connecting({ accepted: true });
    await accounts.connect(app, 'main', { shownHost });
    expect(cards).toMatchObject(
      expected.map((card) => ({ ...card, kind: 'connect', host: 'as.example.com' })),
    );
    expect(cards).toHaveLength(expected.length);
    expect(accounts.opened).toHaveLength(1);
    // Agreed to, once.
    await accounts.connect(app, 'main');
    expect(cards).toHaveLength(expected.length);
  });

  it.each([null, { accepted: false }])('is not signed in at without consent: %j', async (answer) => {
    const { accounts, app } = await connecting(answer);
    const attempt = accounts.connect(app, 'main', { shownHost: 'id.example.com' });
    await expect(attempt).rejects.toMatchObject({ code: 'declined' });
    expect(accounts.opened).toEqual([]);
  });

  it('of a manifest is that of the manifest, without a card', async () => {
    const { accounts, app } = await trying(DECLARED);
    await accounts.connect(app, 'main', { shownHost: 'id.example.com' });
    expect(await accounts.token(app, 'main', USE)).toBe('at-1');
  });
});

it.each([
  [
    'names its app to the store that it is from',
    fromStore('https://store.example.com'),
    'store',
    'com.example.notes',
  ],
  ['names no app of another source', { kind: 'developer', folder: '/home/ada/app' } as const, 'relay', null],
])('a sign-in %s', async (_what, source, store, named) => {
  const polled: URL[] = [];
  const { accounts, app, relay } = await trying(
    DECLARED,
    {},
    { code: 'c' },
    {
      store: 'https://relay.example.com',
      fetchStore: (input) => {
        const url = new URL(String(input));
        polled.push(url);
        return fetch(relay.url + url.pathname + url.search);
      },
    },
  );
  await accounts.connect({ ...app, source }, 'main');
  expect(polled.length).toBeGreaterThan(1);
  expect(new Set(polled.map(({ searchParams }) => searchParams.get('app')))).toEqual(new Set([named]));
  const own = `https://${store}.example.com`;
  expect(new Set(polled.map(({ origin }) => origin))).toEqual(new Set([own]));
  expect(accounts.opened[0]?.searchParams.get('redirect_uri')).toBe(`${own}/apps/oauth/callback`);
});

it('a sign-in tells the browser whose page it opens, and when the page can be closed', async () => {
  const pages: SignInPage[] = [];
  const { accounts, app, relay } = await trying(DECLARED, {}, null, {
    openBrowser: async (url, page) => {
      pages.push(page);
      relay.park({ state: new URL(url).searchParams.get('state'), code: 'c' });
    },
  });
  await accounts.connect(app, 'main');
  expect(pages).toMatchObject([{ appId: app.appId, accountId: 'main', signal: { aborted: true } }]);
});

it('a step-up asks for the scopes that were asked for before, but not for those of another binding', async () => {
  const { accounts, app } = await trying(DISCOVERED);
  const asked = async (connecting: InstalledApp, scope: string) => {
    await accounts.connect(connecting, 'main', { scopes: [scope] });
    return accounts.opened.at(-1)?.searchParams.get('scope');
  };
  expect(await asked(app, 'read')).toBe('read');
  expect(await asked(app, 'write')).toBe('read write');
  const other = appWith([{ ...DISCOVERED, clientId: 'own' }], { source: app.source });
  expect(await asked(other, 'admin')).toBe('admin');
  expect(await asked(other, 'read')).toBe('admin read');
  await accounts.connect(other, 'main');
  expect(accounts.opened.at(-1)?.searchParams.has('scope')).toBe(false);
  const declared = (scopes: string[]) => appWith([{ ...DECLARED, scopes }], { source: app.source });
  expect(await asked(declared([]), 'read')).toBe('read');
  expect(await asked(declared(['read', 'write']), 'read')).toBe('read write');
  // An update that declares fewer scopes.
  expect(await asked(declared(['read']), 'read')).toBe('read');
});

it('an account names who signed in, where the server says so', async () => {
  const id_token = `e30.${Buffer.from('{"email":"anna@example.com"}').toString('base64url')}.sig`;
  for (const [more, holder] of [
    [{ id_token }, 'anna@example.com'],
    [{}, undefined],
  ] as const) {
    const { accounts, app } = await trying(DECLARED, { [`${AS}/token`]: () => json({ ...TOKENS, ...more }) });
    await accounts.connect(app, 'main');
    expect((await accounts.list(app)).map((status) => status.holder)).toEqual([holder]);
  }
});

it('the revocation endpoint of the manifest goes before that of the server', async () => {
  const revoked: string[] = [];
  const at = (place: string) => async () => {
    revoked.push(place);
    return json({});
  };
  const { accounts, app } = await trying(
    { ...DISCOVERED, revokeUrl: 'https://as.example.com/of-the-manifest' },
    { [`${AS}/of-the-manifest`]: at('manifest'), [`${AS}/revoke`]: at('server') },
  );
  await accounts.connect(app, 'main');
  expect(await accounts.disconnect(app, 'main')).toEqual({ revoked: true });
  expect(revoked).toEqual(['manifest']);
});

describe('the client of a sign-in that failed', () => {
  const registrations = (urls: readonly string[]) => urls.filter((url) => url.endsWith('/register')).length;

  it.each([
    ['because the user declined is kept', 'access_denied', 1],
    ['for another reason is registered again', 'unauthorized_client', 2],
  ])('%s', async (_what, error, expected) => {
    const answers: Record<string, string>[] = [{ error }, { code: 'c' }];
    const { accounts, app, web, relay } = await trying(DISCOVERED, {}, null, {
      openBrowser: async (url) => {
        relay.park({ state: new URL(url).searchParams.get('state'), ...answers.shift() });
      },
    });
    await expect(accounts.connect(app, 'main')).rejects.toMatchObject({ detail: { oauthError: error } });
    await accounts.connect(app, 'main');
    expect(registrations(web.urls())).toBe(expected);
  });

  it.each([
    ['that registers clients', {}, {}, 'registered'],
    ['where the app has a client of its own', { registration_endpoint: null }, { clientId: 'own' }, 'own'],
    ['where there is no other kind', { registration_endpoint: null }, {}, 'https://client.example/id.json'],
  ])('is of another kind than a document at a server %s', async (_where, change, own, expected) => {
    const metadata = { ...METADATA, client_id_metadata_document_supported: true, ...change };
    const answers: Record<string, string>[] = [{ error: 'invalid_request' }, { code: 'c' }];
    const { accounts, app, relay } = await trying(
      { ...DISCOVERED, ...own },
      { [`${AS}/.well-known/oauth-authorization-server`]: () => json(metadata) },
      null,
      {
        identity: { name: 'A chat client', documentUrl: 'https://client.example/id.json' },
        openBrowser: async (url) => {
          relay.park({ state: new URL(url).searchParams.get('state'), ...answers.shift() });
        },
      },
    );
    await expect(accounts.connect(app, 'main')).rejects.toMatchObject({ code: 'connect-failed' });
    await accounts.connect(app, 'main');
    const ids = accounts.opened.map(({ searchParams }) => searchParams.get('client_id'));
    expect(ids).toEqual(['https://client.example/id.json', expected]);
  });
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

  it.each<{ what: string; account: typeof DECLARED; brought: object; detail: object }>([
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
    {
      what: 'the user declines, and the server sends iss only with codes',
      account: DISCOVERED,
      brought: { error: 'access_denied' },
      detail: { cause: 'denied', oauthError: 'access_denied' },
    },
    {
      what: 'an error comes from another server',
      account: DISCOVERED,
      brought: { error: 'access_denied', iss: 'https://evil.example.com' },
      detail: { cause: 'issuer', oauthError: null },
    },
  ])('names the cause when $what', async ({ account, brought, detail }) => {
    const metadata = { ...METADATA, authorization_response_iss_parameter_supported: true };
    const pages = { [`${AS}/.well-known/oauth-authorization-server`]: () => json(metadata) };
    const { accounts, app } = await trying(account, pages, brought as never);
    const error = await accounts.connect(app, 'main').catch((reason: unknown) => reason);
    expect(connectFailure(error)).toEqual(detail);
  });
});
