/** The time; handed in, so that tests own it. */
export type Clock = () => Date;

/** Bytes nobody can guess. */
export type RandomBytes = (length: number) => Uint8Array;

/** Runs work that must happen wholly or not at all, with stores that see one transaction. */
export type UnitOfWork<Stores> = <T>(work: (stores: Stores) => Promise<T>) => Promise<T>;

/** The part of a logger that use cases need. Fields never hold secrets. */
export type Log = {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
};
