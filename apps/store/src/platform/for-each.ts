/**
 * Does work for each of many things, a few at a time, and is over when the last of it is.
 * @param lanes how many are under way at a time
 * @throws what the first that failed threw; nothing is begun after it
 */
export async function forEach<T>(
  things: AsyncIterable<T>,
  work: (thing: T) => Promise<void>,
  lanes: number,
): Promise<void> {
  const iterator = things[Symbol.asyncIterator]();
  let hasFailed = false;
  const lane = async () => {
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
  const ends = await Promise.allSettled(Array.from({ length: lanes }, lane));
  await iterator.return?.();
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}
