import { UnavailableError } from '../../platform/unavailable-error.ts';

const BUSY = 5;

/**
 * SQLite result codes of temporary errors, where the statement itself was valid. The primary code is the low byte of an extended one.
 */
const TRANSIENT = new Map([
  [BUSY, 'another process keeps it locked'],
  [6, 'it is locked'],
  [7, 'out of memory'],
  [8, 'the disk is read only'],
  [10, 'the disk failed'],
  [13, 'the disk is full'],
  [14, 'a file cannot be opened'],
  [15, 'another process keeps locking it'],
]);

/** The primary result code of an error; undefined for errors that are not SQLite's. */
const primaryCode = (error: unknown): number | undefined => {
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === 'number' ? errcode & 0xff : undefined;
};

/** Whether an error is SQLite's "database is locked". */
export const isBusy = (error: unknown): boolean => primaryCode(error) === BUSY;

/** Converts an error of a statement: UnavailableError when a retry may succeed, else the error itself. */
export function faultOf(error: unknown): unknown {
  const why = TRANSIENT.get(primaryCode(error) ?? 0);
  return why === undefined ? error : new UnavailableError(`SQLite: ${why}.`, { cause: error });
}
