/** Whether one more may pass now. */
export type Allowance = { take(): boolean };

/**
 * So many at once, and so many a second after that.
 * @param now milliseconds that never go back
 */
export function createAllowance(
  { burst, perSecond }: { burst: number; perSecond: number },
  now: () => number,
): Allowance {
  let left = burst;
  let at = now();
  return {
    take() {
      const time = now();
      left = Math.min(burst, left + Math.max(0, ((time - at) * perSecond) / 1_000));
      at = time;
      if (left < 1) return false;
      left -= 1;
      return true;
    },
  };
}
