/** Whether one more may pass now. */
export type TokenBucket = { take(): boolean };

/**
 * So many at once, and so many a second after that.
 * @param now milliseconds that never go back
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
