import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createStores, createUnitOfWork } from '../../../src/adapters/database/stores.ts';
import { openDiskBlobStore } from '../../../src/adapters/disk/disk-blob-store.ts';
import { assertBlobsPresent } from '../../../src/core/publishing/submit-version.ts';
import { sweepOrphans } from '../../../src/core/publishing/sweep-orphans.ts';
import { openDatabase } from '../../support/database.ts';
import { openTestStore } from '../../support/test-store.ts';

const HOUR_MS = 60 * 60 * 1000;
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

/** A blob store and its ledger, with a clock some hours ahead. */
async function opened(hoursFromNow = 25) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-sweep-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const db = await openDatabase();
  return {
    blobs: await openDiskBlobStore(folder, randomUUID),
    blobLedger: createStores(db).blobLedger,
    unitOfWork: createUnitOfWork(db),
    clock: () => new Date(Date.now() + hoursFromNow * HOUR_MS),
    newId: randomUUID,
    log: { info: vi.fn(), warn: vi.fn(), error: vi.fn() },
  };
}

type Deps = Awaited<ReturnType<typeof opened>>;

const put = (deps: Deps, text: string) => deps.blobs.put(Buffer.from(text));
const kept = async (deps: Deps) => (await Array.fromAsync(deps.blobs.list())).sort();

/** Stores a blob that is in use, so that the blob store belongs to this database. */
async function used(deps: Deps, text: string) {
  const sha256 = await put(deps, text);
  await deps.blobLedger.use([sha256]);
  return sha256;
}

describe('sweepOrphans', () => {
  it('deletes only blobs to which no version refers', async () => {
    const deps = await opened();
    const wanted = [await used(deps, 'one'), await used(deps, 'two')].sort();
    for (let n = 0; n < 250; n += 1) await put(deps, `left behind ${n}`);
    expect(await sweepOrphans(deps)).toBe(250);
    expect(await kept(deps)).toEqual(wanted);
    expect(await sweepOrphans(deps)).toBe(0);
    expect(deps.log.info).toHaveBeenCalledExactlyOnceWith({ removed: 250 }, expect.any(String));
  });

  it('blocks other writers for twenty blobs at a time', async () => {
    const deps = await opened();
    await used(deps, 'one');
    for (let n = 0; n < 45; n += 1) await put(deps, `left behind ${n}`);
    const removed: number[] = [];
    const remove = async (sha256: string) => {
      removed.push(Number(removed.pop()) + 1);
      await deps.blobs.remove(sha256);
    };
    const unitOfWork: Deps['unitOfWork'] = (work) => {
      removed.push(0);
      return deps.unitOfWork(work);
    };
    expect(await sweepOrphans({ ...deps, unitOfWork, blobs: { ...deps.blobs, remove } })).toBe(45);
    const sizes = removed.filter((count) => count > 0);
    expect([sizes.length, Math.max(...sizes)]).toEqual([3, 20]);
  });

  it('keeps the bundle and the pictures of every uploaded version', async () => {
    const store = await openTestStore();
    await store.publish(await store.publisherToken());
    const files = await store.filesUnder('blobs');
    const hashes = files.flatMap((file) => /[0-9a-f]{64}$/.exec(file)?.[0] ?? []);
    expect(hashes.length).toBeGreaterThan(1);
    expect(await store.stores.blobLedger.unused(hashes)).toEqual([]);
  });

  it('keeps blobs of the last day by default', async () => {
    const deps = await opened(23);
    await used(deps, 'one');
    const young = await put(deps, 'young');
    expect(await sweepOrphans(deps)).toBe(0);
    expect(await deps.blobLedger.doomed([young])).toEqual([]);
    expect(await sweepOrphans(deps, { graceMs: HOUR_MS })).toBe(1);
  });

  it('sweeps unfinished uploads that are older than an hour', async () => {
    const deps = await opened(2);
    await deps.blobs.stage(
      (async function* () {
        yield Buffer.from('half');
      })(),
      100,
    );
    const sweepStaged = vi.spyOn(deps.blobs, 'sweepStaged');
    await sweepOrphans(deps);
    const since = deps.clock().getTime() - Number(sweepStaged.mock.calls[0]?.[0].getTime());
    expect(Math.round(since / HOUR_MS)).toBe(1);
  });

  it('deletes no blobs of another store', async () => {
    const deps = await opened();
    await put(deps, 'published by a store with another database');
    expect(await sweepOrphans(deps)).toBe(0);
    await deps.blobs.claim('another store');
    await used(deps, 'ours, in the same place');
    expect(await sweepOrphans(deps)).toBe(0);
    expect(await kept(deps)).toHaveLength(2);
    expect(deps.log.warn).toHaveBeenCalledTimes(2);
  });

  it('stops when it is aborted', async () => {
    const deps = await opened();
    await used(deps, 'one');
    await put(deps, 'left behind');
    await expect(sweepOrphans(deps, { signal: AbortSignal.abort() })).rejects.toThrow('aborted');
    expect(await kept(deps)).toHaveLength(2);
  });

  it('keeps a blob to which an upload refers before it is deleted', async () => {
    const deps = await opened();
    await used(deps, 'one');
    const sha256 = await put(deps, 'about to be published');
    let transactions = 0;
    const racing: Deps = {
      ...deps,
      unitOfWork: (work) =>
        deps.unitOfWork(async (stores) => {
          transactions += 1;
          if (transactions === 3) {
            // After the blob was doomed, before it is deleted.
            expect(await stores.blobLedger.doomed([sha256])).toEqual([sha256]);
            await stores.blobLedger.use([sha256]);
          }
          return work(stores);
        }),
    };
    expect(await sweepOrphans(racing)).toBe(0);
    expect(transactions).toBe(3);
    expect(await kept(deps)).toContain(sha256);
  });
});

it('keeps a blob that is stored again before it is deleted', async () => {
  const deps = await opened();
  await used(deps, 'one');
  const sha256 = await put(deps, 'stored again');
  let transactions = 0;
  const racing: Deps = {
    ...deps,
    unitOfWork(work) {
      transactions += 1;
      return deps.unitOfWork(work);
    },
    blobs: {
      ...deps.blobs,
      async open(name) {
        const blob = await deps.blobs.open(name);
        return blob && transactions === 3 ? { ...blob, keptAt: deps.clock() } : blob;
      },
    },
  };
  expect(await sweepOrphans(racing)).toBe(0);
  expect([transactions, await kept(deps)]).toEqual([3, expect.arrayContaining([sha256])]);
});

describe('assertBlobsPresent', () => {
  it('throws for an upload whose blobs were swept after it stored them', async () => {
    const deps = await opened();
    await used(deps, 'one');
    const sha256 = await put(deps, 'kept again by an upload');
    expect(await sweepOrphans(deps)).toBe(1);
    await expect(assertBlobsPresent(deps, [hashOf('other'), sha256])).rejects.toMatchObject({
      name: 'Unavailable',
      retryAfter: 1,
    });
  });

  it('accepts an upload that stored its blobs after the sweep', async () => {
    const deps = await opened();
    await used(deps, 'one');
    await put(deps, 'kept again by an upload');
    await sweepOrphans(deps);
    await assertBlobsPresent(deps, [await put(deps, 'kept again by an upload')]);
  });
});
