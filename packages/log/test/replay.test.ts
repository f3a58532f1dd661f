import type { LogEntry } from '@svc/contracts';
import { appendKey, generateSigningKeyPem, readSigningKey, signFacts } from '@svc/signing';
import { describe, expect, it } from 'vitest';
import { createReplay, encodeEntry, publishedEntry, readEntry, reasonHashOf } from '../src/index.ts';

const key = readSigningKey(generateSigningKeyPem());
const next = readSigningKey(generateSigningKeyPem());
const AT = '2026-01-01T00:00:00.000Z';
const LATER = '2026-02-01T00:00:00.000Z';
const FIRST = { keyId: key.keyId, publicKeyPem: key.publicKeyPem, createdAt: AT };
const added: LogEntry = { kind: 'key-added', key: FIRST };
const REF = { appId: 'com.example.notes', version: '1.0.0' };

function published(sha256 = 'a'.repeat(64), signer = key): LogEntry {
  const facts = { ...REF, sha256, publishedAt: AT, grants: [], domains: ['a.example'], accounts: [] };
  return publishedEntry(facts, signFacts(facts, signer), { publisher: 'example', by: [] });
}
const yanked: LogEntry = { kind: 'yanked', ...REF, at: LATER, reasonSha256: reasonHashOf('Why.'), by: [] };
const undone: LogEntry = { kind: 'undone', ...REF, at: LATER, by: [] };
const restored = (from: number, to: number): LogEntry => ({ kind: 'restored', at: LATER, from, to });
const retired: LogEntry = { kind: 'key-retired', keyId: key.keyId, at: LATER };
const other: LogEntry = {
  kind: 'key-added',
  key: { keyId: next.keyId, publicKeyPem: next.publicKeyPem, createdAt: LATER },
};

/** The second key of the store, signed by the first. */
function successor(): LogEntry {
  const second = appendKey([FIRST], key, next, LATER)[1];
  if (!second) throw new Error('no key');
  return { kind: 'key-added', key: second };
}

function findingsOf(...entries: (LogEntry | null)[]): string[] {
  const replay = createReplay();
  for (const entry of entries) replay.add(entry);
  return replay.findings().first.map(({ index, message }) => `${index}: ${message}`);
}

describe('a replay', () => {
  it('accepts what a store may do', () => {
    expect(findingsOf(added, published(), yanked, undone, yanked)).toEqual([]);
    expect(findingsOf(added, successor(), retired, published('b'.repeat(64), next))).toEqual([]);
    expect(findingsOf(added, published(), published())).toEqual([]);
    // What an older database lost is done again.
    expect(findingsOf(added, published(), yanked, restored(1, 3), published(), yanked)).toEqual([]);
    expect(findingsOf(added, published(), yanked, restored(2, 3), yanked)).toEqual([]);
    expect(findingsOf(added, retired, other)).toEqual([]);
  });

  it('tells what its readers should know', () => {
    const replay = createReplay();
    for (const entry of [added, published(), restored(1, 2), retired, other]) replay.add(entry);
    expect(replay.notes().map(({ index, message }) => `${index}: ${message}`)).toEqual([
      expect.stringMatching(/^2: The database was replaced by an older copy: .* from 1 to 1 /),
      expect.stringMatching(/^4: The store declared its keys lost/),
    ]);
  });

  it('keeps the first findings of a hostile log, and counts the others', () => {
    const replay = createReplay();
    for (let n = 0; n < 1_000; n += 1) replay.add(null);
    expect([replay.findings().first.length, replay.findings().total]).toEqual([100, 1_000]);
  });

  it('knows what is published by now', () => {
    const replay = createReplay();
    for (const entry of [added, published(), yanked]) replay.add(entry);
    expect(replay.stateOf(REF)).toBe('yanked');
    expect(replay.stateOf({ ...REF, version: '2.0.0' })).toBeNull();
    expect([replay.hasKey(key.keyId), replay.hasKey(next.keyId)]).toEqual([true, false]);
  });

  it.each<[string, (LogEntry | null)[], RegExp]>([
    ['a version of an unknown key', [published()], /which the log has not added/],
    ['other contents under one number', [added, published(), published('b'.repeat(64))], /other contents/],
    [
      'a forged signature',
      [added, { ...published(), signature: `${'A'.repeat(86)}==` } as LogEntry],
      /not verify/,
    ],
    [
      'facts of another version',
      [added, { ...published(), version: '2.0.0' } as LogEntry],
      /has the facts of/,
    ],
    ['a yank of nothing', [added, yanked], /never published/],
    ['a yank of a yanked version', [added, published(), yanked, yanked], /yanked while yanked/],
    ['an undone yank that was none', [added, published(), undone], /undone while published/],
    [
      'a yanked version that is published again',
      [added, published(), yanked, published()],
      /without an undone yank/,
    ],
    [
      'a key without the signature of another',
      [
        added,
        {
          kind: 'key-added',
          key: {
            ...FIRST,
            keyId: next.keyId,
            publicKeyPem: next.publicKeyPem,
            createdAt: LATER,
            successorOf: key.keyId,
          },
        },
      ],
      /not signed by/,
    ],
    ['a key of an unknown one', [successor()], /not signed by/],
    ['the same key twice', [added, retired, added], /added twice/],
    ['a second key beside one in use', [added, other], /not signed by the key before it, which is in use/],
    [
      'a key that is none',
      [{ kind: 'key-added', key: { ...FIRST, publicKeyPem: 'x' } }],
      /is not the Ed25519 key/,
    ],
    [
      'lost entries that are not those before it',
      [added, published(), restored(0, 1)],
      /do not end before it/,
    ],
    [
      'a yank again that was not lost',
      [
        added,
        published(),
        yanked,
        { kind: 'publisher-verified', publisher: 'example' },
        restored(3, 4),
        yanked,
      ],
      /yanked while yanked/,
    ],
    ['a retired key that was never added', [{ kind: 'key-retired', keyId: 'x', at: AT }], /never added/],
    [
      'a publisher that was not verified',
      [{ kind: 'publisher-unverified', publisher: 'example' }],
      /was not verified/,
    ],
    ['bytes that are no entry', [null], /not an entry/],
  ])('finds %s', (_what, entries, message) =>
    expect(findingsOf(...entries)).toEqual([expect.stringMatching(message)]),
  );
});

describe('an entry', () => {
  it('is read from its canonical bytes only', () => {
    const bytes = encodeEntry(published());
    expect(readEntry(bytes)).toEqual(published());
    const text = Buffer.from(bytes).toString();
    for (const other of [
      ` ${text}`,
      text.replace('{"appId"', '{ "appId"'),
      '{}',
      '',
      '{"kind":"yanked"}',
      '\ud800',
    ])
      expect(readEntry(Buffer.from(other))).toBeNull();
  });

  it('has the hash of facts that are too long', () => {
    const domains = Array.from(
      { length: 70 },
      (_, n) => `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(50)}.n${n}.example`,
    ).sort();
    const accounts = Array.from(
      { length: 500 },
      (_, n) => `account:${'s'.repeat(60)}${String(n).padStart(4, '0')}`,
    );
    const facts = { ...REF, sha256: 'a'.repeat(64), publishedAt: AT, grants: [], domains, accounts };
    const entry = publishedEntry(facts, signFacts(facts, key), { publisher: 'example', by: [] });
    expect(entry.facts).toBeUndefined();
    expect(entry.factsSha256).toMatch(/^[0-9a-f]{64}$/);
    expect(encodeEntry(entry).length).toBeLessThan(1_000);
    expect(readEntry(encodeEntry(entry))).toEqual(entry);
  });
});
