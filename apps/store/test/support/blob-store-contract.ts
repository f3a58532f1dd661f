import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEEP } from '@svc/testkit';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { BlobStore, StagedBlob } from '../../src/platform/blob-store.ts';
import { collectGarbage } from '../../src/platform/collect-garbage.ts';

/** An empty blob store. */
export type EmptyBlobStore = {
  blobs: BlobStore;
  /** The names of the files that are being uploaded. */
  incoming(): Promise<string[]>;
};

const MIB = 1024 * 1024;
const LARGEST = 25 * MIB;
const PIECE = 64 * 1024;
/** Maximum memory while handling the largest bundle, in bytes: buffers in transit, of which there are more on a busy machine. */
export const MAX_HELD = 16 * MIB;

export const hashOf = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex');

export async function* pieces(...parts: string[]) {
  for (const part of parts) yield Buffer.from(part);
}

export async function contentOf(blobs: BlobStore, sha256: string): Promise<string | null> {
  const blob = await blobs.open(sha256);
  return blob && text(blob.stream());
}

async function stageOrFail(blobs: BlobStore, source: AsyncIterable<Uint8Array>): Promise<StagedBlob> {
  const staged = await blobs.stage(source, LARGEST);
  if (!staged) throw new Error('The stream was taken for too long.');
  return staged;
}

/** A stream as long as the largest bundle, of different chunks that are generated one at a time. */
export async function* largest(): AsyncGenerator<Uint8Array> {
  for (let n = 0; n < LARGEST / PIECE; n += 1) {
    const piece = Buffer.alloc(PIECE, n);
    piece.writeUInt32BE(n);
    yield piece;
  }
}

async function digestOf(source: AsyncIterable<Uint8Array>): Promise<{ sha256: string; size: number }> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const piece of source) {
    hash.update(piece);
    size += piece.byteLength;
  }
  return { sha256: hash.digest('hex'), size };
}

function usedBytes(): number {
  // The second collection waits for the memory that the first one found unreachable.
  collectGarbage('major');
  collectGarbage('major');
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Memory in use after the buffers of earlier work have been freed, which happens some time after their collection. */
async function settledBytes(): Promise<number> {
  for (let times = 0; times < 3; times += 1) {
    collectGarbage('major');
    await sleep(50);
  }
  return usedBytes();
}

/** Peak memory that some work adds. */
export async function mostHeldBy(work: () => Promise<unknown>): Promise<number> {
  const before = await settledBytes();
  let peak = 0;
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    const began = performance.now();
    peak = Math.max(peak, usedBytes() - before);
    // Measuring is slow on a busy machine: it takes at most a tenth of the time.
    timer = setTimeout(look, Math.max(100, 9 * (performance.now() - began)));
  };
  timer = setTimeout(look, 100);
  try {
    await work();
    look();
  } finally {
    clearTimeout(timer);
  }
  return peak;
}

