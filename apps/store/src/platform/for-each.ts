/**
 * Runs work for each item of an iterable, a few at a time, and resolves when all are done.
 * @param concurrency how many run at the same time
 * @throws the first error; no item is started after it
 */
export async function forEach<T>(
  items: AsyncIterable<T>,
  work: (item: T) => Promise<void>,
  concurrency: number,
): Promise<void> {
  const iterator = items[Symbol.asyncIterator]();
  let hasFailed = false;
  const worker = async () => {
    try {
      for (;;) {
        const next = await iterator.next();
        if (next.done || hasFailed) return;
        await work(next.value);
      }
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: concurrency }, worker));
  await iterator.return?.();
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}
