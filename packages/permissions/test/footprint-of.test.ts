import { Footprint } from '@svc/contracts';
import { fullManifest, sampleManifest } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { footprintOf } from '../src/index.ts';

const account = { id: 'mail', label: 'Mail', auth: 'mcp' as const, scopes: ['send', 'read', 'read'] };

describe('footprintOf', () => {
  it('sorts and deduplicates the signed lists, and adds the MCP host to the domains', () => {
    const manifest = sampleManifest({
      grants: ['host:media', 'files:receive', 'host:media'],
      remote: {
        mcpUrl: 'https://MCP.Example.com:8443/x',
        domains: ['Z.example.com', '*.a.example.com', 'z.example.com'],
      },
      accounts: [account, { ...account, id: 'calendar', scopes: [] }],
    });
    expect(footprintOf(manifest)).toMatchObject({
      grants: ['files:receive', 'host:media'],
      domains: ['*.a.example.com', 'mcp.example.com', 'z.example.com'],
      accounts: ['calendar', 'mail', 'mail:read', 'mail:send'],
    });
  });

  it('sorts by code unit, not by language', () => {
    const { accounts } = footprintOf(
      sampleManifest({ accounts: [{ ...account, scopes: ['b', 'B', 'a-b', 'aB', 'ab'] }] }),
    );
    expect(accounts).toEqual(['mail', 'mail:B', 'mail:a-b', 'mail:aB', 'mail:ab', 'mail:b']);
  });

  it('has no host for an app that is not on a network', () => {
    const remote = { mcpUrl: 'builtin:notes', domains: [] };
    expect(footprintOf(sampleManifest({ remote })).domains).toEqual([]);
  });

  it.each([
    [{}, []],
    [{ remoteName: 't' }, []],
    [{ remoteName: 'other' }, ['other']],
  ])('has the name of a tool on its server where that is not its id: %j', (change, expected) => {
    const tools = [{ id: 't', name: 'T', description: 'T.', ...change }];
    const [tool = {}] = footprintOf(sampleManifest({ contributes: { tools } })).tools;
    expect('remoteName' in tool ? [tool.remoteName] : []).toEqual(expected);
  });

  it('reads the file parameters of a tool, with the defaults of the client', () => {
    const manifest = sampleManifest({
      contributes: {
        tools: [
          { id: 't', name: 'T', description: 'T.', files: { a: {}, b: { maxBytes: 5, multiple: true } } },
        ],
      },
    });
    const none = { accept: null, prepare: null };
    expect(footprintOf(manifest).tools).toMatchObject([
      {
        files: [
          { ...none, param: 'a', maxBytes: 20 * 1024 * 1024, multiple: false },
          { ...none, param: 'b', maxBytes: 5, multiple: true },
        ],
      },
    ]);
  });

  it('ignores endpoints that discovery replaces', () => {
    const declared = { ...account, authorizeUrl: 'https://a.example/', tokenUrl: 'https://t.example/' };
    expect(footprintOf(sampleManifest({ accounts: [declared] })).endpoints).toMatchObject([
      { account: 'mail', auth: 'mcp', authorizeUrl: null, tokenUrl: null },
    ]);
  });

  it('matches its schema, and is unchanged by JSON', () => {
    const footprint = footprintOf(fullManifest(), () => 'a'.repeat(64));
    expect(Footprint.parse(JSON.parse(JSON.stringify(footprint)))).toEqual(footprint);
  });
});
