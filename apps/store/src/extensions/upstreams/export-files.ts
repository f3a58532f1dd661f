import { createHash } from 'node:crypto';
import { access, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makePrivateFolder, newPrivateFile } from '@svc/bundle/private-files';
import type { StoreKey } from '@svc/contracts';
import { type SigningKey, signExport } from '@svc/signing';
import { sha256Of } from '../../platform/sha256.ts';
import {
  END_BYTES,
  paddingOf,
  ROOT,
  refuseExport,
  SUMS,
  type Sum,
  sumLine,
  tarHeader,
} from './export-format.ts';
import { piecesOf } from './open-export.ts';

/** The keys of the store that makes an export. */
export type ExportKeys = { signingKey: SigningKey; keyChain: readonly StoreKey[] };

const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

const workOf = (out: string): string => `${out}.part`;

/** Whether an export is whole, and was interrupted before it was reported. @throws ApiError when the file is there, and not from that */
export async function isWritten(out: string): Promise<boolean> {
  if (!(await isThere(out))) return false;
  if (await isThere(workOf(out))) return true;
  throw refuseExport(`${out} exists: name another file with --out.`);
}

/** The folder in which an export is put together, beside it: one that was interrupted finds its bundles there. */
export function openWork(out: string) {
  const folder = workOf(out);
  for (const name of ['apps', 'bundles']) makePrivateFolder(join(folder, name));
  const place = (name: string): string => join(folder, name);
  return {
    place,
    has: (name: string) => isThere(place(name)),
    /** The value of a file in JSON; null where there is none, or none that can be read: it is read from the store again. */
    async readJson(name: string): Promise<unknown> {
      try {
        return JSON.parse(await readFile(place(name), 'utf8'));
      } catch {
        return null;
      }
    },
    /** Writes a file whole, or not at all. */
    async write(name: string, bytes: Uint8Array): Promise<void> {
      const draft = `${place(name)}.draft`;
      await rm(draft, { force: true });
      const handle = await newPrivateFile(draft);
      try {
        await handle.writeFile(bytes);
      } finally {
        await handle.close();
      }
      await rename(draft, place(name));
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

export type Work = ReturnType<typeof openWork>;

/** Writes a tar file after file. */
async function writeTar(
  file: string,
  at: string,
  files: AsyncIterable<{
    name: string;
    size: number;
    bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  }>,
): Promise<void> {
  const handle = await newPrivateFile(file);
  const add = (bytes: Uint8Array) => handle.writeFile(bytes);
  try {
    for await (const { name, size, bytes } of files) {
      await add(tarHeader(name, size, at));
      for await (const piece of bytes) await add(piece);
      await add(Buffer.alloc(paddingOf(size)));
    }
    await add(Buffer.alloc(END_BYTES));
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Reads a file of the work folder, and refuses to go on with other bytes than were read. */
async function* checkedPieces(file: string, { sha256, name }: Sum): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    for await (const piece of piecesOf(handle, { offset: 0, size })) {
      hash.update(piece);
      yield piece;
    }
  } finally {
    await handle.close();
  }
  if (hash.digest('hex') !== sha256)
    throw refuseExport(
      `${name} was changed while the export was put together: remove ${file}, and export again.`,
    );
}

/** Syncs the folder of a file: a rename is only durable once its folder is synced. */
async function syncFolderOf(file: string): Promise<void> {
  const handle = await open(dirname(file), 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Puts an export together from the files of its work folder, signs it, and moves it to its place.
 * @param first the files that are in memory, in their order
 * @param sums the others
 */
export async function putTogether(
  work: Work,
  out: string,
  {
    at,
    keys: { signingKey, keyChain },
    first,
    sums,
  }: {
    at: string;
    keys: ExportKeys;
    first: readonly (readonly [name: string, bytes: Buffer])[];
    sums: readonly Sum[];
  },
): Promise<void> {
  const own = first.map(([name, bytes]) => ({ name, sha256: sha256Of(bytes) }));
  const list = Buffer.from([...own, ...sums].map(sumLine).join(''));
  const root = Buffer.from(JSON.stringify(signExport(list, at, keyChain, signingKey)));
  async function* files() {
    for (const [name, bytes] of [[ROOT, root] as const, [SUMS, list] as const, ...first])
      yield { name, size: bytes.length, bytes: [bytes] };
    for (const sum of sums) {
      const file = work.place(sum.name);
      yield { name: sum.name, size: (await stat(file)).size, bytes: checkedPieces(file, sum) };
    }
  }
  const draft = work.place('draft');
  await rm(draft, { force: true });
  await writeTar(draft, at, files());
  await rename(draft, out);
  await syncFolderOf(out);
}
