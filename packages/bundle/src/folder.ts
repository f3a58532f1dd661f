import { constants, type Dirent } from 'node:fs';
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { LIMITS } from '@svc/contracts/vocabulary';
import ignore, { type Ignore } from 'ignore';
import type { BundleEntries } from './bundle-entries.ts';
import { FolderError } from './folder-error.ts';

export { FolderError, type FolderFault } from './folder-error.ts';

/** The files to pack, and what stays out of the bundle with the reason why. Left-out folders end with a slash. */
export type FolderReading = { entries: BundleEntries; leftOut: { path: string; why: string }[] };

/** gitignore syntax; read from the top of the folder only. */
const IGNORE_FILE = '.svcignore';

interface Walk {
  root: string;
  ignored: Ignore;
  entries: Map<string, Uint8Array>;
  leftOut: FolderReading['leftOut'];
  bytesLeft: number;
}

/**
 * Reads a folder as `svc pack` packs it. Follows no symbolic link: throws a FolderError for one, as for a device, for
 * what cannot be read, and as soon as the folder exceeds what a bundle may hold. Files are in order of their paths.
 */
export async function readFolder(dir: string): Promise<FolderReading> {
  await checkFolder(dir);
  const walk: Walk = {
    root: dir,
    ignored: await readIgnoreFile(dir),
    entries: new Map(),
    leftOut: [],
    bytesLeft: LIMITS.bundle.inflatedBytes,
  };
  await readInto(walk, '');
  return { entries: walk.entries, leftOut: walk.leftOut };
}

async function checkFolder(dir: string): Promise<void> {
  const stats = await stat(dir).catch((error: unknown) => {
    throw FolderError.of(dir, error);
  });
  if (!stats.isDirectory()) throw new FolderError('not-a-folder', dir, `${dir} is not a folder.`);
}

async function readIgnoreFile(dir: string): Promise<Ignore> {
  // Letter case counts, on every system alike: else a folder would pack differently on macOS.
  const ignored = ignore({ ignorecase: false });
  const names = await list(dir, dir);
  if (!names.some(({ name }) => name === IGNORE_FILE)) return ignored;
  const text = await readPlainFile(path.join(dir, IGNORE_FILE), IGNORE_FILE, LIMITS.bundle.inflatedBytes);
  return ignored.add(new TextDecoder().decode(text));
}

/** Reads one folder, `prefix` being its path inside the bundle with a slash at the end. */
async function readInto(walk: Walk, prefix: string): Promise<void> {
  const here = path.join(walk.root, prefix);
  const children = await list(here, prefix || walk.root);
  for (const child of children.sort(byPath)) {
    const name = `${prefix}${child.name}`;
    const shown = child.isDirectory() ? `${name}/` : name;
    const why = reasonToLeaveOut(walk.ignored, child.name, shown);
    if (why) walk.leftOut.push({ path: shown, why });
    else if (child.isDirectory()) await readInto(walk, shown);
    else await addFile(walk, child, name);
  }
}

/** Code-unit order of whole paths: a folder sorts as the slash after it makes it sort. */
function byPath(a: Dirent, b: Dirent): number {
  const [left, right] = [a, b].map((child) => (child.isDirectory() ? `${child.name}/` : child.name));
  return (left ?? '') < (right ?? '') ? -1 : 1;
}

async function list(dir: string, shown: string): Promise<Dirent[]> {
  return readdir(dir, { withFileTypes: true }).catch((error: unknown) => {
    throw FolderError.of(shown, error);
  });
}

function reasonToLeaveOut(ignored: Ignore, base: string, shown: string): string | undefined {
  if (base.startsWith('.')) return 'hidden: its name begins with a dot';
  if (/^(?:thumbs\.db|desktop\.ini)$/i.test(base)) return 'made by the operating system';
  if (base === 'node_modules') return 'installed packages: bundle what the app needs into its own files';
  if (/\.svc-app$/i.test(base)) return 'a packed bundle';
  if (ignored.ignores(shown)) return `named in ${IGNORE_FILE}`;
  return undefined;
}

async function addFile(walk: Walk, child: Dirent, name: string): Promise<void> {
  if (child.isSymbolicLink()) {
    throw new FolderError('link', name, `${name} is a symbolic link: put the file itself there.`);
  }
  if (!child.isFile()) throw new FolderError('special', name, `${name} is neither a file nor a folder.`);
  if (walk.entries.size === LIMITS.bundle.entries) {
    const message = `The folder holds over ${LIMITS.bundle.entries} files (at ${name}): name some in ${IGNORE_FILE}.`;
    throw new FolderError('too-many', name, message);
  }
  const content = await readPlainFile(path.join(walk.root, name), name, walk.bytesLeft);
  walk.bytesLeft -= content.length;
  walk.entries.set(name, content);
}

/** Opens without following a link or waiting for a pipe, so that a file swapped since it was listed does no harm. */
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
  const message = `The files come to over ${LIMITS.bundle.inflatedBytes} bytes (at ${shown}): name some in ${IGNORE_FILE}.`;
  return new FolderError('too-large', shown, message);
}
