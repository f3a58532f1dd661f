/**
 * Work that several callers may wait for at once. It is begun by the first, and ended when none of them waits any longer.
 */
export function createSharedWork<T>(): (
  key: string,
  work: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
) => Promise<T> {
  const running = new Map<string, { result: Promise<T>; waiting: number; end: AbortController }>();
  return async (key, work, signal) => {
    signal.throwIfAborted();
    let shared = running.get(key);
    if (!shared) {
      const end = new AbortController();
      const result = work(end.signal).finally(() => running.delete(key));
      shared = { result, waiting: 0, end };
      running.set(key, shared);
    }
    const { result, end } = shared;
    shared.waiting += 1;
    const { promise: givenUp, reject } = Promise.withResolvers<never>();
    const giveUp = () => reject(signal.reason);
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      return await Promise.race([result, givenUp]);
    } finally {
      signal.removeEventListener('abort', giveUp);
      shared.waiting -= 1;
      if (shared.waiting === 0) {
        // Whoever comes now begins anew.
        if (running.get(key) === shared) running.delete(key);
        result.catch(() => undefined);
        end.abort(signal.reason);
      }
    }
  };
}
