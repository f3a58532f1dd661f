import { expect, it } from 'vitest';
import { testCli } from '../support/command-context.ts';
import { answering, fakeStore } from '../support/fake-store.ts';

const VERSION = {
  version: '1.0.0',
  publishedAt: '2026-01-02T03:04:05.678Z',
  changelog: '',
  sha256: 'a'.repeat(64),
  size: 2048,
  signature: Buffer.alloc(64).toString('base64'),
  keyId: 'ed25519-0123456789abcdef',
  grants: [],
  domains: ['mcp.example.com'],
  accounts: ['list', 'list:read'],
  bundleUrl: 'https://store.test/bundle',
};

const APP = {
  appId: 'com.example.tidy',
  name: 'Tidy',
  tagline: 'Tidies things up.',
  description: 'Tidies things up.',
  categories: ['productivity'],
  publisher: { slug: 'example', name: 'Example', verified: false, website: '' },
  version: '1.0.0',
  publishedAt: '2026-01-02T03:04:05.678Z',
  iconUrl: 'https://store.test/icon',
  markUrl: '',
  accent: '',
  homepage: '',
  support: '',
  screenshots: [],
  permissions: ['Reads your list.'],
  grants: ['project:write', 'storage'],
  domains: ['mcp.example.com'],
  accounts: [{ id: 'list', label: 'List', scopes: ['read', 'write'], required: false }],
  tools: [{ id: 'tidy_up', name: 'Tidy up', description: 'Tidies up.' }],
  installs: 3,
  rating: { average: 4.25, count: 8 },
  size: 2048,
  readme: '# Tidy',
  versions: [VERSION],
};

const infoOf = async (app: unknown, ...args: string[]) => {
  const { url } = await fakeStore(answering(app));
  const { run } = await testCli();
  return run('info', 'com.example.tidy', '--store', url, ...args);
};

it('shows the facts and permissions of an app', async () => {
  const { code, out } = await infoOf(APP);
  expect(code).toBe(0);
  expect(out).toBe(
    [
      'Tidy  com.example.tidy 1.0.0',
      '  Tidies things up.',
      '  publisher   Example (example)',
      '  trust       ! Not verified; Signed; Review unknown; Uses 1 account, 1 host',
      '  published   2026-01-02T03:04:05.678Z',
      '  categories  productivity',
      '  installs    3',
      '  rating      4.3 of 5 (8)',
      '  size        2.0 KiB (2,048 bytes)',
      '  tools       Tidy up',
      '  permissions, as the publisher describes them:',
      '    Reads your list.',
      '  svc will allow:',
      '    Contacts: mcp.example.com',
      '    May: ask to save a file into the project folder',
      '    Account: list',
      '    Scope of the account: read (list), write (list)',
      '  versions:',
      `    1.0.0  2026-01-02T03:04:05.678Z  sha256 ${'a'.repeat(64)}`,
      '',
    ].join('\n'),
  );
});

it('lists the newest versions and counts the rest', async () => {
  const versions = Array.from({ length: 12 }, (_, i) => ({ ...VERSION, version: `1.0.${12 - i}` }));
  const { out } = await infoOf({ ...APP, versions });
  expect(out).toContain('    1.0.3  ');
  expect(out).not.toContain('    1.0.2  ');
  expect(out).toContain('    and 2 more\n');
});

it('prints the whole record with --json, with escaped control characters', async () => {
  const app = { ...APP, readme: 'a\u009b31mb\u202ec', later: true };
  const { code, out } = await infoOf(app, '--json');
  expect(code).toBe(0);
  expect(JSON.parse(out)).toEqual(app);
  expect(out).not.toMatch(/[^\n\P{C}]/u);
});

it('says why an app was stopped', async () => {
  const message =
    'The store suspended the app com.example.tidy on 2026-03-01. The rule: Malware. The reason: “It steals.”';
  const tombstone = { at: '2026-03-01T00:00:00.000Z', rule: null, words: 'It steals.' };
  const { url } = await fakeStore(answering({ code: 'stopped', message, requestId: 'a', tombstone }, 410));
  const { run } = await testCli();
  const { code, err } = await run('info', 'com.example.tidy', '--store', url);
  expect(code).not.toBe(0);
  expect(err).toContain(message);
});
