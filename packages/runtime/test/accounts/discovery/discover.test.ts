import { describe, expect, it } from 'vitest';
import { cacheDiscovery, discover } from '../../../src/accounts/discovery/discover.ts';
import { type Requests, requestsOf } from '../../../src/accounts/requests.ts';
import { type Answer, fakeWeb, json } from '../../support/fake-web.ts';
import { USE } from '../../support/open-accounts.ts';
import { realSystem } from '../../support/real-system.ts';
import { AS, challenge, DISCOVERED, failing, MCP, METADATA, trying } from '../../support/sign-in.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const PRM = 'https://mcp.example.com/.well-known/oauth-protected-resource';

describe('a server with OAuth discovery', () => {
  const at = (place: string) => `${AS}${place}`;

  it('may publish OpenID Connect metadata, and be a resource that covers its whole host', async () => {
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

  it('receives the client ID of the program, the metadata document, the registration or the manifest, in this order', async () => {
    const takes = { ...METADATA, client_id_metadata_document_supported: true };
    const pages = { [at('/.well-known/oauth-authorization-server')]: () => json(takes) };
    const registered = () => ({ clientId: 'made beforehand' });
    const documentUrl = 'https://client.example/id.json';
    const name = 'A chat client';
    const cases = [
      [{ name, documentUrl, registered }, pages, 'made beforehand'],
      [{ name, documentUrl }, pages, documentUrl],
      [{ name, documentUrl }, {}, 'registered'],
      [{ name }, pages, 'registered'],
      [{ name }, { ...pages, [at('/register')]: () => json({}, 403) }, 'of the manifest'],
    ] as const;
    for (const [identity, given, expected] of cases) {
      const account = { ...DISCOVERED, clientId: 'of the manifest' };
      const { accounts, app } = await trying(account, given, { code: 'c' }, { identity });
      await accounts.connect(app, 'main');
      expect(accounts.opened[0]?.searchParams.get('client_id')).toBe(expected);
    }
  });

  it('receives the client secret by the authentication method that it supports', async () => {
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

  it('cannot be used without dynamic registration', async () => {
    const { registration_endpoint: _none, ...closed } = METADATA;
    const pages = { [at('/.well-known/oauth-authorization-server')]: () => json(closed) };
    expect(await failing(DISCOVERED, pages)).toContain('registers no new clients');
  });

  describe('that needs no token to initialize and to list tools, but challenges a call', () => {
    const open: Record<string, Answer> = {
      [MCP]: () => json({ jsonrpc: '2.0', id: 0, result: {} }),
      [`${PRM}/mcp`]: () => new Response('', { status: 404 }),
      [`${AS}/notes-prm`]: () => json({ resource: MCP, authorization_servers: [AS] }),
    };
    const said = `Bearer resource_metadata="${AS}/notes-prm", scope="notes:write"`;

    it.each([
      ['a token', 'at-0'],
      ['no token', ''],
    ])('is discovered by that challenge to a call with %s', async (_what, token) => {
      const { accounts, app } = await trying(DISCOVERED, open);
      await expect(accounts.connect(app, 'main')).rejects.toMatchObject({ code: 'connect-failed' });
      expect(await accounts.refreshAfter401(app, 'main', token, said)).toBeNull();
      await accounts.connect(app, 'main');
      expect(accounts.opened[0]?.searchParams.get('scope')).toContain('notes:write');
      expect(accounts.opened[0]?.searchParams.get('resource')).toBe(MCP);
    });

    it('is discovered again after a restart, by the place that named its server', async () => {
      const parts = { folder: await tempFolder() };
      const first = await trying(DISCOVERED, open, { code: 'c' }, parts);
      await first.accounts.refreshAfter401(first.app, 'main', 'at-0', said);
      await first.accounts.connect(first.app, 'main');
      await first.accounts.connect(first.app, 'main');
      await first.accounts.close();
      const later = await trying(DISCOVERED, open, null, {
        ...parts,
        openBrowser: async (url) =>
          void first.relay.park({ state: new URL(url).searchParams.get('state'), code: 'c' }),
      });
      await later.accounts.connect(first.app, 'main');
      expect(later.accounts.opened[0]?.searchParams.get('resource')).toBe(MCP);
    });

    it('is discovered by a call of a tool that it does not have', async () => {
      const challenges = challenge(said);
      const { accounts, app, web } = await trying(DISCOVERED, {
        ...open,
        [MCP]: async (request) =>
          (await request.clone().text()).includes('tools/call')
            ? ((await challenges(request)) as Response)
            : json({
                ...{ jsonrpc: '2.0', id: 0 },
                result: {
                  protocolVersion: '2025-06-18',
                  capabilities: { tools: {} },
                  serverInfo: { name: 'a' },
                  tools: [],
                },
              }),
      });
      await accounts.connect(app, 'main');
      expect(accounts.opened[0]?.searchParams.get('scope')).toContain('notes:write');
      expect(web.bodies.filter((body) => body.includes('tools/call'))).toHaveLength(1);
    });

    it('is not discovered by a challenge that repeats the token', async () => {
      const { accounts, app, web } = await trying(DISCOVERED, open);
      const leaking = said.replace('notes-prm', 'notes-prm?at-0');
      expect(await accounts.refreshAfter401(app, 'main', 'at-0', leaking)).toBeNull();
      await expect(accounts.connect(app, 'main')).rejects.toMatchObject({ code: 'connect-failed' });
      expect(web.urls().join()).not.toContain('at-0');
    });

    it('is discovered by its challenge to a request without a token first', async () => {
      const { accounts, app } = await trying(DISCOVERED, {
        ...open,
        [MCP]: challenge('Bearer scope="notes:read"'),
        [`${PRM}/mcp`]: () => json({ resource: MCP, authorization_servers: [AS] }),
      });
      await accounts.refreshAfter401(app, 'main', 'at-0', said);
      await accounts.connect(app, 'main');
      expect(accounts.opened[0]?.searchParams.get('scope')).not.toContain('notes:write');
    });
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

  it('is asked for the valid ones of the scopes that its resource offers', async () => {
    const scopes_supported = ['read', 'a"b', 'x'.repeat(201), 'read'];
    const pages = prm({ resource: MCP, authorization_servers: [AS], scopes_supported });
    const { accounts, app } = await trying(DISCOVERED, pages);
    await accounts.connect(app, 'main');
    expect(accounts.opened[0]?.searchParams.get('scope')).toBe('read');
  });

  it.each<[string, Record<string, Answer>, string]>([
    [
      'that wants a token for another host',
      prm({ resource: 'https://bank.example/', authorization_servers: [AS] }),
      'names another resource',
    ],
    [
      'that wants a token for another host, and names no authorization server',
      prm({ resource: 'https://bank.example/' }),
      'names another resource',
    ],
    [
      'that wants a token for another path of its host',
      prm({ resource: 'https://mcp.example.com/mc', authorization_servers: [AS] }),
      'names another resource',
    ],
    [
      'that wants a token for another port of its host',
      prm({ resource: 'https://mcp.example.com:444/mcp', authorization_servers: [AS] }),
      'names another resource',
    ],
    ...['#part', '?tenant=other'].map((end): [string, Record<string, Answer>, string] => [
      `that wants a token for its address with ${end}`,
      prm({ resource: `${MCP}${end}`, authorization_servers: [AS] }),
      'names another resource',
    ]),
    [
      'that wants a token for its address with a user',
      prm({ resource: MCP.replace('://', '://mail@'), authorization_servers: [AS] }),
      'names another resource',
    ],
    [
      'that names authorization servers, and not for what',
      prm({ authorization_servers: [AS] }),
      'does not say where to sign in.',
    ],
    [
      'that names no authorization server',
      prm({ resource: MCP, authorization_servers: [] }),
      'does not say where',
    ],
    [
      'that names an authorization server in the local network',
      prm({ resource: MCP, authorization_servers: ['https://10.0.0.1'] }),
      'not public',
    ],
    [
      'that names an authorization server without TLS',
      prm({ resource: MCP, authorization_servers: ['http://as.example.com'] }),
      'not https',
    ],
    ...['?tenant=1', '#tenant'].map((end): [string, Record<string, Answer>, string] => [
      `that names an authorization server with ${end}`,
      prm({ resource: MCP, authorization_servers: [AS + end] }),
      'is no issuer',
    ]),
    [
      'that names an authorization server by more than 2,000 characters',
      prm({ resource: MCP, authorization_servers: [`${AS}/${'t'.repeat(1978)}`] }),
      'names no authorization server',
    ],
    ['whose metadata is a list', prm([]), 'does not say where to sign in'],
    ['whose metadata never ends', { [`${PRM}/mcp`]: endless }, 'more than a megabyte'],
    [
      'whose metadata URL redirects',
      { [`${PRM}/mcp`]: () => Response.redirect('https://169.254.169.254/', 302) },
      'does not say where to sign in',
    ],
    [
      'whose authorization server has another issuer',
      metadata({ issuer: 'https://bank.example' }),
      'another issuer',
    ],
    [
      'whose authorization server has an endpoint in the local network',
      metadata({ token_endpoint: 'https://router.internal/token' }),
      'not public',
    ],
    [
      'whose authorization endpoint is a javascript URL',
      metadata({ authorization_endpoint: 'javascript:alert(1)' }),
      'not https',
    ],
    [
      'whose authorization server supports only plain PKCE',
      metadata({ code_challenge_methods_supported: ['plain'] }),
      'PKCE',
    ],
    [
      'whose authorization server does not declare PKCE',
      metadata({ code_challenge_methods_supported: undefined }),
      'PKCE',
    ],
    ['whose authorization server has invalid metadata', metadata({ token_endpoint: 7 }), 'is invalid'],
    [
      'whose authorization server authenticates clients only by certificates',
      metadata({ token_endpoint_auth_methods_supported: ['tls_client_auth'] }),
      'knows clients in no way',
    ],
    [
      'that refuses the registration',
      { [at('/register')]: () => json({ error: 'access_denied' }, 403) },
      'access_denied',
    ],
    [
      'that returns an invalid client ID',
      { [at('/register')]: () => json({ client_id: 'a\r\nb' }, 201) },
      'invalid registration',
    ],
  ])('is rejected when it is one %s', async (_what, pages, message) => {
    const said = await failing(DISCOVERED, pages);
    expect(said).toContain(message);
  });
});

/** The servers of a test, as discovery requests them. */
function serversAt(mcpUrl: string, pages: Record<string, Answer>) {
  const { origin, pathname } = new URL(mcpUrl);
  const { guard, urls } = fakeWeb({
    [origin + pathname]: challenge('Bearer'),
    [`${AS}/.well-known/oauth-authorization-server`]: () => json(METADATA),
    ...pages,
  });
  return { requests: requestsOf({ guard, system: realSystem }, false), urls };
}

describe('discovery tries every place', () => {
  const OWN = 'https://mcp.example.com/.well-known/oauth-authorization-server';
  const html = () => new Response('<h1>Sign in</h1>', { headers: { 'content-type': 'text/html' } });
  const good = () => json({ resource: MCP, authorization_servers: [AS] });

  it.each<[string, Record<string, Answer>]>([
    [
      'after a challenge to this machine',
      { [MCP]: challenge('Bearer resource_metadata="https://127.0.0.1/x"') },
    ],
    [
      'after metadata of another resource',
      {
        [MCP]: challenge(`Bearer resource_metadata="${AS}/prm"`),
        [`${AS}/prm`]: () => json({ resource: 'https://bank.example/', authorization_servers: [AS] }),
      },
    ],
    ['after a page of HTML', { [`${PRM}/mcp`]: html, [PRM]: good }],
    [
      'after a redirect to a sign-in page',
      { [`${PRM}/mcp`]: () => Response.redirect(`${AS}/x`, 302), [PRM]: good },
    ],
    [
      'at a relative URL of the challenge, without quotes',
      {
        [MCP]: challenge('Bearer resource_metadata=/meta?of=mcp'),
        [`${PRM}/mcp`]: html,
        'https://mcp.example.com/meta': good,
      },
    ],
    [
      'behind a redirect to the same origin',
      {
        [`${PRM}/mcp`]: () => Response.redirect('https://mcp.example.com/meta', 302),
        'https://mcp.example.com/meta': good,
      },
    ],
    [
      'after answers in JSON that it is not there',
      {
        [`${PRM}/mcp`]: () => json({ error: 'not_found' }, 404),
        [PRM]: () => json({ error: 'not_found' }, 404),
        [OWN]: () => json({ ...METADATA, issuer: 'https://mcp.example.com' }),
      },
    ],
    [
      'after answers in JSON for every path',
      {
        [`${PRM}/mcp`]: () => json({ error: 'not_found' }),
        [PRM]: () => json({}),
        [OWN]: () => json({ ...METADATA, issuer: 'https://mcp.example.com' }),
      },
    ],
    ...[undefined, null, []].map((authorization_servers): [string, Record<string, Answer>] => [
      `at the server itself, when its metadata names ${JSON.stringify(authorization_servers)}`,
      {
        [`${PRM}/mcp`]: () => json({ resource: MCP, authorization_servers }),
        [OWN]: () => json({ ...METADATA, issuer: 'https://mcp.example.com' }),
      },
    ]),
    ['by one text', { [`${PRM}/mcp`]: () => json({ resource: MCP, authorization_servers: AS }) }],
    [
      'after a redirect to a sign-in page in place of a 401',
      { [MCP]: () => Response.redirect('https://sso.example.com/login', 302) },
    ],
    [
      'after a challenge with 403',
      {
        [MCP]: () =>
          new Response('', {
            status: 403,
            headers: { 'www-authenticate': 'Bearer resource_metadata=/meta' },
          }),
        [`${PRM}/mcp`]: html,
        'https://mcp.example.com/meta': good,
      },
    ],
    [
      'at the place of early drafts of RFC 8414',
      {
        [`${PRM}/mcp`]: () => json({ resource: MCP, authorization_servers: [`${AS}/oauth2/default`] }),
        [`${AS}/oauth2/default/.well-known/oauth-authorization-server`]: () =>
          json({ ...METADATA, issuer: `${AS}/oauth2/default` }),
      },
    ],
    ...[
      { code_challenge_methods_supported: ['plain', 'S256', null] },
      { code_challenge_methods_supported: 'plain S256' },
      { token_endpoint_auth_methods_supported: [] },
      { token_endpoint_auth_methods_supported: [''] },
      { revocation_endpoint: 'http://10.0.0.1:8080/revoke' },
    ].map((change): [string, Record<string, Answer>] => [
      `with ${JSON.stringify(change)} in the metadata of the authorization server`,
      { [`${AS}/.well-known/oauth-authorization-server`]: () => json({ ...METADATA, ...change }) },
    ]),
    [
      'after what is no address, or too long for one',
      {
        [`${PRM}/mcp`]: () =>
          json({
            resource: MCP,
            authorization_servers: [7, `${AS}/${'t'.repeat(1978)}`, `${AS}/${'t'.repeat(1977)}`],
          }),
        [`${AS}/.well-known/oauth-authorization-server/${'t'.repeat(1977)}`]: () =>
          json({ ...METADATA, issuer: `${AS}/${'t'.repeat(1977)}` }),
      },
    ],
    [
      'with empty optional endpoints',
      {
        [`${AS}/.well-known/oauth-authorization-server`]: () =>
          json({ ...METADATA, revocation_endpoint: '', scopes_supported: null }),
      },
    ],
    [
      'after a dead authorization server',
      { [`${PRM}/mcp`]: () => json({ resource: MCP, authorization_servers: ['https://dead.example', AS] }) },
    ],
    [
      'at the server itself, as in the revision of 2025-03-26',
      {
        [`${PRM}/mcp`]: html,
        [OWN]: () => json({ ...METADATA, issuer: 'https://mcp.example.com' }),
      },
    ],
  ])('%s', async (_what, pages) => {
    const { accounts, app, web } = await trying(DISCOVERED, pages);
    await accounts.connect(app, 'main');
    expect(await accounts.token(app, 'main', USE)).toBe('at-1');
    expect(web.urls().some((url) => url.includes('127.0.0.1'))).toBe(false);
  });
});

describe('the resource of an MCP server', () => {
  it.each([
    ['https://mcp.example.com/', 'https://mcp.example.com/'],
    ['https://mcp.example.com/a/mcp', 'https://mcp.example.com/a'],
    ['https://mcp.example.com/a/mcp', 'https://mcp.example.com/a/'],
    ['https://mcp.example.com/a', 'https://mcp.example.com/a/'],
    ['https://mcp.example.com/mcp?tenant=1', MCP],
    ['https://mcp.example.com/mcp?tenant=1', `${MCP}?tenant=1`],
  ])('at %s may be %s', async (mcpUrl, resource) => {
    const { requests, urls } = serversAt(mcpUrl, {
      [PRM]: () => json({ resource, authorization_servers: [AS], scopes_supported: ['a', 'b'] }),
    });
    expect(await discover(requests, mcpUrl)).toMatchObject({ resource, scopes: ['a', 'b'] });
    expect(urls().filter((url) => url === `${PRM}/`)).toEqual([]);
  });

  it.each([
    ['/mcp', ['/mcp', '']],
    ['/mcp/', ['/mcp/', '/mcp', '']],
    ['/mcp/?tenant=1', ['/mcp/?tenant=1', '/mcp/', '/mcp', '']],
  ])('at %s is looked for at the places of the whole URL first', async (path, places) => {
    const mcpUrl = `https://mcp.example.com${path}`;
    const { requests, urls } = serversAt(mcpUrl, {
      [PRM]: () => json({ resource: mcpUrl, authorization_servers: AS }),
    });
    await discover(requests, mcpUrl);
    expect(urls().filter((url) => url.startsWith(PRM))).toEqual(places.map((place) => PRM + place));
  });

  it.each(['a b', ['a', null, 'b', 7]])('may name its scopes as %j', async (scopes_supported) => {
    const { requests } = serversAt(MCP, {
      [PRM]: () => json({ resource: MCP, authorization_servers: [AS], scopes_supported }),
    });
    expect(await discover(requests, MCP)).toMatchObject({ scopes: ['a', 'b'], metadataUrl: null });
  });
});

/** A server that requires a token. @param onAsked called for each request */
const closed =
  (onAsked: () => void = () => undefined): Requests['server'] =>
  (url) => ({
    ...{ url, system: realSystem, signal: AbortSignal.any([]) },
    async fetch() {
      onAsked();
      return new Response('', { status: 401 });
    },
  });

describe('a fault of this program', () => {
  it.each([
    ['in metadata of the resource', PRM, 1],
    ['at one of several authorization servers', 'https://one.example.com', 1],
    ['at the server itself', 'https://mcp.example.com/.well-known/oauth-authorization-server', 1],
  ])('%s ends the discovery', async (where, place, expected) => {
    const asked: string[] = [];
    const requests: Requests = {
      allowLoopback: false,
      fetch: () => Promise.reject(new Error('unused')),
      server: closed(),
      async read(url) {
        asked.push(url);
        if (url.startsWith(place)) throw new TypeError('a bug');
        const names = { resource: MCP, authorization_servers: ['https://one.example.com', AS] };
        if (where.includes('several') && url.startsWith(PRM)) return json(names);
        return url.startsWith(AS) ? json(METADATA) : json({}, 404);
      },
    };
    await expect(discover(requests, MCP)).rejects.toThrow(TypeError);
    expect(asked.filter((url) => url.startsWith(place))).toHaveLength(expected);
    expect(asked.some((url) => url.startsWith(AS))).toBe(false);
  });
});

describe('what a card has discovered', () => {
  /** Discovery with a clock; `asked` counts discoveries. */
  function caching() {
    let now = 0;
    let asked = 0;
    const at = (number: number) => `https://mcp.example.com/${number}`;
    const requestsFor = (allowLoopback: boolean): Requests => ({
      allowLoopback,
      fetch: () => Promise.reject(new Error('unused')),
      server: closed(() => {
        asked += 1;
      }),
      read: async (url) =>
        url.startsWith(PRM)
          ? json({ resource: 'https://mcp.example.com/', authorization_servers: [AS] })
          : json(METADATA),
    });
    const { discover, take } = cacheDiscovery({ now: () => now });
    return {
      card: (number: number) => discover(requestsFor(false), at(number), null),
      signIn: async (number: number, allowLoopback = false) => {
        const before = asked;
        await take(requestsFor(allowLoopback), at(number), null);
        return asked > before ? 'asked' : 'kept';
      },
      pass: (ms: number) => {
        now += ms;
      },
    };
  }

  it('is for one sign-in, of the same address and with the same reach', async () => {
    const { card, signIn } = caching();
    await card(1);
    await card(2);
    expect(await signIn(3)).toBe('asked');
    expect(await signIn(1, true)).toBe('asked');
    expect(await signIn(1)).toBe('kept');
    expect(await signIn(1)).toBe('asked');
    expect(await signIn(2)).toBe('kept');
  });

  it.each([
    [0, 'kept'],
    [59_999, 'kept'],
    [60_000, 'asked'],
    [-1, 'asked'],
  ])('after %i milliseconds is %s', async (ms, expected) => {
    const { card, signIn, pass } = caching();
    await card(1);
    pass(ms);
    expect(await signIn(1)).toBe(expected);
  });

  it('is kept for a hundred servers', async () => {
    const { card, signIn } = caching();
    for (let number = 1; number <= 101; number += 1) await card(number);
    expect(await signIn(1)).toBe('asked');
    expect(await signIn(2)).toBe('kept');
    expect(await signIn(101)).toBe('kept');
  });
});
