import { describe, expect, it } from 'vitest';
import { validateManifest } from '../src/validate.ts';
import { exampleWith, findings } from './support.ts';

const store = { mode: 'store', localhost: 'warn' } as const;

const account = { id: 'notes', label: 'Notes', clientId: 'notes', scopes: [] };
const signIn = {
  authorizeUrl: 'http://localhost:4000/authorize',
  tokenUrl: 'http://127.0.0.1:4000/token',
  revokeUrl: 'http://localhost:4000/revoke',
};
const remoteAt = (mcpUrl: string) => ({ remote: { mcpUrl, domains: [] } });

/** An app whose servers are all on localhost. */
const local = {
  ...remoteAt('http://localhost:3000/mcp'),
  accounts: [{ ...account, ...signIn }],
  requires: { connectors: [{ url: 'http://127.0.0.1:3001/mcp', reason: 'Draws charts.' }] },
};

describe('a store that warns about localhost', () => {
  it('warns about servers on localhost, and refuses none', () => {
    const issues = validateManifest(exampleWith(local), store);
    expect(issues.filter(({ level }) => level === 'error')).toEqual([]);
    expect(issues.map(({ code }) => code).sort()).toEqual([
      'accounts.authorizeUrl.localhost',
      'accounts.revokeUrl.localhost',
      'accounts.tokenUrl.localhost',
      'remote.localhost',
      'requires.url.localhost',
    ]);
  });

  it.each(['http://[::1]:3000/mcp', 'http://127.0.0.2:3000/mcp', 'http://app.localhost:3000/mcp'])(
    'warns about %s, which is this machine',
    (url) => expect(findings(remoteAt(url), store)).toEqual(['remote.localhost /remote/mcpUrl']),
  );

  it('reports the same findings as dev mode', () => {
    expect(findings(local, store)).toEqual(findings(local, 'dev'));
  });

  it.each([
    'http://mcp.example.com/mcp',
    'http://10.0.0.1:3000/mcp',
    'http://0.0.0.0:3000/mcp',
    'http://[::2]:3000/mcp',
    'http://localhost@evil.example/mcp',
    'http://localhost.evil.example/mcp',
  ])('refuses %s like any other store', (url) =>
    expect(findings(remoteAt(url), store)).toEqual(['remote.url /remote/mcpUrl']),
  );

  it.each([
    [{ server: 'server.js' }, 'level.server'],
    [{ pluginApiVersion: 2 }, 'manifest.api-version'],
    [{ grants: ['exec'] }, 'grants'],
    [{ remote: { mcpUrl: 'http://localhost:3000/mcp', domains: ['localhost'] } }, 'remote.domain'],
  ])('still applies all other store rules: it refuses %j', (patch, code) => {
    const errors = (options: Parameters<typeof validateManifest>[1]) =>
      validateManifest(exampleWith({ ...local, ...patch }), options)
        .filter((issue) => issue.level === 'error' && issue.code.startsWith(code))
        .map(({ code: found, path }) => [found, path]);
    expect(errors(store)).not.toEqual([]);
    expect(errors(store)).toEqual(errors({ mode: 'store' }));
  });
});

it('every other store refuses servers on localhost', () => {
  expect(findings(local, 'store')).toEqual(expect.arrayContaining(['remote.url /remote/mcpUrl']));
  expect(findings(local, { mode: 'store', localhost: 'refuse' })).toEqual(findings(local, 'store'));
});
