import { Manifest, type PermissionDiff } from '@svc/contracts';
import { readInterop, sampleManifest } from '@svc/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asksAgain, footprintOf, permissionDiff } from '../src/index.ts';
import type { Pictures } from './support/diff-parts.ts';
import type { DiffVector } from './support/interop-vectors.ts';

const account = {
  id: 'mail',
  label: 'Mail',
  authorizeUrl: 'https://auth.example.com/a',
  tokenUrl: 'https://auth.example.com/t',
  clientId: 'c',
  scopes: ['read'],
};
const tool = {
  id: 'send',
  name: 'Send',
  description: 'Sends.',
  account: 'mail',
  confirm: { title: 'Send?' },
};
const base = sampleManifest({
  accounts: [account],
  contributes: { tools: [{ ...tool, files: { body: { maxBytes: 100 } } }] },
  requires: { apps: [{ id: 'media', reason: 'r' }] },
});

const diff = (next: Manifest, from: Manifest = base): PermissionDiff =>
  permissionDiff({ version: from.version, footprint: footprintOf(from) }, footprintOf(next));

const withTool = (change: object): Manifest => ({
  ...base,
  contributes: { tools: [{ ...tool, files: { body: { maxBytes: 100 } }, ...change }] },
});
const withAccount = (change: object): Manifest => ({ ...base, accounts: [{ ...account, ...change }] });

/** Changes that an attacker may hide in an update, and the diff that must show them. */
const WIDENING: [string, Manifest, Partial<PermissionDiff>][] = [
  ['a grant', { ...base, grants: ['files:receive', 'project:write'] }, { grantsAdded: ['project:write'] }],
  [
    'a domain',
    { ...base, remote: { ...base.remote, domains: ['api.example.com', 'evil.example'] } },
    { domainsAdded: ['evil.example'] },
  ],
  [
    'a wildcard over a listed domain',
    { ...base, remote: { ...base.remote, domains: ['*.example.com'] } },
    { domainsAdded: ['*.example.com'] },
  ],
  ['a scope', withAccount({ scopes: ['read', 'send'] }), { accountsAdded: ['mail:send'] }],
  [
    'an account',
    { ...base, accounts: [account, { ...account, id: 'drive' }] },
    { accountsAdded: ['drive', 'drive:read'] },
  ],
  [
    'a file argument',
    withTool({ files: { body: { maxBytes: 100 }, extra: {} } }),
    { fileParamsAdded: ['send.extra'] },
  ],
  [
    'a required app',
    {
      ...base,
      requires: {
        apps: [
          { id: 'media', reason: 'r' },
          { id: 'a.b', reason: 'r' },
        ],
      },
    },
    { requiresAdded: ['a.b'] },
  ],
  [
    'a connector',
    { ...base, requires: { ...base.requires, connectors: [{ url: 'https://c.example/', reason: 'r' }] } },
    { requiresAdded: ['https://c.example/'] },
  ],
  ['a removed confirm card', withTool({ confirm: undefined }), { confirmRemoved: ['send'] }],
  [
    'another token endpoint',
    withAccount({ tokenUrl: 'https://evil.example/t' }),
    { authEndpointsChanged: ['mail'] },
  ],
  ['another client id', withAccount({ clientId: 'other' }), { authEndpointsChanged: ['mail'] }],
  [
    'a revocation endpoint',
    withAccount({ revokeUrl: 'https://evil.example/r' }),
    { authEndpointsChanged: ['mail'] },
  ],
  ['endpoints by discovery', withAccount({ auth: 'mcp' }), { authEndpointsChanged: ['mail'] }],
  [
    'another MCP path on the same host',
    { ...base, remote: { ...base.remote, mcpUrl: 'https://mcp.example.com/other' } },
    { mcpUrlChanged: true },
  ],
  ['a larger file', withTool({ files: { body: { maxBytes: 101 } } }), { fileLimitsRaised: ['send.body'] }],
  ['a file limit dropped', withTool({ files: { body: {} } }), { fileLimitsRaised: ['send.body'] }],
  [
    'many files instead of one',
    withTool({ files: { body: { maxBytes: 100, multiple: true } } }),
    { fileLimitsRaised: ['send.body'] },
  ],
  [
    'a new tool with an account',
    { ...base, contributes: { tools: [...(base.contributes.tools ?? []), { ...tool, id: 'other' }] } },
    { toolsAdded: ['other'] },
  ],
];

