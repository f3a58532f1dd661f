/** Work that runs a few pieces at a time. */
export type Beside<T> = {
  /** How many pieces run at once. */
  atOnce: number;
  /** The next piece that may run beside those under way; undefined when there is none. */
  next(running: readonly T[]): Promise<T | undefined>;
  work(piece: T): Promise<void>;
  /** Stops after the pieces under way. */
  signal?: AbortSignal | undefined;
};

/**
 * Runs pieces of work beside each other until `next` has none. As `next` knows what is under way, it can give each tenant a share: a
 * slow piece then holds up only what `next` does not start beside it.
 * @throws the first failure, after the pieces under way
 */
export async function runBeside<T>({ atOnce, next, work, signal }: Beside<T>): Promise<void> {
  const running = new Map<T, Promise<unknown>>();
  const failures: unknown[] = [];
  /** Starts the next piece that may run now; false when there is none. */
  const startNext = async (): Promise<boolean> => {
    if (signal?.aborted || failures.length > 0 || running.size >= atOnce) return false;
    const piece = await next([...running.keys()]);
    if (piece === undefined) return false;
    const done = work(piece)
      .catch((error: unknown) => failures.push(error))
      .finally(() => running.delete(piece));
    running.set(piece, done);
    return true;
  };
  for (;;) {
    // Those that end while the next is looked up may have kept it back: it is looked up again.
    const beside = running.size;
    if (await startNext()) continue;
    if (beside === 0) break;
    if (running.size > 0) await Promise.race(running.values());
  }
  if (failures.length > 0) throw failures[0];
}
