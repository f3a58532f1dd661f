import { chmodSync, closeSync, mkdirSync, openSync, realpathSync, type Stats, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { DatabaseSync, DatabaseSyncOptions } from 'node:sqlite';

// The only place where the programs create files and folders of their own: `test/architecture.test.ts` refuses it elsewhere.

/** Permission bits of the group and of others, and the write permission of others. */
const OTHERS = 0o077;
const OTHERS_WRITE = 0o002;
/** The sticky bit: a folder that several users share, such as `/tmp`. */
const STICKY = 0o1000;

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException | undefined)?.code;

/** A folder or a file that cannot be opened as a private one. The message is one line for the user; a refusal of the system has its code. */
export class PrivateFolderError extends Error {
  readonly code: string | undefined;

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.code = codeOf(cause);
  }
}

function statOf(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

/** What is wrong with the place of a folder, by the code of the system. Others, such as a full disk, may be over later. */
const WRONG_PLACES: Readonly<Record<string, string>> = {
  EEXIST: 'There is a file in its place.',
  ENOTDIR: 'There is a file in its path.',
  ENOENT: 'This file system has no folders that users can create.',
  EACCES: 'This user may not write there.',
  EPERM: 'This user may not write there.',
  EROFS: 'This file system is read-only.',
  ELOOP: 'Its path has too many links.',
  ENAMETOOLONG: 'Its path is too long.',
};

function asPlaceError(error: unknown, path: string): unknown {
  const why = WRONG_PLACES[codeOf(error) ?? ''];
  return why === undefined
    ? error
    : new PrivateFolderError(`Cannot create the folder ${path}. ${why}`, error);
}

/**
 * Creates a folder and its missing ancestors, readable by their owner only. An existing folder is left as it is. Node's own recursive
 * `mkdir` loops forever where a file system reports an existing ancestor as missing, as `/proc` does.
 * @returns the created folders, the topmost first
 * @throws PrivateFolderError where it cannot be created, with the code of the system
 */
export function makePrivateFolder(folder: string): string[] {
  const path = resolve(folder);
  const make = (): void => mkdirSync(path, { mode: 0o700 });
  try {
    make();
    return [path];
  } catch (error) {
    if (statOf(path)?.isDirectory()) return [];
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw asPlaceError(error, path);
    const above = makePrivateFolder(dirname(path));
    try {
      make();
    } catch (failed) {
      throw asPlaceError(failed, path);
    }
    return [...above, path];
  }
}

/** Whether the mode of a file may be changed by this user. Windows has no modes. */
const mayChange = ({ uid }: Stats): boolean => {
  const own = process.getuid?.();
  return own === 0 || own === uid;
};

function tighten(path: string, found: Stats): void {
  if ((found.mode & OTHERS) !== 0 && mayChange(found)) chmodSync(path, found.mode & 0o7777 & ~OTHERS);
}

/**
 * Creates the data folder of a program, or makes an existing one private.
 * A folder of another user, such as a mounted volume, is accepted when other users cannot write to it: all in it is private.
 * @returns the created folders, the topmost first
 * @throws PrivateFolderError when other users can change what is in it
 */
export function openPrivateFolder(folder: string): string[] {
  const made = makePrivateFolder(folder);
  const found = statSync(folder);
  if (process.platform === 'win32' || (found.mode & OTHERS) === 0) return made;
  if ((found.mode & STICKY) !== 0)
    throw new PrivateFolderError(`Other users share ${folder}. Choose a folder inside it.`);
  tighten(folder, found);
  const { mode } = statSync(folder);
  if ((mode & (mayChange(found) ? OTHERS : OTHERS_WRITE)) !== 0)
    throw new PrivateFolderError(
      `Other users can access ${folder}. Run chmod 700 on it, or choose a folder inside it, which is then created private.`,
    );
  return made;
}

/** Opens a new file that only its owner can access, for writing. It follows no link, and fails when the file exists. */
export const newPrivateFile = (file: string): Promise<FileHandle> => open(file, 'wx', 0o600);

/** The same, at once, as a file descriptor. */
export const openNewPrivateFile = (file: string): number => openSync(file, 'wx', 0o600);

/**
 * Creates an empty file that only its owner can access, or makes an existing one private. An existing file is not opened: closing it
 * would release the locks that SQLite holds on it in this process (POSIX advisory locks).
 * @throws PrivateFolderError for a link to a file that does not exist: its volume may be missing, and opening it would create another file
 */
export function keepPrivate(file: string): void {
  const found = statOf(file);
  try {
    if (found) tighten(file, found);
    else closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    // Another process has just created it, or it is a link.
    if (!statOf(file))
      throw new PrivateFolderError(
        `${file} is a link to a file that does not exist. Bring the file back, or remove the link.`,
      );
  }
}

/** The files that SQLite keeps beside a database. It creates them with the mode of the database. */
const BESIDE = ['-wal', '-shm', '-journal'];

/**
 * Opens an SQLite database that only its owner can access, and creates it when it does not exist: SQLite would create a file that all
 * users can read.
 * @throws the errors of SQLite, also for a file that is not a database
 */
export function openPrivateSqlite(file: string, options: DatabaseSyncOptions): DatabaseSync {
  // Loaded when it is used: Node 22 prints a warning.
  const sqlite = process.getBuiltinModule('node:sqlite');
  // SQLite's name of a database in memory is no file.
  if (file === ':memory:') return new sqlite.DatabaseSync(file, options);
  keepPrivate(file);
  // SQLite keeps them beside the file that a link leads to.
  const real = realpathSync(file);
  for (const end of BESIDE) {
    const found = statOf(real + end);
    if (found) tighten(real + end, found);
  }
  return new sqlite.DatabaseSync(file, options);
}