/** The contract of every blob store. */
export function describeBlobStore(opened: () => Promise<EmptyBlobStore>): void {
  it('stores bytes under their hash, invisible until they are kept', async () => {
    const { blobs, incoming } = await opened();
    const staged = await stageOrFail(blobs, pieces('hello ', 'world'));
    const sha256 = hashOf('hello world');
    expect(staged).toMatchObject({ sha256, size: 11 });
    expect(await contentOf(blobs, sha256)).toBeNull();
    await staged.keep();
    await staged.discard();
    expect((await blobs.open(sha256))?.size).toBe(11);
    expect(await contentOf(blobs, sha256)).toBe('hello world');
    expect(await incoming()).toEqual([]);
  });

  it('stores the same bytes for any chunk sizes', async () => {
    const { blobs } = await opened();
    const content = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(content, async (parts) => {
        const whole = Buffer.concat(parts);
        async function* source() {
          yield* parts;
        }
        const staged = await stageOrFail(blobs, source());
        await staged.keep();
        await staged.discard();
        const blob = await blobs.open(staged.sha256);
        expect(blob?.size).toBe(whole.byteLength);
        expect(await digestOf(blob?.stream() ?? source())).toEqual({
          sha256: hashOf(whole),
          size: whole.byteLength,
        });
      }),
      { numRuns: 25 },
    );
  });

  it('returns any range of a blob', async () => {
    const { blobs } = await opened();
    const content = Buffer.from(Array.from({ length: 1_000 }, (_, n) => n));
    const blob = await blobs.open(await blobs.put(content));
    for (const [offset, length] of [
      [0, 1],
      [0, 1_000],
      [1, 998],
      [256, 256],
      [999, 1],
    ] as const) {
      const part = await digestOf(blob?.stream({ offset, length }) ?? pieces());
      expect(part).toEqual({ sha256: hashOf(content.subarray(offset, offset + length)), size: length });
    }
  });

  it('removes an upload that is discarded, exceeds the limit, or is aborted', async () => {
    const { blobs, incoming } = await opened();
    await (await blobs.stage(pieces('x'), 1))?.discard();
    expect(await blobs.stage(pieces('x', 'y'), 1)).toBeNull();
    async function* broken() {
      yield Buffer.from('x');
      throw new Error('gone');
    }
    await expect(blobs.stage(broken(), 100)).rejects.toThrow('gone');
    expect(await incoming()).toEqual([]);
    expect(await Array.fromAsync(blobs.list())).toEqual([]);
  });

  it('stores the same bytes once, also from concurrent uploads', async () => {
    const { blobs, incoming } = await opened();
    const stageSame = async () => {
      const staged = await stageOrFail(blobs, pieces('same'));
      await staged.keep();
      await staged.discard();
      return staged.sha256;
    };
    const puts = Array.from({ length: 10 }, () => blobs.put(Buffer.from('same')));
    const hashes = await Promise.all([...puts, stageSame(), stageSame()]);
    expect(new Set(hashes)).toEqual(new Set([hashOf('same')]));
    expect(await Array.fromAsync(blobs.list())).toEqual([hashOf('same')]);
    expect(await contentOf(blobs, hashOf('same'))).toBe('same');
    expect(await incoming()).toEqual([]);
  });

  it('lists all blobs, and removes any of them', async () => {
    const { blobs } = await opened();
    const contents = Array.from({ length: 10 }, (_, n) => `content ${n}`);
    await Promise.all(contents.map((content) => blobs.put(Buffer.from(content))));
    expect((await Array.fromAsync(blobs.list())).sort()).toEqual(contents.map(hashOf).sort());
    await blobs.remove(hashOf('content 0'));
    await blobs.remove(hashOf('content 0'));
    expect(await contentOf(blobs, hashOf('content 0'))).toBeNull();
    expect((await Array.fromAsync(blobs.list())).sort()).toEqual(contents.slice(1).map(hashOf).sort());
  });

  it('reports when a blob was last stored, also after it is stored again', async () => {
    const { blobs } = await opened();
    const before = Date.now();
    const sha256 = await blobs.put(Buffer.from('twice'));
    const keptAt = async () => (await blobs.open(sha256))?.keptAt.getTime() ?? Number.NaN;
    const first = await keptAt();
    // S3 reports times in whole seconds.
    expect(first).toBeGreaterThan(before - 1_001);
    expect(first).toBeLessThan(Date.now() + 1_001);
    await sleep(1_100);
    await blobs.put(Buffer.from('twice'));
    const second = await keptAt();
    expect(second).toBeGreaterThan(first);
    await sleep(1_100);
    const staged = await stageOrFail(blobs, pieces('twice'));
    await staged.keep();
    await staged.discard();
    expect(await keptAt()).toBeGreaterThan(second);
  });

  it('removes unfinished uploads of a dead process, but no upload in progress', async () => {
    const { blobs, incoming } = await opened();
    await stageOrFail(blobs, pieces('left behind'));
    await sleep(20);
    const between = new Date();
    await sleep(20);
    const alive = await stageOrFail(blobs, pieces('still here'));
    await blobs.sweepStaged(between);
    expect(await incoming()).toEqual([basename(alive.file)]);
    await alive.keep();
    await alive.discard();
    expect(await contentOf(blobs, alive.sha256)).toBe('still here');
  });

  it('stores the name of its owner outside of the blobs', async () => {
    const { blobs } = await opened();
    expect(await blobs.owner()).toBeNull();
    await blobs.claim('a store');
    await blobs.claim('another store');
    expect(await blobs.owner()).toBe('another store');
    expect(await Array.fromAsync(blobs.list())).toEqual([]);
  });

  it('accepts only hashes as names', async () => {
    const { blobs } = await opened();
    for (const name of [
      '../store.sqlite',
      '..',
      '',
      'A'.repeat(64),
      `${'a'.repeat(64)}/..`,
      `${'a'.repeat(63)}\0`,
      `${'a'.repeat(64)}\n`,
    ]) {
      await expect(blobs.open(name)).rejects.toThrow('not a hash');
      await expect((async () => blobs.remove(name))()).rejects.toThrow('not a hash');
    }
    expect(await blobs.open('a'.repeat(64))).toBeNull();
  });

  it('stores and returns the largest bundle without buffering it in memory', DEEP, async () => {
    const { blobs } = await opened();
    const expected = await digestOf(largest());
    let read: unknown;
    const most = await mostHeldBy(async () => {
      const staged = await stageOrFail(blobs, largest());
      await staged.keep();
      await staged.discard();
      const blob = await blobs.open(expected.sha256);
      read = blob && (await digestOf(blob.stream()));
    });
    expect(read).toEqual(expected);
    expect(most).toBeLessThan(MAX_HELD);
  });

  it('does not read ahead of a slow reader', async () => {
    const { blobs } = await opened();
    const staged = await stageOrFail(blobs, largest());
    await staged.keep();
    await staged.discard();
    const blob = await blobs.open(staged.sha256);
    let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
    const most = await mostHeldBy(async () => {
      reader = blob?.stream().getReader();
      expect((await reader?.read())?.done).toBe(false);
      await sleep(500);
    });
    await reader?.cancel();
    expect(most).toBeLessThan(MAX_HELD);
  });
}
