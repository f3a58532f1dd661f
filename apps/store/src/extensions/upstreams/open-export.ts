import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import type { MirrorRoot, PublicKey } from '@svc/contracts';
import { readMirrorRoot, type TrustedKeys, verifyExport } from '@svc/signing';
import type { z } from 'zod';
import { sha256Of } from '../../platform/sha256.ts';
import {
  About,
  BLOCK,
  damaged,
  END_BYTES,
  ExportedApp,
  MAX_BYTES,
  maxBytesOf,
  paddingOf,
  ROOT,
  refuseExport,
  SUMS,
  type Sum,
  sizeIn,
  sumsIn,
  tarHeader,
} from './export-format.ts';

/** A file in an export, and where its bytes are. */
export type Entry = Sum & { offset: number; size: number };

/** An app in an export, and its bundle if that is in it. */
export type AppEntry = { appId: string; about: Entry; bundle: Entry | null };

/** Bytes that are read at a time. */
const PIECE = 1024 * 1024;

/** Reads bytes of a file, piece by piece. Each piece is valid until the next. @throws ApiError where the file ends before */
export async function* piecesOf(
  handle: FileHandle,
  { offset, size }: Pick<Entry, 'offset' | 'size'>,
): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(Math.min(PIECE, size));
  for (let done = 0; done < size; ) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, size - done), offset + done);
    if (bytesRead === 0) throw damaged('it ends in the middle');
    yield buffer.subarray(0, bytesRead);
    done += bytesRead;
  }
}

