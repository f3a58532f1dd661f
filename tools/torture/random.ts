/** A deterministic generator of random numbers. */
export type Random = {
  /** A whole number from 0 to `end` exclusive. */
  below(end: number): number;
  /** A random item of a list. */
  of<T>(things: readonly T[]): T;
};

/** mulberry32: 32 bits of state are enough for this purpose. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number): number => Math.floor(next() * end);
  return { below, of: (things) => things[below(things.length)] as (typeof things)[number] };
}
