import type { Dirent, Stats } from 'node:fs';
import { readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateFolder, newPrivateFile } from '@svc/bundle/private-files';
import { hashOf } from '../platform/json-hash.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import { syncFolder } from '../platform/write-durable.ts';
import { typeOfFile } from './file-type.ts';
import { nameFor } from './safe-name.ts';

/** A database with the files, of which the folder then has copies. Names begin with those of an app and a project. */
export type SharedFiles = {
  put(name: string, bytes: Uint8Array): Promise<void>;
  get(name: string): Promise<Uint8Array | null>;
  list(prefix: string): Promise<{ name: string; bytes: number; at: string }[]>;
  remove(prefix: string): Promise<void>;
};

/** Storage limits of one app in one project. */
const MAX_FILES = 2_000;
const MAX_BYTES = 1024 * 1024 * 1024;

/** A stored file that an app returned. */
export type KeptFile = {
  id: string;
  name: string;
  /** The type detected from the content; the app's own statement is ignored. */
  type: string;
  bytes: number;
  /** In hex. */
  sha256: string;
  path: string;
};

/** The metadata of a stored file, without its content. */
export type StoredFile = {
  id: string;
  name: string;
  bytes: number;
  /** ISO 8601, UTC. */
  keptAt: string;
};

type Owner = { appId: string; project: string };

/** Folder names are hashes of ids, so that no id is a path or collides with another on a case-insensitive file system. */
const folderOf = (id: string): string => hashOf(id).slice(0, 32);

/** The format of file ids. Any other text is an unknown file. */
const FILE_ID = /^[0-9a-f]{24}$/;

const unknownFile = (): RuntimeError => new RuntimeError('unknown-file');

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** The names in a folder; an empty list if it does not exist. */
const namesIn = (folder: string): Promise<string[]> =>
  readdir(folder).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });

/** The stats of a file; null if it has been removed. */
const statOf = (file: string): Promise<Stats | null> =>
  stat(file).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });

/** Ends the name of the folder of a file that is being stored. */
const PART = '.part';

/** An older part is of a process that was killed, in milliseconds. */
const PART_MS = 60 * 60_000;

/** The only file of its folder; null if it has been removed. */
async function storedIn(place: string, id: string): Promise<StoredFile | null> {
  const [name] = await namesIn(join(place, id));
  if (name === undefined) return null;
  const stats = await statOf(join(place, id, name));
  return stats && { id, name, bytes: stats.size, keptAt: stats.mtime.toISOString() };
}

/**
 * The bytes of an entry of a place; null if it has been removed, as what a killed process left of a file is here. A file that is being
 * stored moves to its final folder meanwhile.
 */
async function bytesAt(place: string, entry: Dirent, now: number): Promise<number | null> {
  const { name } = entry;
  const stats = await statOf(join(place, name));
  if (stats && name.endsWith(PART) && stats.mtimeMs < now - PART_MS) {
    await rm(join(place, name), { recursive: true, force: true });
    return null;
  }
  if (entry.isFile()) return stats?.size ?? null;
  const stored = (await storedIn(place, name)) ?? (await storedIn(place, name.replace(PART, '')));
  return stored?.bytes ?? null;
}

async function usedIn(place: string, now: number): Promise<{ files: number; bytes: number }> {
  const entries = await readdir(place, { withFileTypes: true });
  const sizes = await Promise.all(entries.map((entry) => bytesAt(place, entry, now)));
  const files = sizes.filter((bytes) => bytes !== null);
  return { files: files.length, bytes: files.reduce((sum, bytes) => sum + bytes, 0) };
}

/** Stores a file under its id: it is there completely or not at all. @returns its path */
async function write(place: string, id: string, name: string, bytes: Uint8Array): Promise<string> {
  // Each file has its own folder, so that names do not collide.
  const own = join(place, id);
  const making = `${own}${PART}`;
  makePrivateFolder(making);
  const handle = await newPrivateFile(join(making, name));
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } catch (error) {
    // On a full disk a part of it would take the last bytes.
    await rm(making, { recursive: true, force: true });
    throw error;
  } finally {
    await handle.close();
  }
  await syncFolder(making);
  await rename(making, own);
  await syncFolder(place);
  return join(own, name);
}

/** The files of a place of a folder. */
function filesInFolder(folder: string, now: () => number) {
  return {
    used: (place: string) => usedIn(join(folder, place), now()),
    async list(place: string): Promise<StoredFile[]> {
      const ids = (await namesIn(join(folder, place))).filter((id) => FILE_ID.test(id));
      const stored = await Promise.all(ids.map((id) => storedIn(join(folder, place), id)));
      return stored.filter((file) => file !== null);
    },
    find: (place: string, id: string) => storedIn(join(folder, place), id),
  };
}

