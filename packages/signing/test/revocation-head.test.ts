import { createHash } from 'node:crypto';
import { RevocationEntry } from '@svc/contracts';
import { readInterop } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  entriesHashOf,
  generateSigningKeyPem,
  keyRing,
  listHashOf,
  readSigningKey,
  signRevocationHead,
  signRevocations,
  verifyRevocationHead,
  verifyRevocationList,
} from '../src/index.ts';
import type { ListHeadVector } from './support/list-head-vectors.ts';

const key = readSigningKey(generateSigningKeyPem());
const ring = keyRing([key]);
const entry = (appId: string, at = '2026-01-01T00:00:00.000Z') => ({
  appId,
  version: '1.0.0',
  reason: 'bad',
  at,
});
const list = signRevocations([entry('a.a'), entry('b.b'), entry('c.c')], '2026-02-01T00:00:00.000Z', key);
const head = signRevocationHead(
  list,
  { segments: [{ sha256: '0'.repeat(64), bytes: 20 }], open: [entry('c.c')] },
  key,
);

describe('the head of a revocation list', () => {
  it('verifies by a pinned key, and has the time and the hash of the whole list', () => {
    expect(verifyRevocationHead(head, ring)).toBe(true);
    expect([head.signedAt, head.list]).toEqual([list.signedAt, entriesHashOf(list)]);
    expect(listHashOf(list.entries.toReversed())).toBe(head.list);
  });

  it('does not verify with another field, an unknown one, another key, or as another type', () => {
    const other = keyRing([readSigningKey(generateSigningKeyPem())]);
    expect(verifyRevocationHead(head, other)).toBe(false);
    for (const change of [
      { list: '1'.repeat(64) },
      { segments: [] },
      { segments: [...head.segments, ...head.segments] },
      { open: [] },
      { signedAt: '2026-02-01T00:00:00.001Z' },
      { more: 1 },
    ]) {
      expect(verifyRevocationHead({ ...head, ...change }, ring)).toBe(false);
    }
    for (const value of [null, undefined, 1, 'x', [], {}])
      expect(verifyRevocationHead(value, ring)).toBe(false);
  });

  it('is no whole list, and a whole list is no head', () => {
    expect(verifyRevocationHead(list, ring)).toBe(false);
    expect(verifyRevocationList(head, ring)).toBe(false);
    const { signature } = head;
    expect(verifyRevocationList({ entries: head.open, signedAt: head.signedAt, signature }, ring)).toBe(
      false,
    );
  });
});

describe('the interop vectors', () => {
  const vectors = readInterop('revocations', 'heads.json') as ListHeadVector[];

  /** The entries of a vector by the package: null when it refuses them. */
  function entriesOf({ head: given, segments, keys }: ListHeadVector): RevocationEntry[] | null {
    if (!verifyRevocationHead(given, keyRing(keys.slice(-1)))) return null;
    const bodies = given.segments.map(({ sha256 }) => Buffer.from(segments[sha256] ?? ''));
    const isNamed = given.segments.every(({ sha256, bytes }, index) => {
      const body = bodies[index] as Buffer;
      return body.byteLength <= bytes && createHash('sha256').update(body).digest('hex') === sha256;
    });
    if (!isNamed) return null;
    const parts = bodies.map((body) => z.array(RevocationEntry).safeParse(JSON.parse(body.toString())));
    if (!parts.every(({ success }) => success)) return null;
    const entries = [...parts.flatMap(({ data }) => data ?? []), ...given.open];
    return listHashOf(entries) === given.list ? entries : null;
  }

  it.each(vectors.map((vector) => [vector.name, vector] as const))('%s', (name, vector) => {
    const entries = entriesOf(vector);
    expect(entries === null ? 'refuse' : 'accept').toBe(vector.verdict);
    expect(entries?.map(({ appId, version }) => `${appId}@${version}`).sort()).toEqual(vector.yanked);
    expect(name.startsWith(vector.verdict)).toBe(true);
  });
});
