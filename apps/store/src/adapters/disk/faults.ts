import { UnavailableError } from '../../platform/unavailable-error.ts';

/**
 * What the operating system says when a disk or a process has no room left or the disk fails (errno(3)): no fault of who
 * sent the bytes, and over once there is room again.
 */
const FULL_OR_FAILING = ['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS', 'EMFILE', 'ENFILE', 'ENOMEM'];

/** The same when a folder or volume is not where it was. Where a file may be missing, that is asked before. */
const GONE = ['ENOENT', 'ENOTDIR', 'ESTALE', 'ENOTCONN', 'ENODEV', 'ENXIO'];

const TRANSIENT = new Set([...FULL_OR_FAILING, ...GONE]);

/** What a failed step is to the store: Unavailable when it may succeed later, else itself. */
function faultOf(error: unknown): unknown {
  const { code } = error as { code?: unknown };
  if (typeof code !== 'string' || !TRANSIENT.has(code)) return error;
  return new UnavailableError(`The disk: ${code}.`, { cause: error });
}

/** Waits for something done with the disk; its faults are those of the store. */
export const onDisk = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw faultOf(error);
  });
