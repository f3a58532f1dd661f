import { median } from './processes.ts';

/** Two functions to measure, each returning the milliseconds of one round. */
export type Sides = { readonly ours: () => number; readonly floor: () => number };

/** The time of one round, in milliseconds. */
export const timed = (work: () => unknown) => (): number => {
  const started = performance.now();
  work();
  return performance.now() - started;
};

/**
 * Alternates both measurements, so that noise affects both; the first rounds are a warm-up.
 * @returns the medians in milliseconds
 */
export function takeTurns({ ours, floor }: Sides, rounds: number): { ours: number; floor: number } {
  const warmUp = Math.ceil(rounds / 5);
  const times = { ours: [] as number[], floor: [] as number[] };
  for (let round = -warmUp; round < rounds; round += 1) {
    const took = { ours: ours(), floor: floor() };
    if (round < 0) continue;
    times.ours.push(took.ours);
    times.floor.push(took.floor);
  }
  return { ours: median(times.ours), floor: median(times.floor) };
}
