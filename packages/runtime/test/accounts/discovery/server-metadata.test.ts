import { describe, expect, it } from 'vitest';
import { discover } from '../../../src/accounts/discovery/discover.ts';
import { requestsOf } from '../../../src/accounts/requests.ts';
import { type Answer, fakeWeb, json } from '../../support/fake-web.ts';
import { USE } from '../../support/open-accounts.ts';
import { realSystem } from '../../support/real-system.ts';
import { AS, challenge, DISCOVERED, MCP, METADATA, PRM, trying } from '../../support/sign-in.ts';

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
