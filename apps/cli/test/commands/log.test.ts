import { createPublicKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { LogEntry } from '@svc/contracts';
import {
  appendEntries,
  EMPTY_EDGE,
  encodeEntries,
  encodeEntry,
  formatCheckpoint,
  formatNote,
  formatVerifierKey,
  noteKey,
  publishedEntry,
  reasonHashOf,
  rootOfEdge,
  signNote,
  tileOf,
  tilePath,
} from '@svc/log';
import { generateSigningKeyPem, readSigningKey, signFacts } from '@svc/signing';
import { describe, expect, it } from 'vitest';
import { tempFolder, testCli } from '../support/command-context.ts';
import { fakeStore } from '../support/fake-store.ts';

const ORIGIN = 'store.example';
const AT = '2026-01-01T00:00:00.000Z';
const key = readSigningKey(generateSigningKeyPem());
const PUBLIC = { keyId: key.keyId, publicKeyPem: key.publicKeyPem };

function published(version: string, appId = 'com.example.tidy'): LogEntry {
  const facts = {
    appId,
    version,
    sha256: 'a'.repeat(64),
    publishedAt: AT,
    grants: [],
    domains: [],
    accounts: [],
  };
  return publishedEntry(facts, signFacts(facts, key), { publisher: 'example', by: ['0'.repeat(32)] });
}

const yanked = (version: string): LogEntry => ({
  kind: 'yanked',
  appId: 'com.example.tidy',
  version,
  at: AT,
  reasonSha256: reasonHashOf('Why.'),
  by: [],
});

/** A store with a log that the test changes, and a catalogue. */
async function storeWith(log: {
  entries: LogEntry[];
  bytes?: Uint8Array[];
  listed?: [string, string][];
  of?: (path: string) => Uint8Array | null;
}) {
  const json = (value: unknown) => Buffer.from(JSON.stringify(value));
  const bytesOf = () => log.bytes ?? log.entries.map(encodeEntry);
  const checkpoint = () => {
    const entries = bytesOf();
    const root = rootOfEdge(appendEntries(EMPTY_EDGE, entries).edge) ?? expect.fail('an empty log');
    const text = formatCheckpoint({ origin: ORIGIN, size: entries.length, root });
    const signer = noteKey(ORIGIN, createPublicKey(key.publicKeyPem));
    return Buffer.from(formatNote({ text, signatures: [signNote(text, signer, key.privateKey)] }));
  };
  /** The bundles of entries, by address. */
  function bundles(): Record<string, Uint8Array> {
    const entries = bytesOf();
    const of = (_: unknown, index: number) => {
      const tile = tileOf('entries', index, entries.length) ?? expect.fail('no bundle');
      return [`/${tilePath(tile)}`, encodeEntries(entries.slice(index * 256, index * 256 + tile.width))];
    };
    return Object.fromEntries(Array.from({ length: Math.ceil(entries.length / 256) }, of));
  }
  const answers = () => ({
    '/checkpoint': checkpoint(),
    '/api/apps/public-key': json(PUBLIC),
    '/api/apps/public-keys': json({ keys: [{ ...PUBLIC, createdAt: AT }] }),
    '/api/apps/catalog': json(catalogue(log.listed ?? [])),
    ...bundles(),
  });
  const answerOf = (url: string): Uint8Array | undefined =>
    log.of?.(url) ?? Object.entries(answers()).find(([path]) => path === url)?.[1];
  const { url } = await fakeStore((request, response) => {
    const body = answerOf(request.url ?? '');
    response.writeHead(body ? 200 : 404, { 'Content-Type': 'application/json' }).end(body ?? '{}');
  });
  const { run, ...rest } = await testCli();
  return { log, run: (...args: string[]) => run('log', '--store', url, ...args), ...rest };
}

const catalogue = (listed: [string, string][]) => ({
  apps: listed.map(([appId, version]) => ({
    ...{ appId, version, name: 'Tidy', tagline: 'T', description: 'D', permissions: [], categories: [] },
    publisher: { slug: 'example', name: 'Example', verified: false, website: '' },
    ...{ publishedAt: AT, iconUrl: 'https://store.test/icon', markUrl: '', accent: '', installs: 0 },
    ...{ screenshots: [], grants: [], domains: [], accounts: [], tools: [], homepage: '', support: '' },
    ...{ rating: { average: 0, count: 0 }, size: 1 },
  })),
  nextCursor: null,
  total: listed.length,
});

const added: LogEntry = { kind: 'key-added', key: { ...PUBLIC, createdAt: AT } };

describe('svc log', () => {
  it('verifies a log from its tiles, over more than one of them', async () => {
    const entries = [added, ...Array.from({ length: 300 }, (_, n) => published(`1.0.${n}`))];
    const { run } = await storeWith({ entries, listed: [['com.example.tidy', '1.0.299']] });
    const { code, out } = await run();
    expect([code, out]).toEqual([0, expect.stringContaining('a log of size 301')]);
    expect(JSON.parse((await run('--json')).out)).toEqual({
      ...{ size: 301, verified: true },
      key: formatVerifierKey(noteKey(ORIGIN, createPublicKey(key.publicKeyPem))),
    });
  });

  it('shows each entry about an app', async () => {
    const entries = [added, published('1.0.0'), published('1.0.0', 'com.example.other'), yanked('1.0.0')];
    const { run } = await storeWith({ entries });
    const { out } = await run('--about', 'com.example.tidy');
    expect(out.split('\n').slice(0, -3)).toEqual([
      `0  key-added  ${key.keyId}`,
      `1  published  com.example.tidy 1.0.0  by ${'0'.repeat(32)}`,
      '3  yanked  com.example.tidy 1.0.0',
    ]);
    expect(out).not.toContain('other');
  });

  it('shows only what is newer than a saved checkpoint, and exits with 3 for it', async () => {
    const file = path.join(await tempFolder(), 'store.checkpoint');
    const { log, run } = await storeWith({ entries: [added, published('1.0.0')] });
    const watch = () => run('--about', 'example', '--checkpoint', file, '--exit-code');
    expect((await watch()).code).toBe(3);
    expect((await watch()).code).toBe(0);
    log.entries = [...log.entries, published('1.0.1')];
    const { code, out } = await watch();
    expect([code, out.split('\n')[0]]).toEqual([
      3,
      `2  published  com.example.tidy 1.0.1  by ${'0'.repeat(32)}`,
    ]);
  });

  it('waits for the log where the catalogue is ahead of it', async () => {
    const { log, run } = await storeWith({ entries: [added] });
    log.listed = [['com.example.tidy', '1.0.0']];
    log.of = (url) => {
      if (url.startsWith('/api/apps/catalog') && log.entries.length === 1)
        setImmediate(() => log.entries.push(published('1.0.0')));
      return null;
    };
    expect((await run()).code).toBe(0);
  });

  it('says that the database was replaced by an older copy', async () => {
    const entries = [added, published('1.0.0'), yanked('1.0.0')];
    const restored: LogEntry = { kind: 'restored', at: AT, from: 2, to: 3 };
    const { run } = await storeWith({ entries: [...entries, restored, yanked('1.0.0')] });
    const { code, err } = await run();
    expect([code, err]).toEqual([0, expect.stringContaining('note: entry 3: The database was replaced')]);
  });

  it.each<[string, Partial<Parameters<typeof storeWith>[0]>, string]>([
    [
      'a yanked version that is still listed',
      { entries: [added, published('1.0.0'), yanked('1.0.0')], listed: [['com.example.tidy', '1.0.0']] },
      'is listed, and yanked in the log',
    ],
    [
      'a listed version that is not in it',
      { entries: [added], listed: [['com.example.tidy', '1.0.0']] },
      'is listed, and not published in the log',
    ],
    [
      'a yank that was not possible',
      { entries: [added, yanked('1.0.0')] },
      'entry 1: com.example.tidy@1.0.0 was yanked, and never published.',
    ],
    [
      'a key that you trust and the log does not have',
      { entries: [published('1.0.0')] },
      'a key that you trust',
    ],
    [
      'an entry that is none',
      { entries: [added], bytes: [encodeEntry(added), Buffer.from('{}')] },
      'entry 1: This is not an entry',
    ],
  ])('finds %s', async (_what, log, message) => {
    const { run } = await storeWith({ entries: [], ...log });
    const { code, err } = await run();
    expect([code, err]).toEqual([1, expect.stringContaining(message)]);
  });

  it.each<[string, (url: string) => Uint8Array | null, string]>([
    [
      'a changed entry',
      (url) =>
        url.startsWith('/tile/entries')
          ? encodeEntries([encodeEntry(added), encodeEntry(published('6.6.6'))])
          : null,
      'do not lead to its checkpoint',
    ],
    ['a bundle that is cut', (url) => (url.startsWith('/tile/entries') ? Buffer.from([0]) : null), 'is cut'],
    [
      'a checkpoint that is not signed',
      (url) => (url === '/checkpoint' ? Buffer.from('store.example\n0\nx\n\n') : null),
      'not signed by a key that you trust',
    ],
  ])('refuses %s', async (_what, of, message) => {
    const { run } = await storeWith({ entries: [added, published('1.0.0')], of });
    const { code, err } = await run();
    expect([code, err]).toEqual([1, expect.stringContaining(message)]);
  });

  it('compares with a saved checkpoint, and keeps it when the store shows another history', async () => {
    const folder = await tempFolder();
    const file = path.join(folder, 'store.checkpoint');
    const store = await storeWith({ entries: [added, published('1.0.0')] });
    expect((await store.run('--checkpoint', file)).code).toBe(0);
    store.log.entries = [...store.log.entries, published('1.0.1')];
    expect((await store.run('--checkpoint', file)).code).toBe(0);
    const saved = await readFile(file, 'utf8');
    expect(saved).toMatch(/^store\.example\n3\n/);
    store.log.entries = [added, published('6.6.6'), published('1.0.1'), yanked('1.0.1')];
    const forked = await store.run('--checkpoint', file);
    expect([forked.code, forked.err]).toEqual([1, expect.stringContaining('another history than before')]);
    store.log.entries = [added];
    const hidden = await store.run('--checkpoint', file);
    expect([hidden.code, hidden.err]).toEqual([1, expect.stringContaining('the store hides entries')]);
    expect(await readFile(file, 'utf8')).toBe(saved);
  });
});