describe('permissionDiff', () => {
  it.each(WIDENING)('widens by %s', (_name, next, shown) => {
    expect(diff(next)).toMatchObject({ ...shown, widens: true, baseVersion: '1.0.0' });
  });

  it('widens when a tool starts to carry an account', () => {
    const without = withTool({ account: undefined });
    expect(diff(base, without)).toMatchObject({ toolAccountsChanged: ['send'], widens: true });
  });

  it.each(WIDENING.filter(([name]) => !/endpoint|client id|discovery|MCP|wildcard/.test(name)))(
    'does not widen by the reverse of %s',
    (_name, next) => {
      expect(diff(base, next).widens).toBe(false);
    },
  );

  it('shows the permissions that an update removes', () => {
    const less = sampleManifest({ contributes: {}, grants: [], remote: { ...base.remote, domains: [] } });
    expect(diff(less)).toMatchObject({
      grantsRemoved: ['files:receive'],
      domainsRemoved: ['api.example.com'],
      accountsRemoved: ['mail', 'mail:read'],
      fileParamsRemoved: ['send.body'],
      requiresRemoved: ['media'],
      toolsRemoved: ['send'],
      widens: false,
    });
  });

  it('lists a tool with another description, and does not widen', () => {
    expect(diff(withTool({ description: 'Sends a letter.' }))).toMatchObject({
      toolsChanged: ['send'],
      widens: false,
      changes: [{ kind: 'instructions', before: 'Sends.', after: 'Sends a letter.' }],
    });
  });

  it('compares the first version with no permissions', () => {
    expect(permissionDiff(null, footprintOf(base))).toMatchObject({
      baseVersion: null,
      grantsAdded: ['files:receive'],
      mcpUrlChanged: false,
      widens: true,
    });
  });

  it('finds no difference between a footprint and itself', () => {
    const grants = fc.subarray(['storage', 'files:receive', 'host:media'] as const);
    const domains = fc.uniqueArray(fc.domain());
    fc.assert(
      fc.property(grants, domains, (granted, hosts) => {
        const manifest = { ...base, grants: [...granted], remote: { ...base.remote, domains: hosts } };
        const { baseVersion, mcpUrlChanged, widens, ...lists } = diff(manifest, manifest);
        expect(widens || mcpUrlChanged || Object.values(lists).flat().length > 0).toBe(false);
      }),
    );
  });
});

describe('the interop vectors', () => {
  const vectors = readInterop('permissions') as DiffVector[];

  /** Fields that always widen. Tools that carry an account also widen; the vectors mark those by hand. */
  const ALWAYS = [
    ...['grantsAdded', 'domainsAdded', 'accountsAdded', 'fileParamsAdded', 'requiresAdded'],
    ...['confirmRemoved', 'authEndpointsChanged', 'fileLimitsRaised', 'mcpUrlChanged'],
  ];

  it.each(vectors.map((vector) => [vector.name, vector] as const))('%s', (_name, vector) => {
    const { before, after, pictures, facts, diff, widensBy } = vector;
    const hashesOf = (files: Pictures) => (path: string) => files[path] ?? null;
    const next = footprintOf(Manifest.parse(after), hashesOf(pictures.after));
    const { grants, domains, accounts } = next;
    expect({ grants, domains, accounts }).toEqual(facts);
    const base = before && {
      version: before.version,
      footprint: footprintOf(Manifest.parse(before), hashesOf(pictures.before)),
    };
    expect(permissionDiff(base, next)).toEqual(diff);
    const there = Object.entries(diff).filter(([, value]) => value === true || Object(value).length > 0);
    const names = there.map(([name]) => name).filter((name) => ALWAYS.includes(name));
    expect(widensBy.filter((name) => ALWAYS.includes(name)).sort()).toEqual(names.sort());
  });
});

it.each<[string, Manifest, { quiet: boolean; careful: boolean }]>([
  ['the same', base, { quiet: false, careful: false }],
  ['a new scope', withAccount({ scopes: ['read', 'send'] }), { quiet: true, careful: true }],
  ['a scope less', withAccount({ scopes: [] }), { quiet: false, careful: false }],
  ['another name of the app', { ...base, name: 'Letters' }, { quiet: true, careful: true }],
  ['other words of a tool', withTool({ description: 'Sends it.' }), { quiet: false, careful: true }],
  ['a tool less', { ...base, contributes: { tools: [] } }, { quiet: false, careful: false }],
])('an update with %s asks again as %o', (_what, next, { quiet, careful }) => {
  expect(asksAgain(diff(next))).toBe(quiet);
  expect(asksAgain(diff(next), { instructions: true })).toBe(careful);
});
