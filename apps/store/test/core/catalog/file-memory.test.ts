import { describe, expect, it } from 'vitest';
import { createFileMemory } from '../../../src/core/catalog/file-memory.ts';

const KIB = 1024;

/** A blob store whose hashes are the sizes of the blobs in KiB, and the hashes that were read. */
function counted() {
  const read: string[] = [];
  const open = async (sha256: string) => {
    const size = Number(sha256) * KIB;
    if (Number.isNaN(size)) return null;
    const stream = () => {
      read.push(sha256);
      return new Blob([new Uint8Array(size)]).stream();
    };
    return { size, keptAt: new Date(0), stream };
  };
  return { read, files: createFileMemory({ open }) };
}

const bytesOf = async (blob: { stream(): ReadableStream } | null) =>
  blob && (await new Response(blob.stream()).arrayBuffer()).byteLength;

describe('the memory of small files', () => {
  it('reads a file once, and serves it from memory, also in ranges', async () => {
    const { read, files } = counted();
    for (let times = 0; times < 3; times += 1) expect(await bytesOf(await files.open('10'))).toBe(10 * KIB);
    expect(read).toEqual(['10']);
    const part = (await files.open('10'))?.stream({ offset: 5, length: 7 });
    expect((await new Response(part).arrayBuffer()).byteLength).toBe(7);
    expect(await files.open('none')).toBeNull();
  });

  it('does not store a large file', async () => {
    const { read, files } = counted();
    for (let times = 0; times < 2; times += 1) await bytesOf(await files.open('300'));
    expect([read, files.size()]).toEqual([['300', '300'], 0]);
  });

  it('is limited to 32 MiB, and keeps the most recently used files', async () => {
    const { read, files } = counted();
    const names = Array.from({ length: 200 }, (_, n) => `${200 + n / 1000}`);
    await files.open('1');
    for (const name of names) {
      await files.open(name);
      await files.open('1');
    }
    expect(files.size()).toBeLessThanOrEqual(32 * KIB * KIB);
    expect(read.filter((name) => name === '1')).toHaveLength(1);
    await files.open(names[0] ?? '');
    expect(read.filter((name) => name === names[0])).toHaveLength(2);
  });

  it('does not store a generated file that is not cacheable', async () => {
    const { files } = counted();
    let made = 0;
    const make = async () => {
      made += 1;
      return new Uint8Array([made]);
    };
    for (const isCacheable of [false, false, true, true])
      await files.generated('raster', make, () => isCacheable);
    expect(made).toBe(3);
  });
});
