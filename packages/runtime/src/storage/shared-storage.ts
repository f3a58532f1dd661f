import { join } from 'node:path';
import { createAppStorage } from '../files/app-storage.ts';
import type { Alone } from '../platform/process-lock.ts';
import type { System } from '../platform/system.ts';
import { storageProgram } from '../programs/own-program.ts';
import type { VaultPlace } from '../vault/vault.ts';
import { LIBRARY, openSharedLibrary } from './shared-library.ts';
import type { OpenStorage } from './storage.ts';
import { type StoreThread, startStoreThread } from './store-thread.ts';

/** The set with the encrypted vault, and the name of its record. */
const VAULT = 'vault';

/** Begins the names of the files of apps. */
const FILES = 'file/';

/** Interval of retries for a lock, in milliseconds: random within these bounds, so that two processes do not stay in step. */
const WAIT_MS = { minMs: 20, jitterMs: 60 };

/** Locks of a store: between the processes, and between the calls of this one. */
function sharedLocks(system: Pick<System, 'sleep' | 'randomBytes'>, thread: StoreThread): Alone {
  const queues = new Map<string, Promise<unknown>>();

  async function locked<T>(name: string, work: () => Promise<T>): Promise<T> {
    while (!(await thread.call('tryLock', name))) {
      const [chance = 0] = system.randomBytes(1);
      await system.sleep(WAIT_MS.minMs + (WAIT_MS.jitterMs * chance) / 255);
    }
    try {
      return await work();
    } finally {
      // A store that is away has released the lock.
      await thread.call('unlock', name).catch(() => undefined);
    }
  }

  return (name, work) => {
    const turn = (queues.get(name) ?? Promise.resolve()).then(
      () => locked(name, work),
      () => locked(name, work),
    );
    queues.set(name, turn);
    const over = () => {
      if (queues.get(name) === turn) queues.delete(name);
    };
    turn.then(over, over);
    return turn;
  };
}

/** The vault as a record of a store. A write replaces only what was read: a lock that was lost loses no secret of another process. */
function sharedVault(thread: StoreThread, alone: Alone): VaultPlace {
  let last: { version: number; bytes: Buffer | null } = { version: 0, bytes: null };

  async function read(): Promise<Buffer | null> {
    const now = await thread.call('read', VAULT, last.version);
    const [record] = now.records;
    if (now.version > last.version)
      last = { version: now.version, bytes: record ? Buffer.from(record.content) : last.bytes };
    return last.bytes;
  }

  return {
    read,
    alone: (work) =>
      alone(VAULT, async () => {
        await read();
        const { version } = last;
        return work(async (bytes) => {
          const change = { records: [{ name: VAULT, content: bytes }], removed: [] };
          if (!(await thread.call('commit', VAULT, version, change)))
            throw new Error('Another process has changed the vault.');
        });
      }),
  };
}

/**
 * The storage of a runtime in a database that several processes and machines share.
 * @param store the module that opens it (see `OpenSharedStore`): an absolute URL, or the name of a file among the runtime's programs
 */
export const sharedStorage =
  (store: { module: URL | 'postgres-store'; options: unknown }): OpenStorage =>
  async ({ system, folder, programs }) => {
    const refreshing = { library: () => Promise.resolve() };
    const { options } = store;
    const module =
      store.module instanceof URL ? store.module.href : storageProgram(store.module, programs).url;
    const program = storageProgram('storage-thread', programs).file;
    const thread = startStoreThread(program, { module, options }, (set) => {
      // A store that cannot be read now says so at the next call.
      if (set === LIBRARY) refreshing.library().catch(() => undefined);
    });
    try {
      const { library, refresh } = await openSharedLibrary(system, folder, thread);
      refreshing.library = refresh;
      const alone = sharedLocks(system, thread);
      return {
        library,
        vault: sharedVault(thread, alone),
        files: createAppStorage(system, join(folder, 'files'), {
          put: (name, bytes) => thread.call('putBlob', FILES + name, bytes),
          get: (name) => thread.call('getBlob', FILES + name),
          list: async (prefix) => {
            const files = await thread.call('listBlobs', FILES + prefix);
            return files.map((file) => ({ ...file, name: file.name.slice(FILES.length) }));
          },
          remove: (prefix) => thread.call('removeBlobs', FILES + prefix),
        }),
        alone,
        refresh,
        async close() {
          refreshing.library = () => Promise.resolve();
          await thread.close();
          await library.close();
        },
      };
    } catch (error) {
      await thread.close();
      throw error;
    }
  };
