import { describe, expect, it } from 'vitest';
import { discover } from '../../../src/accounts/discovery/discover.ts';
import type { Requests } from '../../../src/accounts/requests.ts';
import { type Answer, json } from '../../support/fake-web.ts';
import {
  AS,
  challenge,
  closed,
  DISCOVERED,
  failing,
  MCP,
  METADATA,
  PRM,
  trying,
} from '../../support/sign-in.ts';
import { tempFolder } from '../../support/temp-folder.ts';

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
