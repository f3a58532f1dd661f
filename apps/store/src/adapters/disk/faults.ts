import { UnavailableError } from '../../platform/unavailable-error.ts';

/** Returns the result of an operation on a file; null when the file does not exist. */
export const orNull = <T>(work: Promise<T>): Promise<T | null> =>
  work.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });

/** Codes of a folder or file that this process may only read, as of a mounted secret. */
const READ_ONLY = new Set(['EROFS', 'EACCES', 'EPERM']);

/** Awaits a change of a file. @returns false when this process may only read there */
export const unlessReadOnly = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (READ_ONLY.has(error.code ?? '')) return false;
      throw error;
    },
  );

/** Error codes (errno(3)) of a full or failing disk, or of a process out of resources: not the fault of the caller, and temporary. */
const FULL_OR_FAILING = ['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS', 'EMFILE', 'ENFILE', 'ENOMEM'];

/** Codes of a missing folder or volume. Code that expects missing files checks for them first. */
const GONE = ['ENOENT', 'ENOTDIR', 'ESTALE', 'ENOTCONN', 'ENODEV', 'ENXIO'];

const TRANSIENT = new Set([...FULL_OR_FAILING, ...GONE]);

/** Converts a disk error: UnavailableError when a retry may succeed, else the error itself. */
function faultOf(error: unknown): unknown {
  const { code } = error as { code?: unknown };
  if (typeof code !== 'string' || !TRANSIENT.has(code)) return error;
  return new UnavailableError(`The disk: ${code}.`, { cause: error });
}

/** Awaits a disk operation, and converts its errors. */
export const onDisk = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw faultOf(error);
  });
