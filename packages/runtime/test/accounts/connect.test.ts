import type { Account } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { type Answer, fakeWeb, json } from '../support/fake-web.ts';
import { testAccounts } from '../support/open-accounts.ts';
import { realAmbient } from '../support/real-ambient.ts';
import { relayServer } from '../support/relay-server.ts';
import { appWith, fromStore } from '../support/sample-apps.ts';

const AS = 'https://as.example.com';
const MCP = 'https://mcp.example.com/mcp';
const USE = { host: 'mcp.example.com', tool: 'list_notes' };
const TOKENS = { access_token: 'at-1', token_type: 'Bearer', expires_in: 3600, refresh_token: 'rt-1' };

const METADATA = {
  issuer: AS,
  authorization_endpoint: `${AS}/authorize`,
  token_endpoint: `${AS}/token`,
  registration_endpoint: `${AS}/register`,
  revocation_endpoint: `${AS}/revoke`,
  code_challenge_methods_supported: ['S256'],
};

const DECLARED: Account = {
  id: 'main',
  label: 'Notes',
  authorizeUrl: `${AS}/authorize`,
  tokenUrl: `${AS}/token`,
  clientId: 'public-client',
  scopes: ['read'],
};
const DISCOVERED: Account = { id: 'main', label: 'Notes', auth: 'mcp', scopes: [] };

const challenge =
  (text: string): Answer =>
  () =>
    new Response('', { status: 401, headers: { 'www-authenticate': text } });

/** An honest web for both kinds of account, but for what a test puts in place of it. */
const honest = (pages: Record<string, Answer> = {}): Record<string, Answer> => ({
  [MCP]: challenge('Bearer'),
  'https://mcp.example.com/.well-known/oauth-protected-resource/mcp': () =>
    json({ resource: MCP, authorization_servers: [AS] }),
  [`${AS}/.well-known/oauth-authorization-server`]: () => json(METADATA),
  [`${AS}/register`]: () => json({ client_id: 'registered' }, 201),
  [`${AS}/token`]: () => json(TOKENS),
  ...pages,
});

type Brought = Record<string, string> | null;

/**
 * One sign-in, at servers of a test.
 * @param brought with what the browser comes back, besides the state; null when it never does
 */
async function trying(
  account: Account,
  pages: Record<string, Answer> = {},
  brought: Brought = { code: 'the-code-0123456789' },
  identity = { name: 'A chat client' },
) {
  const [relay, web] = [await relayServer(), fakeWeb(honest(pages))];
  const accounts = await testAccounts({
    store: relay.url,
    guard: web.guard,
    identity,
    openBrowser: async (url) => {
      if (brought) relay.park({ state: new URL(url).searchParams.get('state'), ...brought });
    },
  });
  const app = appWith([account], { source: fromStore(relay.url) });
  return { accounts, app, web, relay };
}

/** What a failed sign-in says; it leaves nothing behind. */
async function failing(...args: Parameters<typeof trying>): Promise<string> {
  const { accounts, app } = await trying(...args);
  const error = await accounts.connect(app, 'main').catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'connect-failed', cause: undefined });
  expect(await accounts.token(app, 'main', USE)).toBeNull();
  return (error as Error).message;
}

