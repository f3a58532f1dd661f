import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDiskBlobStore } from '../../../src/adapters/disk/disk-blob-store.ts';
import { UnavailableError } from '../../../src/platform/unavailable-error.ts';
import { contentOf, describeBlobStore, hashOf } from '../../support/blob-store-contract.ts';

async function opened() {
  const folder = await mkdtemp(join(tmpdir(), 'svc-blobs-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return {
    folder,
    blobs: await openDiskBlobStore(folder, randomUUID),
    incoming: () => readdir(join(folder, 'incoming')),
  };
}

describe('a blob store on disk', () => {
  describeBlobStore(opened);

  it('makes files readable only by their owner', async () => {
    const { folder, blobs } = await opened();
    await blobs.put(Buffer.from('x'));
    const file = join(folder, 'blobs', hashOf('x').slice(0, 2), hashOf('x'));
    expect((await stat(file)).mode & 0o077).toBe(0);
  });

  it.each([
    ['a changed byte', 'y'],
    ['nothing', ''],
    ['too many bytes', 'xx'],
  ])('writes the bytes again if the existing file holds %s', async (_name, found) => {
    const { folder, blobs, incoming } = await opened();
    await blobs.put(Buffer.from('x'));
    await writeFile(join(folder, 'blobs', hashOf('x').slice(0, 2), hashOf('x')), found);
    await blobs.put(Buffer.from('x'));
    expect(await contentOf(blobs, hashOf('x'))).toBe('x');
    expect(await incoming()).toEqual([]);
  });

  it.each([
    ['in place', (file: string) => writeFile(file, 'y')],
    [
      'by another file',
      (file: string) => writeFile(`${file}.new`, 'y').then(() => rename(`${file}.new`, file)),
    ],
  ])('finds bytes that were replaced %s, before and after they were compared', async (_, replace) => {
    const { folder, blobs } = await opened();
    const sha256 = await blobs.put(Buffer.from('x'));
    const file = join(folder, 'blobs', sha256.slice(0, 2), sha256);
    const compared = async () => (await blobs.open(sha256))?.requireIntact?.();
    for (let n = 0; n < 2; n += 1) {
      await compared();
      await replace(file);
      await expect(compared()).rejects.toBeInstanceOf(UnavailableError);
      for (const part of [undefined, { offset: 0, length: 1 }]) {
        const read = new Response((await blobs.open(sha256))?.stream(part)).text();
        await expect(read).rejects.toBeInstanceOf(UnavailableError);
      }
      await writeFile(file, 'x');
      // A state that is remembered only once the file has not changed for a second.
      await new Promise((resolve) => setTimeout(resolve, 1_100));
    }
    await compared();
    expect(await contentOf(blobs, sha256)).toBe('x');
  });

  it('keeps the incoming files of other processes when it opens', async () => {
    const { folder, incoming } = await opened();
    await writeFile(join(folder, 'incoming', 'half'), 'x');
    await openDiskBlobStore(folder, randomUUID);
    expect(await incoming()).toEqual(['half']);
  });

  it('omits files that are not blobs from its list', async () => {
    const { folder, blobs } = await opened();
    const kept = await blobs.put(Buffer.from('x'));
    await writeFile(join(folder, 'blobs', kept.slice(0, 2), '.DS_Store'), 'x');
    await writeFile(join(folder, 'blobs', '.DS_Store'), 'x');
    expect(await Array.fromAsync(blobs.list())).toEqual([kept]);
  });

  it('creates the folder of a shard for its first blob, also with concurrent writes of two processes', async () => {
    const { folder, blobs } = await opened();
    const other = await openDiskBlobStore(folder, randomUUID);
    expect(await readdir(join(folder, 'blobs'))).toEqual([]);
    // 400 texts in 256 shards: most shards get their first blob here, and many get a second one.
    const texts = Array.from({ length: 400 }, (_, n) => `text ${n}`);
    const puts = texts.flatMap((text) => [blobs.put(Buffer.from(text)), other.put(Buffer.from(text))]);
    await Promise.all(puts);
    expect((await Array.fromAsync(other.list())).toSorted()).toEqual(texts.map(hashOf).toSorted());
  });

  it('does not create its own folder again when that was removed, and works once it is restored', async () => {
    const { folder, blobs } = await opened();
    await rename(join(folder, 'blobs'), join(folder, 'aside'));
    await expect(blobs.put(Buffer.from('x'))).rejects.toMatchObject({ name: 'Unavailable' });
    expect(await readdir(folder)).toEqual(expect.not.arrayContaining(['blobs']));
    await rename(join(folder, 'aside'), join(folder, 'blobs'));
    await blobs.put(Buffer.from('x'));
    expect(await contentOf(blobs, hashOf('x'))).toBe('x');
  });
});
