import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDiskBlobStore } from '../../../src/adapters/disk/disk-blob-store.ts';

async function opened() {
  const folder = await mkdtemp(join(tmpdir(), 'svc-blobs-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return {
    folder,
    blobs: await openDiskBlobStore(folder, randomUUID),
    incoming: () => readdir(join(folder, 'incoming')),
  };
}

async function* stream(...parts: string[]) {
  for (const part of parts) yield Buffer.from(part);
}

async function contentOf({ blobs }: Pick<Awaited<ReturnType<typeof opened>>, 'blobs'>, sha256: string) {
  const blob = await blobs.open(sha256);
  return blob && text(blob.stream());
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

describe('blobs on disk', () => {
  it('are kept under their hash, readable by the owner alone', async () => {
    const { folder, blobs, incoming } = await opened();
    const staged = await blobs.stage(stream('hello ', 'world'), 100);
    expect(staged).toMatchObject({ sha256: hashOf('hello world'), size: 11 });
    expect(await contentOf({ blobs }, hashOf('hello world'))).toBeNull();
    await staged?.keep();
    await staged?.discard();
    expect(await contentOf({ blobs }, hashOf('hello world'))).toBe('hello world');
    expect(await incoming()).toEqual([]);
    const file = join(folder, 'blobs', hashOf('hello world').slice(0, 2), hashOf('hello world'));
    expect((await stat(file)).mode & 0o077).toBe(0);
  });

  it('are whole however small the pieces they come in', async () => {
    const { blobs } = await opened();
    const letters = Array.from({ length: 1_000 }, (_, n) => String.fromCharCode(97 + (n % 26)));
    const staged = await blobs.stage(stream(...letters), 1_000);
    await staged?.keep();
    expect(await contentOf({ blobs }, hashOf(letters.join('')))).toBe(letters.join(''));
  });

  it('are forgotten when they are discarded, over the limit, or break off', async () => {
    const { blobs, incoming } = await opened();
    await (await blobs.stage(stream('x'), 1))?.discard();
    expect(await blobs.stage(stream('x', 'y'), 1)).toBeNull();
    async function* broken() {
      yield Buffer.from('x');
      throw new Error('gone');
    }
    await expect(blobs.stage(broken(), 100)).rejects.toThrow('gone');
    expect(await incoming()).toEqual([]);
  });

  it('are one, however often and at once they are put', async () => {
    const { blobs, incoming } = await opened();
    const hashes = await Promise.all(Array.from({ length: 10 }, () => blobs.put(Buffer.from('same'))));
    expect(new Set(hashes)).toEqual(new Set([hashOf('same')]));
    expect(await Array.fromAsync(blobs.list())).toEqual([hashOf('same')]);
    expect(await incoming()).toEqual([]);
  });

  it('are reached by nothing but a hash', async () => {
    const { blobs } = await opened();
    for (const name of [
      '../store.sqlite',
      '..',
      '',
      'A'.repeat(64),
      `${'a'.repeat(64)}/..`,
      `${'a'.repeat(63)}\0`,
    ]) {
      await expect(blobs.open(name)).rejects.toThrow('not a hash');
    }
    expect(await blobs.open('a'.repeat(64))).toBeNull();
  });

  it('can be removed', async () => {
    const { blobs } = await opened();
    const hash = await blobs.put(Buffer.from('x'));
    await blobs.remove(hash);
    await blobs.remove(hash);
    expect(await contentOf({ blobs }, hash)).toBeNull();
  });
});
