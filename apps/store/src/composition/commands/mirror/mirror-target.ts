import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, extname, join, relative, sep } from 'node:path';
import { MIRROR_FILE } from '@svc/contracts';
import { renameDurably } from '../../../adapters/disk/durable-file.ts';
import { keysUnder } from '../../../adapters/s3/s3-blob-store.ts';
import { createS3Client, readText, type S3Settings, TIMEOUTS } from '../../../adapters/s3/s3-client.ts';
import { sha256Of } from '../../../platform/sha256.ts';

/** Where a mirror is written. Paths are those of a mirror, with slashes. */
export type MirrorTarget = {
  /** A text; null where there is none. */
  read(path: string): Promise<string | null>;
  has(path: string): Promise<boolean>;
  /** Writes a file whole: a reader sees all of it, or none. A path with a slash at its end is that of a list, whose parts are below it. */
  write(path: string, bytes: Uint8Array): Promise<void>;
  /** The files of objects that were written before a time. */
  olderThan(time: Date): AsyncIterable<string>;
  remove(path: string): Promise<void>;
  /** The plain files, by the paths with which they were written. */
  plain(): AsyncIterable<string>;
  /** Whether there is anything else than a mirror. */
  isForeign(): Promise<boolean>;
};

/** The folders of the plain files, which have the addresses that they have at the store. */
const PLAIN = ['feeds/', 'v0.1/'] as const;

/** The types of files by the ends of their names. */
const TYPES: Readonly<Record<string, string>> = {
  '.json': 'application/json',
  '.zip': 'application/zip',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.atom': 'application/atom+xml',
};

function typeOf(path: string): string {
  if (path.startsWith('v0.1/')) return 'application/json';
  if (path.startsWith('feeds/') && path.endsWith('.json')) return 'application/feed+json';
  return TYPES[extname(path)] ?? 'application/octet-stream';
}

function cacheOf(path: string): string {
  if (path === MIRROR_FILE) return 'public, max-age=10';
  return path.startsWith('objects/') ? 'public, max-age=31536000, immutable' : 'public, max-age=60';
}

/** What each kind of file is, and how long caches keep it. */
export const headersOf = (path: string): { type: string; cache: string } => ({
  type: typeOf(path),
  cache: cacheOf(path),
});

/** The file of a list in a folder; a bucket has it under the name of the folder. */
const LIST = 'index.json';

/** Files that a web server may read. */
const [FILE_MODE, FOLDER_MODE] = [0o644, 0o755];

const orNull = <T>(work: Promise<T>): Promise<T | null> =>
  work.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });

/** The beginning of the names of files that are being written. */
const DRAFT = '.draft-';

/** The objects of a mirror, and what runs that were ended have left. */
async function* pathsIn(folder: string): AsyncGenerator<string> {
  const namesIn = async (path: string) => (await orNull(readdir(join(folder, path)))) ?? [];
  for (const part of await namesIn('objects'))
    for (const name of await namesIn(join('objects', part))) yield `objects/${part}/${name}`;
  for (const name of await namesIn('')) if (name.startsWith(DRAFT)) yield name;
}

/** A mirror in a folder. */
export function folderTarget(folder: string): MirrorTarget {
  const place = (path: string): string =>
    join(folder, ...`${path}${path.endsWith('/') ? LIST : ''}`.split('/'));
  return {
    read: (path) => orNull(readFile(place(path), 'utf8')),
    has: async (path) => (await orNull(stat(place(path)))) !== null,
    async write(path, bytes) {
      const file = place(path);
      const draft = join(folder, DRAFT + randomUUID());
      await mkdir(dirname(file), { recursive: true, mode: FOLDER_MODE });
      try {
        const handle = await open(draft, 'wx', FILE_MODE);
        try {
          await handle.writeFile(bytes);
          await handle.sync();
        } finally {
          await handle.close();
        }
        await renameDurably(draft, file);
      } catch (error) {
        await rm(draft, { force: true });
        throw error;
      }
    },
    async *olderThan(time) {
      for await (const path of pathsIn(folder)) {
        const stats = await orNull(stat(place(path)));
        if (stats && stats.mtime < time) yield path;
      }
    },
    remove: (path) => rm(place(path), { force: true }),
    async *plain() {
      for (const part of PLAIN) {
        const names =
          (await orNull(readdir(join(folder, part), { recursive: true, withFileTypes: true }))) ?? [];
        for (const { name, parentPath } of names.filter((one) => one.isFile())) {
          const path = relative(folder, join(parentPath, name)).split(sep).join('/');
          yield name === LIST ? path.slice(0, -LIST.length) : path;
        }
      }
    },
    async isForeign() {
      const names = (await orNull(readdir(folder))) ?? [];
      return names.some((name) => name !== MIRROR_FILE && name !== 'objects' && !name.startsWith(DRAFT));
    },
  };
}

/** Keys of a list. */
const PAGE = 1_000;

/** A mirror in a bucket. */
export function bucketTarget(settings: S3Settings): MirrorTarget {
  const client = createS3Client(settings, TIMEOUTS);
  const keyOf = (path: string): string => settings.prefix + path.replace(/\/$/, '');
  return {
    read: (path) =>
      client.send({ method: 'GET', key: keyOf(path), accept: [200, 404] }, async (response) => {
        const text = await readText(response);
        return response.status === 200 ? text : null;
      }),
    has: (path) =>
      client.send({ method: 'HEAD', key: keyOf(path), accept: [200, 404] }, ({ status }) => status === 200),
    async write(path, bytes) {
      const sha256 = sha256Of(bytes);
      const content = {
        sha256,
        size: bytes.byteLength,
        ...headersOf(path),
        open: () => bytes as Uint8Array<ArrayBuffer>,
      };
      await client.send({ method: 'PUT', key: keyOf(path), content, accept: [200] }, readText);
    },
    async *olderThan(time) {
      for await (const key of keysUnder(client, keyOf('objects/'), PAGE)) {
        const path = key.slice(settings.prefix.length);
        const info = await client.send({ method: 'HEAD', key, accept: [200, 404] }, ({ status, headers }) =>
          status === 200 ? Date.parse(headers.get('last-modified') ?? '') : Number.NaN,
        );
        if (info < time.getTime()) yield path;
      }
    },
    async *plain() {
      for (const part of PLAIN)
        for await (const key of keysUnder(client, settings.prefix + part, PAGE))
          yield key.slice(settings.prefix.length);
    },
    remove: (path) =>
      client.send(
        { method: 'DELETE', key: keyOf(path), accept: [200, 204, 404] },
        async (response) => void (await readText(response)),
      ),
    async isForeign() {
      for await (const key of keysUnder(client, settings.prefix, 2)) {
        const path = key.slice(settings.prefix.length);
        if (path !== MIRROR_FILE && !path.startsWith('objects/')) return true;
      }
      return false;
    },
  };
}
