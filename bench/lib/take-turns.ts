import { median } from './processes.ts';

/** Two things to measure, each giving what one round of it took, in milliseconds. */
export type Sides = { readonly ours: () => number; readonly floor: () => number };

/** What a round of some work takes, in milliseconds. */
export const timed = (work: () => unknown) => (): number => {
  const started = performance.now();
  work();
  return performance.now() - started;
};

/**
 * Measures both sides by turns, so that noise hits both; the first rounds warm up.
 * @returns the medians, in milliseconds
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