/** The files of a place of a database. */
function filesInDatabase(shared: SharedFiles): ReturnType<typeof filesInFolder> {
  const list = async (prefix: string): Promise<StoredFile[]> =>
    (await shared.list(prefix)).map(({ name, bytes, at }) => {
      const [id = '', own = ''] = name.split('/').slice(2);
      return { id, name: own, bytes, keptAt: at };
    });
  return {
    async used(place) {
      const files = await list(`${place}/`);
      return { files: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) };
    },
    list: (place) => list(`${place}/`),
    find: async (place, id) => (await list(`${place}/${id}/`))[0] ?? null,
  };
}

/**
 * Creates the file storage of apps in a folder of the runtime, separate for each app and project.
 * @param shared a database with the files; the folder then has copies
 */
export function createAppStorage(
  system: Pick<System, 'now' | 'randomBytes'>,
  folder: string,
  shared: SharedFiles | null = null,
) {
  const files = shared ? filesInDatabase(shared) : filesInFolder(folder, system.now);

  async function requireRoom(place: string, bytes: number): Promise<void> {
    const used = await files.used(place);
    if (used.files >= MAX_FILES)
      throw new RuntimeError('too-many', 'The app has stored too many files in this project.');
    if (used.bytes + bytes > MAX_BYTES)
      throw new RuntimeError('too-large', 'The app’s storage in this project is full.');
  }
  const placeOf = ({ appId, project }: Owner): string => `${folderOf(appId)}/${folderOf(project)}`;

  async function find(owner: Owner, id: string): Promise<StoredFile> {
    const stored = FILE_ID.test(id) ? await files.find(placeOf(owner), id) : null;
    if (!stored) throw unknownFile();
    return stored;
  }

  /** The content of a file, of which this machine then has a copy. */
  async function contentOf(place: string, id: string, name: string): Promise<Uint8Array> {
    try {
      return await readFile(join(folder, place, id, name));
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    const bytes = await shared?.get(`${place}/${id}/${name}`);
    if (!bytes) throw unknownFile();
    // Another call may be writing the same copy.
    await write(join(folder, place), id, name, bytes).catch((error: NodeJS.ErrnoException) => {
      if (!['EEXIST', 'ENOTEMPTY', 'ENOENT'].includes(error.code ?? '')) throw error;
    });
    return bytes;
  }

  return {
    /**
     * Stores a file; it is durable when this resolves.
     * @param name as the app gives it; it is never used as a path
     * @throws RuntimeError `too-many`, `too-large` when the app's storage in the project is full
     */
    async keep(owner: Owner, { name, bytes }: { name: string; bytes: Uint8Array }): Promise<KeptFile> {
      const place = placeOf(owner);
      makePrivateFolder(join(folder, place));
      await requireRoom(place, bytes.byteLength);
      const id = Buffer.from(system.randomBytes(12)).toString('hex');
      const type = await typeOfFile(bytes, name);
      const safe = nameFor(name, type);
      const path = await write(join(folder, place), id, safe, bytes);
      try {
        await shared?.put(`${place}/${id}/${safe}`, bytes);
      } catch (error) {
        await rm(join(folder, place, id), { recursive: true, force: true });
        throw error;
      }
      const sha256 = hashOf(bytes);
      return { id, name: safe, type, bytes: bytes.byteLength, sha256, path };
    },
    /** Lists the files of an app in a project, newest first. */
    async list(owner: Owner): Promise<StoredFile[]> {
      return (await files.list(placeOf(owner))).sort((a, b) => (a.keptAt < b.keptAt ? 1 : -1));
    },
    /** @throws RuntimeError `unknown-file` */
    async read(owner: Owner, id: string): Promise<KeptFile & { content: Uint8Array }> {
      const { name } = await find(owner, id);
      const content = await contentOf(placeOf(owner), id, name);
      const path = join(folder, placeOf(owner), id, name);
      const sha256 = hashOf(content);
      const type = await typeOfFile(content, name);
      return { id, name, type, bytes: content.byteLength, sha256, path, content };
    },
    /** @throws RuntimeError `unknown-file` */
    async remove(owner: Owner, id: string) {
      await find(owner, id);
      await shared?.remove(`${placeOf(owner)}/${id}/`);
      await rm(join(folder, placeOf(owner), id), { recursive: true, force: true });
    },
    /** Removes all files of an app, in every project. */
    async removeApp(appId: string) {
      await shared?.remove(`${folderOf(appId)}/`);
      await rm(join(folder, folderOf(appId)), { recursive: true, force: true });
    },
  };
}

export type AppStorage = ReturnType<typeof createAppStorage>;