async function bytesAt(handle: FileHandle, offset: number, size: number): Promise<Buffer<ArrayBuffer>> {
  const pieces: Buffer[] = [];
  for await (const piece of piecesOf(handle, { offset, size })) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

const isZero = (bytes: Buffer): boolean => bytes.every((byte) => byte === 0);

/** The header of a file at an offset, with the size that it says. @throws ApiError for one that is too large */
async function headerAt(handle: FileHandle, at: number, name: string, maxBytes: number) {
  const header = await bytesAt(handle, at, BLOCK);
  const size = sizeIn(header);
  if (size === null) throw damaged(`${name} is not where it must be`);
  if (size > maxBytes) throw refuseExport(`${name} of the export has more than ${maxBytes} bytes.`);
  return { header, entry: { offset: at + BLOCK, size } };
}

const endOf = ({ offset, size }: Pick<Entry, 'offset' | 'size'>): number => offset + size + paddingOf(size);

async function requirePadding(
  handle: FileHandle,
  { offset, size }: Pick<Entry, 'offset' | 'size'>,
  name: string,
): Promise<void> {
  if (!isZero(await bytesAt(handle, offset + size, paddingOf(size))))
    throw damaged(`${name} has other contents`);
}

/** The root of an export, the list of its files, and where they begin. */
async function readBeginning(handle: FileHandle) {
  const first = await headerAt(handle, 0, ROOT, MAX_BYTES[ROOT]);
  const root = readMirrorRoot((await bytesAt(handle, first.entry.offset, first.entry.size)).toString('utf8'));
  if (!root) throw refuseExport('This file is not an export of the apps of a store.');
  const { signedAt } = root.index;
  const second = await headerAt(handle, endOf(first.entry), SUMS, MAX_BYTES[SUMS]);
  const isOne = [
    first.header.equals(tarHeader(ROOT, first.entry.size, signedAt)),
    second.header.equals(tarHeader(SUMS, second.entry.size, signedAt)),
  ];
  if (isOne.includes(false)) throw refuseExport('This file is not an export as svc-store writes it.');
  for (const { entry } of [first, second]) await requirePadding(handle, entry, 'its beginning');
  const sums = await bytesAt(handle, second.entry.offset, second.entry.size);
  return { root, sums, begin: endOf(second.entry) };
}

// The runtime takes a tenth of a second to load.
const answers = () => import('@svc/runtime/read-answer');

async function parsed<T>(name: string, schema: z.ZodType<T>, bytes: Buffer): Promise<T> {
  const { parseAnswer } = await answers();
  try {
    return schema.parse(parseAnswer(bytes.toString('utf8')));
  } catch {
    throw refuseExport(`${name} of the export is not in the form of this version of svc-store.`);
  }
}

/**
 * Opens an export. Its files are read from their place: nothing is unpacked, and none is in memory but the list of all, and the one that is read.
 * @param file path of a file on this machine; all in it is untrusted
 * @throws ApiError for a file that is none; errors of the disk
 */
export async function openExport(file: string) {
  const handle = await open(file, 'r').catch((error: NodeJS.ErrnoException) => {
    throw refuseExport(`${file} cannot be read: ${error.code}.`);
  });
  try {
    return await readExport(handle);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function readExport(handle: FileHandle) {
  const { root, sums, begin } = await readBeginning(handle);

  /** All files, in their order. The tar has no others. @throws ApiError where it is not what the list says */
  async function* entries(): AsyncGenerator<Entry> {
    let at = begin;
    for (const sum of sumsIn(sums)) {
      const { header, entry } = await headerAt(handle, at, sum.name, maxBytesOf(sum.name));
      if (!header.equals(tarHeader(sum.name, entry.size, root.index.signedAt)))
        throw damaged(`${sum.name} is not where it must be`);
      yield { ...sum, ...entry };
      at = endOf(entry);
    }
    const { size } = await handle.stat();
    if (size !== at + END_BYTES)
      throw damaged(size < at + END_BYTES ? 'it ends in the middle' : 'it goes on after its end');
    if (!isZero(await bytesAt(handle, at, END_BYTES))) throw damaged('it goes on after its end');
  }

  /** The bytes of a file. They are compared again: the medium may have been changed since `check`. @throws ApiError */
  async function read({ name, sha256, ...place }: Entry): Promise<Buffer<ArrayBuffer>> {
    const bytes = await bytesAt(handle, place.offset, place.size);
    if (sha256Of(bytes) !== sha256) throw damaged(`${name} has other contents`);
    return bytes;
  }

  async function first(): Promise<[held: Entry, about: Entry]> {
    const found: Entry[] = [];
    for await (const entry of entries()) if (found.push(entry) === 2) break;
    return found as [Entry, Entry];
  }

  const [held, about] = await first();
  const store = await parsed(about.name, About, await read(about));
  return {
    root: root satisfies MirrorRoot,
    about: store,
    /** When it began to read the store: nothing in it is older. */
    at: root.index.signedAt,
    /** What it is named by: the hash of the list of its files. */
    id: sha256Of(sums),
    /** The list of the bundles that a store has after the import. */
    held: () => read(held),
    /** @returns the keys with their successors, the last of which signed the export */
    verify: (trusted: readonly PublicKey[]): TrustedKeys => verifyExport(sums, root, trusted),
    /** Reads all of it, and compares each file with the list. @throws ApiError for the first that is not what the list says */
    async check(signal?: AbortSignal): Promise<void> {
      for await (const entry of entries()) {
        signal?.throwIfAborted();
        const hash = createHash('sha256');
        for await (const piece of piecesOf(handle, entry)) hash.update(piece);
        if (hash.digest('hex') !== entry.sha256) throw damaged(`${entry.name} has other contents`);
        await requirePadding(handle, entry, entry.name);
      }
    },
    /** The apps in it, by id. */
    async *apps(): AsyncGenerator<AppEntry> {
      let app: AppEntry | null = null;
      for await (const entry of entries()) {
        if (entry.name.startsWith('bundles/') && app) app.bundle = entry;
        if (!entry.name.startsWith('apps/')) continue;
        if (app) yield app;
        app = { appId: entry.name.slice('apps/'.length, -'.json'.length), about: entry, bundle: null };
      }
      if (app) yield app;
    },
    /** What the store answered about an app. */
    answersOf: async ({ about: entry }: AppEntry) =>
      (await parsed(entry.name, ExportedApp, await read(entry))).answers,
    read,
    close: () => handle.close(),
  };
}

export type OpenedExport = Awaited<ReturnType<typeof openExport>>;
