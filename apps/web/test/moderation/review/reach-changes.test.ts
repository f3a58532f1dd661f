import type { Manifest, Reach, Tool } from '@svc/contracts';
import { diffFootprints, footprintOf } from '@svc/permissions';
import { sampleManifest } from '@svc/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { narrower, reachLines, wider } from '../../../src/moderation/review/reach-changes.ts';

const TOOL: Tool = { id: 'add', name: 'Add', description: 'Adds.' };
const ACCOUNT = {
  id: 'google',
  label: 'Google',
  authorizeUrl: 'https://accounts.example/auth',
  tokenUrl: 'https://accounts.example/token',
  scopes: ['read'],
  clientId: 'one',
};

/** What a reviewer is told of a manifest, as the API tells it. */
function reachOf(manifest: Manifest): Reach {
  const { tools, fileParams, endpoints, ...lists } = footprintOf(manifest);
  return {
    ...lists,
    tools: [...tools].map(([id, { account, confirms }]) => ({ id, account, confirms })),
    fileParams: [...fileParams].map(([param, reach]) => ({ param, ...reach })),
    endpoints: [...endpoints].map(([account, where]) => ({ account, ...where })),
  };
}

function compared(before: Partial<Manifest>, after: Partial<Manifest>) {
  const [was, is] = [sampleManifest(before), sampleManifest(after)];
  const diff = diffFootprints({ version: '1.0.0', footprint: footprintOf(was) }, footprintOf(is));
  return { diff, next: reachOf(is), base: reachOf(was) };
}

const toldOf = (before: Partial<Manifest>, after: Partial<Manifest>): string[] => {
  const { diff, next, base } = compared(before, after);
  return wider(diff, next, base).map(({ kind, what, about }) =>
    [kind, what, about].filter(Boolean).join(' | '),
  );
};

const withTool = (tool: Partial<Tool>): Partial<Manifest> => ({
  contributes: { tools: [{ ...TOOL, ...tool }] },
});

describe('what an update reaches beyond the last one', () => {
  it.each<[string, Partial<Manifest>, Partial<Manifest>, string]>([
    [
      'a grant',
      {},
      { grants: ['files:receive', 'storage'] },
      'Grant | storage | keep files in its own storage',
    ],
    [
      'a server',
      {},
      { remote: { mcpUrl: 'https://mcp.example.com/mcp', domains: ['api.example.com', '*.x.example'] } },
      'Server | *.x.example | any name below it',
    ],
    [
      'an account',
      {},
      { accounts: [{ ...ACCOUNT, scopes: [] }] },
      'Account | google | signs in at https://accounts.example/auth, token from https://accounts.example/token',
    ],
    [
      'a scope',
      { accounts: [ACCOUNT] },
      { accounts: [{ ...ACCOUNT, scopes: ['read', 'mail:send'] }] },
      'Scope of an account | mail:send | of the account google',
    ],
    [
      'another place to send a token to',
      { accounts: [ACCOUNT] },
      { accounts: [{ ...ACCOUNT, tokenUrl: 'https://evil.example/token' }] },
      'Sign-in goes elsewhere | google: https://evil.example/token | token, instead of https://accounts.example/token',
    ],
    [
      'another MCP server',
      {},
      { remote: { mcpUrl: 'https://mcp.example.com/v2', domains: ['api.example.com'] } },
      'Tool calls go elsewhere | https://mcp.example.com/v2 | instead of https://mcp.example.com/mcp',
    ],
    [
      'a card that is lost',
      withTool({ confirm: { title: 'Sure?' } }),
      withTool({}),
      'No longer asks first | add | users were asked before this tool acted, and are not any more',
    ],
    [
      'a tool that begins to act with an account',
      { accounts: [ACCOUNT], ...withTool({}) },
      { accounts: [ACCOUNT], ...withTool({ account: 'google' }) },
      'Tool acts with an account | add | with google, instead of no account',
    ],
    [
      'a file argument',
      withTool({}),
      withTool({ files: { photo: { maxBytes: 1_024, multiple: true } } }),
      'File argument | add.photo | up to 1.0 KiB, several at once',
    ],
    [
      'a higher limit',
      withTool({ files: { photo: { maxBytes: 1_024 } } }),
      withTool({ files: { photo: { maxBytes: 2_048 } } }),
      'Takes larger or more files | add.photo | up to 2.0 KiB, instead of up to 1.0 KiB',
    ],
    [
      'what it needs',
      {},
      { requires: { apps: [{ id: 'com.acme.notes', reason: 'x' }] } },
      'It needs | com.acme.notes',
    ],
  ])('is told of %s', (_what, before, after, told) => {
    expect(toldOf(before, after)).toEqual([told]);
  });

  it('is told of a new tool that acts with an account', () => {
    const before = { accounts: [ACCOUNT], ...withTool({}) };
    const other = { ...TOOL, id: 'send', account: 'google' };
    const after = { accounts: [ACCOUNT], contributes: { tools: [TOOL, other] } };
    expect(toldOf(before, after)).toEqual(['Tool acts with an account | send | with google, a new tool']);
  });

  it('is told exactly when the difference widens', () => {
    const parts = fc.record({
      grants: fc.subarray(['storage', 'files:receive', 'files:return'] as const),
      remote: fc.record({
        mcpUrl: fc.constantFrom('https://a.example/', 'https://b.example/'),
        domains: fc.subarray(['x.example', 'y.example']),
      }),
      accounts: fc.subarray([ACCOUNT]),
      contributes: fc.record({
        tools: fc.subarray([
          TOOL,
          { ...TOOL, id: 'send', account: 'google' },
          { ...TOOL, id: 'drop', confirm: { title: 'Sure?' } },
          { ...TOOL, id: 'take', files: { photo: { maxBytes: 9 } } },
        ]),
      }),
    }) as fc.Arbitrary<Partial<Manifest>>;
    fc.assert(
      fc.property(parts, parts, (before, after) => {
        const { diff, next, base } = compared(before, after);
        expect(wider(diff, next, base).length > 0).toBe(diff.widens);
      }),
    );
  });

  it('names what cannot be seen in what an app says', () => {
    const told = toldOf(
      { accounts: [ACCOUNT] },
      { accounts: [{ ...ACCOUNT, scopes: ['read', 'a\u202eb'] }] },
    );
    expect(told).toEqual(['Scope of an account | a⟨U+202E⟩b | of the account google']);
  });
});

describe('what it no longer reaches, and all of it', () => {
  it('is told beside what stays', () => {
    const { diff, next, base } = compared({ grants: ['storage', 'files:receive'] }, { grants: ['storage'] });
    expect(narrower(diff, next, base).map(({ what }) => what)).toEqual(['files:receive']);
    const grants = reachLines(next, base).filter(({ change }) => change.kind === 'Grant');
    expect(grants.map(({ sign, change }) => [sign, change.what])).toEqual([
      ['narrower', 'files:receive'],
      ['same', 'storage'],
    ]);
  });
});
