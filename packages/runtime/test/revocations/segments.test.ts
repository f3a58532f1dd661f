import { createHash } from 'node:crypto';
import type { RevocationEntry, RevocationHead } from '@svc/contracts';
import { listHashOf } from '@svc/signing';
import { expect, it } from 'vitest';
import { createSegments } from '../../src/revocations/segments.ts';

const entry = (version: string): RevocationEntry => ({
  ...{ appId: 'com.example.notes', version },
  ...{ reason: 'It lost notes.', at: '2026-01-01T00:00:00.000Z' },
});

/** A store that serves each of these entries as a segment, and heads of some of them. */
function storeOf(versions: readonly string[]) {
  const texts = new Map(
    versions.map((version) => {
      const text = JSON.stringify([entry(version)]);
      return [createHash('sha256').update(text).digest('hex'), text] as const;
    }),
  );
  const names = [...texts.keys()];
  const headOf = (...indexes: number[]) => {
    const entries = indexes.map((index) => entry(versions[index] as string));
    const segments = indexes.map((index) => ({ sha256: names[index] as string, bytes: 100 }));
    return { segments, open: [], list: listHashOf(entries) } as unknown as RevocationHead;
  };
  const asked: string[] = [];
  const revocationSegment = async ({ sha256 }: { sha256: string }) => {
    asked.push(sha256);
    return texts.get(sha256) as string;
  };
  return { names, headOf, asked, reader: { revocationSegment } };
}

it('holds the segments of an attempt for the next one, and no others', async () => {
  const { names, headOf, asked, reader } = storeOf(['1.0.0', '1.0.1', '1.0.2']);
  const segments = createSegments(() => null, reader, { now: () => 0 });
  await segments.of(headOf(0, 1));
  const { segments: held } = await segments.of(headOf(1, 2));
  expect([...held.names]).toEqual([names[1], names[2]]);
  expect([...held.fetched.keys()]).toEqual([names[1], names[2]]);
  expect(asked).toEqual(names);
});
