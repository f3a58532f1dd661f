import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDiskBlobStore } from '../../../src/adapters/disk/disk-blob-store.ts';
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

  it('lets the owner alone read', async () => {
    const { folder, blobs } = await opened();
    await blobs.put(Buffer.from('x'));
    const file = join(folder, 'blobs', hashOf('x').slice(0, 2), hashOf('x'));
    expect((await stat(file)).mode & 0o077).toBe(0);
  });

  it.each([
    ['a changed byte', 'y'],
    ['nothing', ''],
    ['more', 'xx'],
  ])('does not count on a file that holds %s: it writes the bytes again', async (_name, found) => {
    const { folder, blobs, incoming } = await opened();
    await blobs.put(Buffer.from('x'));
    await writeFile(join(folder, 'blobs', hashOf('x').slice(0, 2), hashOf('x')), found);
    await blobs.put(Buffer.from('x'));
    expect(await contentOf(blobs, hashOf('x'))).toBe('x');
    expect(await incoming()).toEqual([]);
  });

  it('leaves what another process has on its way in', async () => {
    const { folder, incoming } = await opened();
    await writeFile(join(folder, 'incoming', 'half'), 'x');
    await openDiskBlobStore(folder, randomUUID);
    expect(await incoming()).toEqual(['half']);
  });

  it('lists nothing that is no blob', async () => {
    const { folder, blobs } = await opened();
    const kept = await blobs.put(Buffer.from('x'));
    await writeFile(join(folder, 'blobs', '00', '.DS_Store'), 'x');
    expect(await Array.fromAsync(blobs.list())).toEqual([kept]);
  });
});
