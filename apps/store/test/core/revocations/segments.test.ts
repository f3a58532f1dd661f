import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { RevocationEntry, RevocationHead } from '@svc/contracts';
import {
  canonicalJson,
  generateSigningKeyPem,
  listHashOf,
  readSigningKey,
  signRevocationHead,
  signRevocations,
} from '@svc/signing';
import { DEEP } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type CutList, cutList, partsOf } from '../../../src/core/revocations/segments.ts';

const key = readSigningKey(generateSigningKeyPem());
const SIGNED_AT = '2026-03-01T12:00:00.000Z';

/** Yanks of a minute each. */
const yanks = (count: number, reason = 'It lost notes.'): RevocationEntry[] =>
  Array.from({ length: count }, (_, n) => ({
    appId: `com.example.app${n % 97}`,
    version: `1.0.${n}`,
    reason,
    at: new Date(Date.parse('2020-01-01T00:00:00.000Z') + n * 60_000).toISOString(),
  }));

const entriesOf = ({ segments, open }: CutList): RevocationEntry[] => [
  ...[...segments.values()].flatMap((bytes) =>
    z.array(RevocationEntry).parse(JSON.parse(Buffer.from(bytes).toString())),
  ),
  ...open,
];

const isNew = (before: CutList, after: CutList): number[] =>
  [...after.segments].filter(([name]) => !before.segments.has(name)).map(([, bytes]) => bytes.byteLength);

const sum = (all: readonly number[]): number => all.reduce((total, one) => total + one, 0);

describe('a list in segments', () => {
  it.each([0, 1, 15, 16, 17, 5_000])('is the whole list, in a valid head, with %i entries', async (count) => {
    const list = signRevocations(yanks(count), SIGNED_AT, key);
    const parts = await cutList(list.entries);
    const head = signRevocationHead(list, partsOf(parts), key);
    expect(RevocationHead.safeParse(head).success).toBe(true);
    expect([listHashOf(entriesOf(parts)), entriesOf(parts).length]).toEqual([head.list, count]);
    for (const [name, bytes] of parts.segments)
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(name);
  });

  it.each([
    ['one a minute', yanks(2_000)],
    ['all at once', yanks(2_000).map((one) => ({ ...one, at: SIGNED_AT }))],
  ])('is cut alike whatever the order of its entries: %s', async (_when, entries) => {
    expect(partsOf(await cutList(entries.toReversed()))).toEqual(partsOf(await cutList(entries)));
  });

  async function expectSmallChanges(size: number): Promise<void> {
    const entries = yanks(size + 60);
    let [before, fetched, largest] = [await cutList(entries.slice(0, size)), 0, 0];
    for (let count = size + 1; count <= entries.length; count += 1) {
      const after = await cutList(entries.slice(0, count));
      fetched += sum(isNew(before, after));
      largest = Math.max(largest, after.segments.size + after.open.length);
      before = after;
    }
    // Each entry comes in a small segment, and again in a larger one: not the whole list with each of sixty yanks.
    expect(fetched).toBeLessThan(40_000);
    expect(largest).toBeLessThan(150);
  }

  it('has few segments and a small end, and new yanks change only that', () => expectSmallChanges(500));

  it('has few segments and a small end of thousands too', DEEP, () => expectSmallChanges(5_000));

  it('changes only the segments around an entry that is removed', async () => {
    const entries = yanks(12_000);
    const before = await cutList(entries);
    const whole = sum(partsOf(before).segments.map(({ bytes }) => bytes));
    for (const [at, share] of [
      [100, 0.6],
      [3_000, 0.9],
    ] as const)
      expect(sum(isNew(before, await cutList(entries.toSpliced(at, 1))))).toBeLessThan(whole * share);
  });

  it('has no segment of less than a quarter of the average, whose hash would end it', async () => {
    for (let count = 20; count < 1_000; count += 97) {
      const { segments } = await cutList(yanks(count));
      const sizes = [...segments.values()].map((bytes) => JSON.parse(`${Buffer.from(bytes)}`).length);
      expect(Math.min(4, ...sizes)).toBe(4);
    }
  });

  it('has segments of four times the average where no hash ends one', async () => {
    const hashOf = (entry: RevocationEntry) =>
      createHash('sha256').update(canonicalJson(entry)).digest().readUInt32BE();
    const parts = await cutList(yanks(200).filter((entry) => hashOf(entry) % 16 !== 0));
    expect(entriesOf(parts).length).toBeGreaterThan(128);
    expect([parts.segments.size, parts.open.length < 64]).toEqual([2, true]);
  });

  it('is cut while other work goes on', async () => {
    const entries = yanks(20_000);
    let [turns, isDone] = [0, false];
    const others = (async () => {
      for (; !isDone; turns += 1) await nextTurn();
    })();
    const { segments, open, hash } = await cutList(entries);
    isDone = true;
    await others;
    expect(turns).toBeGreaterThan(40);
    expect(hash).toBe(listHashOf(entriesOf({ segments, open, hash })));
  });

  it('stays within what clients accept, with the longest reasons', async () => {
    const list = signRevocations(yanks(2_000, 'x'.repeat(4_000)), SIGNED_AT, key);
    const parts = await cutList(list.entries);
    expect(RevocationHead.safeParse(signRevocationHead(list, partsOf(parts), key)).success).toBe(true);
    expect(entriesOf(parts)).toHaveLength(2_000);
  });
});