describe('an account whose addresses the manifest names', () => {
  it('is connected as the contract says, without any discovery', async () => {
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

  it('takes an answer without type, expiry and refresh token: good until it is refused', async () => {
    const { accounts, app } = await trying(DECLARED, { [`${AS}/token`]: () => json({ access_token: 'at' }) });
    await accounts.connect(app, 'main');
    accounts.pass(10 * 365 * 24 * 3600_000);
    expect(await accounts.token(app, 'main', USE)).toBe('at');
    expect(await accounts.refused(app, 'main', 'at', null)).toBeNull();
    expect(accounts.told.at(-1)).toMatchObject({ type: 'account-dropped', reason: 'expired' });
  });

  it('never lets the manifest say what only the client may', async () => {
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
    ['http', { tokenUrl: 'http://as.example.com/token' }],
    ['a script', { authorizeUrl: 'javascript:alert(1)' }],
    ['a file', { authorizeUrl: 'file:///etc/passwd' }],
    ['this computer', { tokenUrl: 'https://localhost/token' }],
    ['a private address', { authorizeUrl: 'https://192.168.0.1/authorize' }],
    ['a private address in disguise', { authorizeUrl: 'https://0x7f.1/authorize' }],
    ['a name of the local network', { revokeUrl: 'https://nas.local/revoke' }],
    ['an address with a password', { tokenUrl: 'https://a:b@as.example.com/token' }],
  ])('is not connected over %s', async (_what, addresses) => {
    expect(await failing({ ...DECLARED, ...addresses })).toContain('sign-in address');
  });

  it('believes an answer that names its server by its own metadata', async () => {
    const issuer = 'https://id.example.com';
    const place = `${issuer}/.well-known/oauth-authorization-server`;
    const pages = { [place]: () => json({ ...METADATA, issuer }) };
    const { accounts, app } = await trying(DECLARED, pages, { code: 'c', iss: issuer });
    await accounts.connect(app, 'main');
    expect(await accounts.token(app, 'main', USE)).toBe('at-1');
  });
});

describe('the server that says itself where to sign in', () => {
  const at = (place: string) => `${AS}${place}`;
  const PRM = 'https://mcp.example.com/.well-known/oauth-protected-resource';

  it('may have its metadata where OpenID Connect has it, and for its whole host', async () => {
    const tenant = { ...METADATA, issuer: at('/tenant') };
    const { accounts, app, web } = await trying(DISCOVERED, {
      [`${PRM}/mcp`]: () => new Response('', { status: 404 }),
      [PRM]: () => json({ resource: 'https://mcp.example.com', authorization_servers: [at('/tenant')] }),
      [at('/tenant/.well-known/openid-configuration')]: () => json(tenant),
    });
    await accounts.connect(app, 'main');
    expect(web.urls()).toContain(at('/.well-known/oauth-authorization-server/tenant'));
    expect(web.urls()).toContain(at('/.well-known/openid-configuration/tenant'));
    expect(accounts.opened[0]?.searchParams.get('resource')).toBe('https://mcp.example.com');
  });

  it('is told who we are by the manifest, by the program, by a document or by registration, in this order', async () => {
    const takes = { ...METADATA, client_id_metadata_document_supported: true };
    const pages = { [at('/.well-known/oauth-authorization-server')]: () => json(takes) };
    const registered = () => ({ clientId: 'made beforehand' });
    const documentUrl = 'https://client.example/id.json';
    const name = 'A chat client';
    const cases = [
      [{ ...DISCOVERED, clientId: 'of the manifest' }, { name, documentUrl, registered }, 'of the manifest'],
      [DISCOVERED, { name, documentUrl, registered }, 'made beforehand'],
      [DISCOVERED, { name, documentUrl }, documentUrl],
      [DISCOVERED, { name }, 'registered'],
    ] as const;
    for (const [account, identity, expected] of cases) {
      const { accounts, app } = await trying(account, pages, { code: 'c' }, identity);
      await accounts.connect(app, 'main');
      expect(accounts.opened[0]?.searchParams.get('client_id')).toBe(expected);
    }
  });

  it('gets the secret that it made for us in the way it asks for', async () => {
    for (const method of ['client_secret_basic', 'client_secret_post']) {
      const { accounts, app, web } = await trying(DISCOVERED, {
        [at('/.well-known/oauth-authorization-server')]: () =>
          json({ ...METADATA, token_endpoint_auth_methods_supported: [method] }),
        [at('/register')]: () =>
          json({ client_id: 'a-client', client_secret: 's3:cret', client_secret_expires_at: 0 }, 201),
      });
      await accounts.connect(app, 'main');
      const basic = web.asked.at(-1)?.headers.get('authorization');
      const posted = new URLSearchParams(web.bodies.at(-1)).get('client_secret');
      expect([basic, posted]).toEqual(
        method.endsWith('basic') ? [`Basic ${btoa('a-client:s3%3Acret')}`, null] : [null, 's3:cret'],
      );
    }
  });

  it('cannot be used without a way to register', async () => {
    const { registration_endpoint: _none, ...closed } = METADATA;
    const pages = { [at('/.well-known/oauth-authorization-server')]: () => json(closed) };
    expect(await failing(DISCOVERED, pages)).toContain('takes no new clients');
  });

  const prm = (body: unknown) => ({ [`${PRM}/mcp`]: () => json(body) });
  const metadata = (change: object) => ({
    [at('/.well-known/oauth-authorization-server')]: () => json({ ...METADATA, ...change }),
  });
  const endless = () =>
    new Response(
      new ReadableStream({
        pull(controller) {
          controller.enqueue(new Uint8Array(65_536).fill(0x20));
        },
      }),
    );

  it.each<[string, Record<string, Answer>, string]>([
    [
      'that wants a token for another host',
      prm({ resource: 'https://bank.example/', authorization_servers: [AS] }),
      'for another server',
    ],
    [
      'that wants a token for a path beside its own',
      prm({ resource: 'https://mcp.example.com/mc', authorization_servers: [AS] }),
      'for another server',
    ],
    [
      'that wants a token for its name with another port',
      prm({ resource: 'https://mcp.example.com:444/mcp', authorization_servers: [AS] }),
      'for another server',
    ],
    ['that names no sign-in server', prm({ resource: MCP, authorization_servers: [] }), 'does not say where'],
    [
      'that names a sign-in server of this network',
      prm({ resource: MCP, authorization_servers: ['https://10.0.0.1'] }),
      'not public',
    ],
    [
      'that names a sign-in server without TLS',
      prm({ resource: MCP, authorization_servers: ['http://as.example.com'] }),
      'not https',
    ],
    ['whose metadata is a list', prm([]), 'no JSON object'],
    ['whose metadata never ends', { [`${PRM}/mcp`]: endless }, 'more than a megabyte'],
    [
      'whose metadata is elsewhere, by redirect',
      { [`${PRM}/mcp`]: () => Response.redirect('https://169.254.169.254/', 302) },
      'redirect',
    ],
    [
      'whose challenge points at this network',
      { [MCP]: challenge('Bearer resource_metadata="https://127.0.0.1/x"') },
      'not public',
    ],
    [
      'whose challenge points at the metadata of another',
      {
        [MCP]: challenge(`Bearer resource_metadata="${AS}/prm"`),
        [`${AS}/prm`]: () => json({ resource: 'https://bank.example/', authorization_servers: [AS] }),
      },
      'for another server',
    ],
    [
      'whose sign-in server calls itself another',
      metadata({ issuer: 'https://bank.example' }),
      'another server',
    ],
    [
      'whose sign-in server has its endpoints in this network',
      metadata({ token_endpoint: 'https://router.internal/token' }),
      'not public',
    ],
    [
      'whose sign-in page is a script',
      metadata({ authorization_endpoint: 'javascript:alert(1)' }),
      'not https',
    ],
    [
      'whose sign-in server has PKCE with plain alone',
      metadata({ code_challenge_methods_supported: ['plain'] }),
      'PKCE',
    ],
    [
      'whose sign-in server does not say that it has PKCE',
      metadata({ code_challenge_methods_supported: undefined }),
      'PKCE',
    ],
    ['whose sign-in server says nothing sound', metadata({ token_endpoint: 7 }), 'not sound'],
    [
      'whose sign-in server knows clients by certificates alone',
      metadata({ token_endpoint_auth_methods_supported: ['tls_client_auth'] }),
      'knows clients in no way',
    ],
    [
      'that registers nobody',
      { [at('/register')]: () => json({ error: 'access_denied' }, 403) },
      'access_denied',
    ],
    [
      'that registers with a broken client id',
      { [at('/register')]: () => json({ client_id: 'a\r\nb' }, 201) },
      'does not register',
    ],
  ])('is refused when it is one %s', async (_what, pages, message) => {
    const said = await failing(DISCOVERED, pages);
    expect(said).toContain(message);
  });
});

describe('an answer to a sign-in', () => {
  it.each([
    ['of another server', DISCOVERED, {}, 'https://other.example'],
    ['of another server that looks the same', DISCOVERED, {}, `${AS}/`],
    [
      'of nobody, where the server always says who it is',
      DISCOVERED,
      { authorization_response_iss_parameter_supported: true },
      undefined,
    ],
    ['of another server than the manifest names', DECLARED, {}, 'https://other.example'],
  ])('is refused when it is one %s', async (_what, account, change, iss) => {
    const pages = {
      [`${AS}/.well-known/oauth-authorization-server`]: () => json({ ...METADATA, ...change }),
      [`${AS}/token`]: () => {
        throw new Error('the code was sent away');
      },
    };
    const said = await failing(account, pages, { code: 'c', ...(iss !== undefined && { iss }) });
    expect(said).toContain('from another server');
  });

  it('that says no is repeated, cleaned', async () => {
    const said = await failing(DECLARED, {}, { error: 'access_denied', error_description: 'not today' });
    expect(said).toBe('The sign-in server refuses (access_denied): not today');
  });
});

describe('an answer of a token endpoint', () => {
  it.each<[string, Answer]>([
    ['is no JSON', () => new Response('<html>')],
    ['is null', () => json(null)],
    ['has a number for a token', () => json({ ...TOKENS, access_token: 1 })],
    ['has a token that ends a header', () => json({ ...TOKENS, access_token: 'a\r\nX-Evil: 1' })],
    ['has a token that no header holds', () => json({ ...TOKENS, access_token: 'a'.repeat(9000) })],
    ['has an empty token', () => json({ ...TOKENS, access_token: '' })],
    ['has a token of another kind', () => json({ ...TOKENS, token_type: 'DPoP' })],
    ['has a refresh token that is none', () => json({ ...TOKENS, refresh_token: {} })],
    ['ends before it began', () => json({ ...TOKENS, expires_in: -1 })],
    ['ends at no time', () => json({ ...TOKENS, expires_in: 'soon' })],
    ['comes with a failure', () => json(TOKENS, 500)],
    ['comes with a status that means another thing', () => json(TOKENS, 206)],
    ['is elsewhere', () => new Response('', { status: 307, headers: { location: 'https://evil.example/' } })],
    ['never comes', () => Promise.reject(new TypeError('fetch failed: code=the-code-0123456789'))],
  ])('that %s leads to nothing', async (_what, answer) => {
    expect(await failing(DECLARED, { [`${AS}/token`]: answer })).not.toContain('the-code');
  });

  it.each([
    [1e300, 365 * 24 * 3600],
    ['60', 60],
    [0, 0],
  ])('that ends after %s seconds counts for %s', async (given, seconds) => {
    const { accounts, app } = await trying(DECLARED, {
      [`${AS}/token`]: () => json({ ...TOKENS, expires_in: given }),
    });
    const before = Date.now();
    await accounts.connect(app, 'main');
    const [status] = await accounts.list(app);
    const at = Date.parse(status?.expiresAt ?? '') - seconds * 1000;
    expect(at).toBeGreaterThanOrEqual(before);
    expect(at).toBeLessThanOrEqual(Date.now());
  });

  it('repeats no secret and no control character of a server that refuses', async () => {
    const echo: Answer = async (request) => {
      const sent = new URLSearchParams(await request.text());
      const verifier = sent.get('code_verifier') ?? '';
      return json({ error: 'invalid_grant', error_description: `no: ${verifier.slice(3, 30)}` }, 400);
    };
    expect(await failing(DECLARED, { [`${AS}/token`]: echo })).toBe(
      'The sign-in server refuses (invalid_grant)',
    );
    const ugly = { error: 'bad\u001b[2J', error_description: `\u202eevil\u0000\n${'x'.repeat(5000)}` };
    const said = await failing(DECLARED, { [`${AS}/token`]: () => json(ugly, 400) });
    expect(said).toMatch(/^The sign-in server refuses \(without a reason\): evil x{100,}…$/);
    expect(said.length).toBeLessThan(300);
  });

  it('that grants more than was asked for does not make us ask for it', async () => {
    let refreshed = '';
    const { accounts, app } = await trying(DECLARED, {
      [`${AS}/token`]: async (request) => {
        refreshed = await request.text();
        return json({ ...TOKENS, scope: 'read admin' });
      },
    });
    await accounts.connect(app, 'main');
    const [status] = await accounts.list(app);
    expect(status?.scopes).toEqual(['read', 'admin']);
    accounts.pass(3600_000);
    await accounts.token(app, 'main', USE);
    expect(refreshed).toContain('grant_type=refresh_token');
    expect(refreshed).not.toContain('admin');
    await accounts.connect(app, 'main');
    expect(accounts.opened[1]?.searchParams.get('scope')).toBe('read');
  });
});

describe('a sign-in that nobody ends', () => {
  it('ends after ten minutes', async () => {
    const relay = await relayServer();
    const ambient = {
      ...realAmbient,
      // Ten minutes are over at once; a poll waits.
      sleep: (ms: number, signal?: AbortSignal) => realAmbient.sleep(ms === 600_000 ? 0 : ms, signal),
    };
    const web = fakeWeb(honest());
    const accounts = await testAccounts({
      store: relay.url,
      guard: web.guard,
      ambient,
      openBrowser: async () => {},
    });
    const app = appWith([DECLARED], { source: fromStore(relay.url) });
    const attempt = accounts.connect(app, 'main');
    await expect(attempt).rejects.toMatchObject({
      code: 'connect-failed',
      message: expect.stringContaining('ten minutes'),
    });
  });

  it('ends when a server does not answer in half a minute', async () => {
    const relay = await relayServer();
    const ambient = {
      ...realAmbient,
      sleep: (ms: number, signal?: AbortSignal) => realAmbient.sleep(ms === 30_000 ? 200 : ms, signal),
    };
    const web = fakeWeb(honest({ [`${AS}/.well-known/oauth-authorization-server`]: () => null }));
    const accounts = await testAccounts({ store: relay.url, guard: web.guard, ambient });
    const attempt = accounts.connect(appWith([DISCOVERED], { source: fromStore(relay.url) }), 'main');
    await expect(attempt).rejects.toMatchObject({
      code: 'connect-failed',
      message: 'as.example.com: It took longer than allowed.',
    });
  });

  it('ends when its browser cannot be opened, and does not say with which address', async () => {
    const { accounts, app } = await trying(DECLARED);
    const broken = await testAccounts({
      store: 'https://store.example',
      folder: accounts.folder,
      openBrowser: (url) => Promise.reject(new Error(url)),
    });
    const error = await broken.connect(app, 'main').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'connect-failed', message: 'The browser cannot be opened.' });
  });
});
