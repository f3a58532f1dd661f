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

/** An app whose servers are all on one's own machine. */
const local = {
  ...remoteAt('http://localhost:3000/mcp'),
  accounts: [{ ...account, ...signIn }],
  requires: { connectors: [{ url: 'http://127.0.0.1:3001/mcp', reason: 'Draws charts.' }] },
};

describe('a store on one’s own machine', () => {
  it('warns of servers on localhost, and refuses none of them', () => {
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

  it('finds just what dev mode finds of them', () => {
    expect(findings(local, store)).toEqual(findings(local, 'dev'));
  });

  it.each([
    'http://mcp.example.com/mcp',
    'http://10.0.0.1:3000/mcp',
    'http://[::1]:3000/mcp',
    'http://127.0.0.2:3000/mcp',
    'http://localhost@evil.example/mcp',
    'http://localhost.evil.example/mcp',
  ])('refuses %s as any other store does', (url) =>
    expect(findings(remoteAt(url), store)).toEqual(['remote.url /remote/mcpUrl']),
  );

  it.each([
    [{ server: 'server.js' }, 'level.server'],
    [{ pluginApiVersion: 2 }, 'manifest.api-version'],
    [{ grants: ['exec'] }, 'grants'],
    [{ remote: { mcpUrl: 'http://localhost:3000/mcp', domains: ['localhost'] } }, 'remote.domain'],
  ])('is a store in all else: it refuses %j', (patch, code) => {
    const errors = (options: Parameters<typeof validateManifest>[1]) =>
      validateManifest(exampleWith({ ...local, ...patch }), options)
        .filter((issue) => issue.level === 'error' && issue.code.startsWith(code))
        .map(({ code: found, path }) => [found, path]);
    expect(errors(store)).not.toEqual([]);
    expect(errors(store)).toEqual(errors({ mode: 'store' }));
  });
});

it('refuses them in every other store', () => {
  expect(findings(local, 'store')).toEqual(expect.arrayContaining(['remote.url /remote/mcpUrl']));
  expect(findings(local, { mode: 'store', localhost: 'refuse' })).toEqual(findings(local, 'store'));
});
