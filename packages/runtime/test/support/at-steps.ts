import { DEEP } from '@svc/testkit';
import { it } from 'vitest';

/** Chooses steps of an operation, counted from 1, and moments of it that a server sees. */
export type Choose = <Moment extends string = never>(
  steps: number,
  moments?: readonly Moment[],
) => (number | Moment)[];

const every: Choose = (steps, moments = []) => [
  ...Array.from({ length: steps }, (_, at) => at + 1),
  ...moments,
];

const middle: Choose = (steps, [moment] = []) => [moment ?? Math.ceil(steps / 2)];

/**
 * A test that kills a process in the middle of an operation; `npm run test:deep` kills it at every step, which takes a minute.
 * @param run receives the function that chooses the steps
 * @param quick options of the test that kills the process only in the middle
 */
export function itAtSteps(title: string, run: (choose: Choose) => Promise<void>, quick = {}): void {
  it(`${title}: in the middle`, { ...quick, timeout: 600_000 }, () => run(middle));
  it(`${title}: at every step`, { ...DEEP, timeout: 600_000 }, () => run(every));
}
