import { isInUse } from '../library/app-table.ts';
import {
  type Bundles,
  type LibraryStorage,
  openBundleFolder,
  sweepBundles,
} from '../library/library-storage.ts';
import { hashOf } from '../platform/json-hash.ts';
import type { System } from '../platform/system.ts';
import { openReplica } from './replica.ts';
import type { SetChange, StoredRecord } from './shared-store.ts';
import type { StoreThread } from './store-thread.ts';

/** The set of the records of a library. */
export const LIBRARY = 'library';

/** Tries of a change while others change the library at the same time: each failure is the success of another. */
const MAX_TRIES = 1_000;

/** Minimum age of unused bundles before they are removed: an install stores the bundle before its row. */
const MIN_AGE_MS = 24 * 60 * 60_000;

const BUNDLES = 'bundle/';

const nameOf = (sha256: string): string => `${BUNDLES}${sha256}/svc-app`;

/** Opens the records, and writes those of a new library or a new schema. @returns the replica, and its version */
async function openRecords(thread: StoreThread) {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const { version, records } = await thread.call('read', LIBRARY, 0);
    const replica = openReplica(records);
    if (replica.first.length === 0) return { replica, version };
    // If several processes use the store for the first time, one of them writes.
    if (await thread.call('commit', LIBRARY, version, { records: replica.first, removed: [] })) {
      replica.apply(replica.first);
      return { replica, version: version + 1 };
    }
    replica.database.close();
  }
  throw new Error('Other processes keep changing the library.');
}

/** Bundles of a store, with copies in a folder. A copy is verified on each read, as what the store has. */
function sharedBundles(
  thread: StoreThread,
  copies: ReturnType<typeof openBundleFolder>,
  removing: (name: string) => void,
): Bundles {
  return {
    keep: (bytes, sha256) => thread.call('putBlob', nameOf(sha256), bytes),
    async read(sha256) {
      const copy = await copies.read(sha256);
      if (copy) return copy;
      const bytes = await thread.call('getBlob', nameOf(sha256));
      if (!bytes || hashOf(bytes) !== sha256) return null;
      await copies.keep(bytes, sha256);
      return bytes;
    },
    has: (sha256) => thread.callNow('listBlobs', `${BUNDLES}${sha256}/`).length > 0,
    remove(sha256) {
      removing(nameOf(sha256));
      copies.remove(sha256);
    },
  };
}

/**
 * Opens a library in a shared store. Reads use a copy in memory; a change is made in it, and kept there once the store has it. Changes of
 * other processes arrive when the store says so, and with `refresh`.
 * @param folder for copies of bundles
 */
export async function openSharedLibrary(system: System, folder: string, thread: StoreThread) {
  const opened = await openRecords(thread);
  const { replica } = opened;
  const { database } = replica;
  let { version } = opened;
  let removed: string[] = [];

  function take(now: { version: number; records: StoredRecord[] }): void {
    // A change of this process may have overtaken the answer.
    if (now.version <= version) return;
    replica.apply(now.records);
    version = now.version;
  }

  const commit = (change: SetChange): boolean =>
    (change.records.length === 0 && change.removed.length === 0) ||
    thread.callNow('commit', LIBRARY, version, change);

  /** One try of a change; null when another process was faster. */
  function attempt<T>(work: () => T): { result: T } | null {
    take(thread.callNow('read', LIBRARY, version));
    removed = [];
    database.exec('begin immediate');
    try {
      const result = work();
      const change = { records: replica.changes(), removed };
      const isEmpty = change.records.length === 0 && removed.length === 0;
      if (commit(change)) {
        replica.keep(change.records);
        version += isEmpty ? 0 : 1;
        return { result };
      }
    } catch (error) {
      database.exec('rollback');
      throw error;
    }
    database.exec('rollback');
    return null;
  }

  function transact<T>(work: () => T): T {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const done = attempt(work);
      if (done) return done.result;
    }
    throw new Error('Other processes keep changing the library.');
  }

  const copies = openBundleFolder(system, `${folder}/bundles`);
  const bundles = sharedBundles(thread, copies, (name) => removed.push(name));
  const library: LibraryStorage = { database, bundles, transact, close: () => database.close() };

  await sweepBundles(copies, system.now(), (sha256) => {
    if (!isInUse(database, sha256)) copies.remove(sha256);
  });
  for (const { name, at } of await thread.call('listBlobs', BUNDLES)) {
    const [, sha256 = ''] = name.split('/');
    if (Date.parse(at) > system.now() - MIN_AGE_MS || isInUse(database, sha256)) continue;
    transact(() => {
      if (!isInUse(database, sha256)) bundles.remove(sha256);
    });
  }
  return {
    library,
    refresh: async () => take(await thread.call('read', LIBRARY, version)),
  };
}
