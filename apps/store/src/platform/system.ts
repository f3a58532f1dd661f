/**
 * Returns a number that changes with every commit to the database, by any process. Data that was read after a mark is current for as
 * long as the mark is the same. Null when the database has no such number, so that it must be queried.
 */
export type ChangeMark = () => number | null;

/** The current time. It is passed in, so that tests can control it. */
export type Clock = () => Date;

/** Returns cryptographically random bytes. */
export type RandomBytes = (length: number) => Uint8Array;

/** Runs work in one transaction. */
export type UnitOfWork<Stores> = <T>(work: (stores: Stores) => Promise<T>) => Promise<T>;

/** The log line of a request. `actor` is the caller, where the route authenticates one. */
export type RequestLine = {
  requestId: string;
  address: string | null;
  method: string;
  /** The pattern of the route. The path and the query of the client are never logged. */
  route: string;
  status: number;
  actor?: string;
};

/**
 * Logs a request.
 * @param ms its duration in milliseconds
 */
export type RequestLog = (line: RequestLine, ms: number) => void;

/** The part of a logger that use cases need. Fields never hold secrets. */
export type Log = {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
};

/** Creates a request log that writes to another log. */
export const requestLogOf =
  (log: Pick<Log, 'info'>): RequestLog =>
  (line, ms) =>
    log.info({ ...line, ms: Math.round(ms * 10) / 10 }, 'request');
