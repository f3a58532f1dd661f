import pg from 'pg';
import { UnavailableError } from '../../platform/unavailable-error.ts';

/**
 * What the server says when the statement was fine and it cannot carry it out just now, by SQLSTATE or its class
 * (PostgreSQL appendix A): connection lost, transaction rolled back in favour of another, idle for too long in one,
 * read only after a failover, out of resources, lock or time run out, shutting down or starting up.
 */
const TRANSIENT = /^(?:08...|40001|40P01|25P03|25P04|25006|53...|55P03|57014|57P0[1-5])$/;

/** Errors of JavaScript: ours, not the connection's. */
const isBug = (error: unknown): boolean => error instanceof TypeError || error instanceof RangeError;

/** The connection is no use any more: what failed did so on this side of it, and it may be in the middle of an answer. */
export const losesConnection = (error: unknown): boolean => !(error instanceof pg.DatabaseError);

/** An error as one line. An error of several addresses that all failed has no message of its own. */
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
