import { DEEP } from '@svc/testkit';
import { it } from 'vitest';

/** Steps of a piece of work, counted from 1. */
type Choose = (steps: number) => number[];

const every: Choose = (steps) => Array.from({ length: steps }, (_, at) => at + 1);

const middle: Choose = (steps) => [Math.ceil(steps / 2)];

/**
 * A test that ends a process in the middle of its work; `npm run test:deep` does it at every step, which takes a minute.
 * @param run is given what chooses the steps
 */
export function itAtSteps(title: string, run: (choose: Choose) => Promise<void>): void {
  it(`${title}: in the middle`, { timeout: 600_000 }, () => run(middle));
  it(`${title}: at every step`, { ...DEEP, timeout: 600_000 }, () => run(every));
}
