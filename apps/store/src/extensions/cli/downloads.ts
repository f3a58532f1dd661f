import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { packBundle } from '@svc/bundle';
import type { Parts } from '../../core/domain/parts/parts.ts';
import { keptFor } from '../../platform/kept-for.ts';

/** A file that this store serves to people without Node: the command line and the client with a Node of their own, for one system. */
export type Download = {
  /** `svc-<version>-<system>.zip` */
  name: string;
  /** `linux-x64` */
  system: string;
  bytes: number;
  /** In hex. */
  sha256: string;
  /** Opens its bytes: those on disk, and after them the ones that name this store. */
  read(): ReadableStream<Uint8Array>;
};

const NAME = /^svc-(?<version>\d+\.\d+\.\d+)-(?<system>[a-z0-9]+-[a-z0-9]+)\.zip$/;

/** Sizes of two records of a zip without what varies (APPNOTE 4.3.12, 4.3.16). */
const CENTRAL = 46;
const END = 22;

/** What ends an archive: the offset of its directory, the directory, and the number of its entries. */
type Ending = { at: number; directory: Buffer; entries: number };

/** Reads the end of an archive that `npm run build` packed: one without a comment and of less than 4 GiB. @throws Error */
async function endingOf(file: string): Promise<Ending> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const end = Buffer.alloc(END);
    await handle.read(end, 0, END, Math.max(0, size - END));
    const [entries, bytes, at] = [end.readUInt16LE(10), end.readUInt32LE(12), end.readUInt32LE(16)];
    if (end.readUInt32LE(0) !== 0x06054b50 || at + bytes + END !== size)
      throw new Error(`${file} is not an archive of npm run build, or is cut.`);
    const directory = Buffer.alloc(bytes);
    await handle.read(directory, 0, bytes, at);
    return { at, directory, entries };
  } finally {
    await handle.close();
  }
}

/** The bytes that follow the entries of an archive when a file, uncompressed, is added to it. */
function withFile({ at, directory, entries }: Ending, name: string, content: Buffer): Buffer {
  const alone = Buffer.from(packBundle(new Map([[name, content]]), { stored: true }));
  const end = alone.subarray(-END);
  const local = alone.subarray(0, end.readUInt32LE(16));
  const central = alone.subarray(local.length, -END);
  central.writeUInt32LE(at, 42);
  end.writeUInt16LE(entries + 1, 8);
  end.writeUInt16LE(entries + 1, 10);
  end.writeUInt32LE(directory.length + central.length, 12);
  end.writeUInt32LE(at + local.length, 16);
  return Buffer.concat([local, directory, central, end]);
}

/** The first entry's folder, in which an archive has all of its files. */
const folderOf = ({ directory }: Ending): string =>
  directory.toString('utf8', CENTRAL, CENTRAL + directory.readUInt16LE(28)).split('/', 1)[0] ?? '';

/** Reads an archive, and adds the URL of this store to it as the default of `--store`. */
async function readDownload(file: string, name: string, baseUrl: string): Promise<Download> {
  const ending = await endingOf(file);
  const store = Buffer.from(`${JSON.stringify({ store: baseUrl })}\n`);
  const rest = withFile(ending, `${folderOf(ending)}/node_modules/@svc/cli/store.json`, store);
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield* createReadStream(file, { end: ending.at - 1 });
    yield rest;
  }
  const hash = createHash('sha256');
  for await (const piece of pieces()) hash.update(piece);
  return {
    name,
    system: systemOf(name),
    bytes: ending.at + rest.length,
    sha256: hash.digest('hex'),
    read: () => Readable.toWeb(Readable.from(pieces(), { objectMode: false })) as ReadableStream<Uint8Array>,
  };
}

/** How long the folder is not looked at again, in milliseconds. */
const LOOK_EVERY_MS = 10_000;

/** The names of the downloads in a folder, whole or not; none when it does not exist. */
const namesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder).catch(() => [])).filter((name) => NAME.test(name)).sort();

const systemOf = (name: string): string => NAME.exec(name)?.groups?.system ?? name;

/** The systems of the downloads in a folder, by their names: pages that link to them do not wait until all are read and hashed. */
export const createSystems = ({ downloadsDir, clock }: Pick<DownloadsDeps, 'downloadsDir' | 'clock'>) =>
  keptFor(clock, null, LOOK_EVERY_MS, async () => (await namesIn(downloadsDir)).map(systemOf));

type DownloadsDeps = Pick<Parts, 'baseUrl' | 'clock'> & {
  /** One that does not exist has no downloads. */ downloadsDir: string;
  log: Pick<Parts['log'], 'error'>;
};

/** The downloads in a folder that are whole, each read and hashed once until it changes; the log names the others. */
export function createDownloads({ downloadsDir: folder, baseUrl, clock, log }: DownloadsDeps) {
  let known = new Map<string, Promise<Download | null>>();

  async function readWhole(file: string, name: string): Promise<Download | null> {
    try {
      return await readDownload(file, name, baseUrl);
    } catch (err) {
      log.error({ err, file }, 'A download is not served: build it again.');
      return null;
    }
  }

  async function look(): Promise<readonly Download[]> {
    const names = await namesIn(folder);
    const next: typeof known = new Map();
    for (const name of names) {
      const file = join(folder, name);
      const { size, mtimeMs } = await stat(file);
      const key = `${name} ${size} ${mtimeMs}`;
      next.set(key, known.get(key) ?? readWhole(file, name));
    }
    known = next;
    return (await Promise.all(next.values())).filter((download) => download !== null);
  }

  return keptFor(clock, null, LOOK_EVERY_MS, look);
}
