/** Takes a token, and returns whether there was one. */
export type TokenBucket = { take(): boolean };

/**
 * Creates a token bucket: a burst, and a rate per second.
 * @param now monotonic clock in milliseconds
 */
export function createTokenBucket(
  { burst, perSecond }: { burst: number; perSecond: number },
  now: () => number,
): TokenBucket {
  let tokens = burst;
  let at = now();
  return {
    take() {
      const time = now();
      tokens = Math.min(burst, tokens + Math.max(0, ((time - at) * perSecond) / 1_000));
      at = time;
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
  };
}
