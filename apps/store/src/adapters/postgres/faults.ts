import pg from 'pg';
import { UnavailableError } from '../../platform/unavailable-error.ts';

/**
 * SQLSTATE codes or classes (PostgreSQL appendix A) of temporary errors, where the statement itself was valid: connection lost,
 * transaction rolled back in favour of another or idle for too long, read only after a failover, out of resources, lock or statement
 * timeout, server shutting down or starting.
 */
const TRANSIENT = /^(?:08...|40001|40P01|25P03|25P04|25006|53...|55P03|57014|57P0[1-5])$/;

/** Errors of JavaScript are bugs of this program, not connection errors. */
const isBug = (error: unknown): boolean => error instanceof TypeError || error instanceof RangeError;

/** The connection is unusable: the failure was on the client's side, possibly in the middle of a response. */
export const losesConnection = (error: unknown): boolean => !(error instanceof pg.DatabaseError);

/** An error as one line. An AggregateError of several failed addresses has no message. */
const lineOf = (error: unknown): string => {
  const { message, code } = error as { message?: string; code?: string };
  return message || code || 'for no reason given';
};

/** Converts an error of the connection to UnavailableError. */
export const unavailable = (error: unknown): UnavailableError =>
  new UnavailableError(`PostgreSQL: ${lineOf(error)}`, { cause: error });

/** Converts an error of a statement: UnavailableError when a retry may succeed, else the error itself. */
export function faultOf(error: unknown): unknown {
  if (isBug(error)) return error;
  if (error instanceof pg.DatabaseError && !TRANSIENT.test(error.code ?? '')) return error;
  return unavailable(error);
}
