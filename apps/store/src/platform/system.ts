/** The time; handed in, so that tests own it. */
export type Clock = () => Date;

/** Bytes nobody can guess. */
export type RandomBytes = (length: number) => Uint8Array;

/** Runs work that must happen wholly or not at all, with stores that see one transaction. */
export type UnitOfWork<Stores> = <T>(work: (stores: Stores) => Promise<T>) => Promise<T>;

/** What the log says of a request. `actor` is who it was found to be, where it was asked. */
export type RequestLine = {
  requestId: string;
  address: string | null;
  method: string;
  /** The route's pattern, not the address: what a client put into the path or the query is never logged. */
  route: string;
  status: number;
  actor?: string;
};

/**
 * Puts a line about a request into the log.
 * @param ms that it took
 */
export type RequestLog = (line: RequestLine, ms: number) => void;

/** The part of a logger that use cases need. Fields never hold secrets. */
export type Log = {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
};

/** A request log that is part of another log. */
export const requestLogOf =
  (log: Pick<Log, 'info'>): RequestLog =>
  (line, ms) =>
    log.info({ ...line, ms: Math.round(ms * 10) / 10 }, 'request');
