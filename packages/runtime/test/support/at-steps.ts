import { DEEP } from '@svc/testkit';
import { it } from 'vitest';

/** Steps of a piece of work, counted from 1. */
type Choose = (steps: number) => number[];

const every: Choose = (steps) => Array.from({ length: steps }, (_, at) => at + 1);

/** The first, one in the middle, and the last but one: work in the background may take a step less the next time. */
const some: Choose = (steps) => [1, Math.ceil(steps / 2), steps - 1];

/**
 * A test that ends a process at some steps of its work; `npm run test:deep` does it at every step, which takes a minute.
 * @param run is given what chooses the steps
 */
export function itAtSteps(title: string, run: (choose: Choose) => Promise<void>): void {
  it(`${title}: at three steps`, { timeout: 600_000 }, () => run(some));
  it(`${title}: at every step`, { ...DEEP, timeout: 600_000 }, () => run(every));
}
