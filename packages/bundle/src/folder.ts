import { constants, type Dirent } from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { LIMITS } from '@svc/contracts/vocabulary';
import ignore, { type Ignore } from 'ignore';
import type { BundleEntries } from './bundle-entries.ts';

/** Why a folder cannot be packed. */
export type FolderFault =
  | 'missing'
  | 'not-a-folder'
  | 'link'
  | 'special'
  | 'unreadable'
  | 'too-many'
  | 'too-large';

/** Errors by the code of the underlying system error; any other is `unreadable`. */
const BY_SYSTEM_CODE: Record<string, FolderFault> = {
  ENOENT: 'missing',
  ENOTDIR: 'not-a-folder',
  ELOOP: 'link',
};

const REASONS: Partial<Record<FolderFault, string>> = {
  missing: 'does not exist',
  'not-a-folder': 'is not a folder',
  link: 'is a symbolic link: replace it by the file',
};

/** Error of a folder that cannot be packed, with the path of the problem. */
export class FolderError extends Error {
  override readonly name = 'FolderError';
  readonly fault: FolderFault;
  readonly path: string;

  constructor(fault: FolderFault, path: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
    this.path = path;
  }

  /** Converts an error of the file system to a FolderError; rethrows any other error. */
  static of(path: string, error: unknown): unknown {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    if (code === undefined) return error;
    const fault = BY_SYSTEM_CODE[code] ?? 'unreadable';
    const reason = REASONS[fault] ?? `cannot be read (${code})`;
    return new FolderError(fault, path, `${path} ${reason}.`, { cause: error });
  }
}

/** The files to pack, and the excluded files and folders with the reason. Excluded folders end with a slash. */
type FolderReading = { entries: BundleEntries; leftOut: { path: string; why: string }[] };

/** gitignore syntax; only read from the top level of the folder. */
const IGNORE_FILE = '.svcignore';

interface Walk {
  ignored: Ignore;
  entries: Map<string, Uint8Array>;
  leftOut: FolderReading['leftOut'];
  bytesLeft: number;
}

/**
 * Reads the files of a folder, as `svc pack` packs them, sorted by path. Does not follow symbolic links.
 * @throws FolderError for a symbolic link, a device, an unreadable file, and a folder that exceeds the limits of a bundle
 */
export async function readFolder(dir: string): Promise<FolderReading> {
  const children = await list(dir, dir);
  const walk: Walk = {
    ignored: await readIgnoreFile(dir, children),
    entries: new Map(),
    leftOut: [],
    bytesLeft: LIMITS.bundle.inflatedBytes,
  };
  await readInto(walk, '', { folder: dir, children });
  return { entries: walk.entries, leftOut: walk.leftOut };
}

async function readIgnoreFile(dir: string, children: readonly Dirent[]): Promise<Ignore> {
  // Case-sensitive on every system, so that a folder packs the same on macOS.
  const ignored = ignore({ ignorecase: false });
  if (!children.some(({ name }) => name === IGNORE_FILE)) return ignored;
  const text = await readPlainFile(path.join(dir, IGNORE_FILE), IGNORE_FILE, LIMITS.bundle.inflatedBytes);
  return ignored.add(new TextDecoder().decode(text));
}

/** A folder on the disk. */
type Source = { folder: string; children: readonly Dirent[] };

/** Reads what is in a folder. `prefix` is its path inside the bundle with a slash at the end. */
async function readInto(walk: Walk, prefix: string, { folder, children }: Source): Promise<void> {
  for (const child of [...children].sort(byPath)) {
    const file = path.join(folder, child.name);
    const shown = `${prefix}${nameOf(child)}`;
    const why = reasonToLeaveOut(walk.ignored, child.name, shown);
    if (why) walk.leftOut.push({ path: shown, why });
    else if (child.isDirectory())
      await readInto(walk, shown, { folder: file, children: await list(file, shown) });
    else await addFile(walk, child, { file, name: shown });
  }
}

/** The name in a bundle, in normal form C: macOS stores names in form D. A folder ends with a slash. */
const nameOf = (child: Dirent): string => `${child.name.normalize('NFC')}${child.isDirectory() ? '/' : ''}`;

/** Code-unit order of whole paths. */
const byPath = (a: Dirent, b: Dirent): number => (nameOf(a) < nameOf(b) ? -1 : 1);

async function list(dir: string, shown: string): Promise<Dirent[]> {
  return readdir(dir, { withFileTypes: true }).catch((error: unknown) => {
    throw FolderError.of(shown, error);
  });
}

function reasonToLeaveOut(ignored: Ignore, base: string, shown: string): string | undefined {
  if (base.startsWith('.')) return 'hidden: its name begins with a dot';
  if (/^(?:thumbs\.db|desktop\.ini|icon\r)$/i.test(base)) return 'created by the operating system';
  if (base === 'node_modules') return 'installed packages: bundle what the app needs into its own files';
  if (/\.svc-app$/i.test(base)) return 'a packed bundle';
  if (ignored.ignores(shown)) return `listed in ${IGNORE_FILE}`;
  return undefined;
}

async function addFile(
  walk: Walk,
  child: Dirent,
  { file, name }: { file: string; name: string },
): Promise<void> {
  if (child.isSymbolicLink()) {
    throw new FolderError('link', name, `${name} is a symbolic link: replace it by the file.`);
  }
  if (!child.isFile()) throw new FolderError('special', name, `${name} is neither a file nor a folder.`);
  if (walk.entries.size === LIMITS.bundle.entries) {
    const message = `The folder has more than ${LIMITS.bundle.entries} files (at ${name}): exclude some in ${IGNORE_FILE}.`;
    throw new FolderError('too-many', name, message);
  }
  if (walk.entries.has(name)) {
    throw new FolderError(
      'special',
      name,
      `Two files have the name ${name} in different Unicode forms: remove one.`,
    );
  }
  const content = await readPlainFile(file, name, walk.bytesLeft);
  walk.bytesLeft -= content.length;
  walk.entries.set(name, content);
}

/** Opens without following a link or waiting for a pipe, because the file may have been replaced since it was listed. */
async function readPlainFile(file: string, shown: string, limit: number): Promise<Uint8Array> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const stats = await handle.stat();
    if (!stats.isFile()) throw new FolderError('special', shown, `${shown} is neither a file nor a folder.`);
    if (stats.size > limit) throw tooLarge(shown);
    const content = await handle.readFile();
    if (content.length > limit) throw tooLarge(shown);
    return new Uint8Array(content.buffer, content.byteOffset, content.length);
  } catch (error) {
    throw FolderError.of(shown, error);
  } finally {
    await handle?.close();
  }
}

function tooLarge(shown: string): FolderError {
  const message = `The files have more than ${LIMITS.bundle.inflatedBytes} bytes in total (at ${shown}): exclude some in ${IGNORE_FILE}.`;
  return new FolderError('too-large', shown, message);
}
