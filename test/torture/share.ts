import { expect } from 'vitest';
import type { Experiment } from '../../tools/torture/outcome.ts';
import { randomOf } from '../../tools/torture/random.ts';
import type { Backend } from '../../tools/torture/site.ts';

const SEED = 1;

/** Runs a small part of an experiment, and expects no failures. */
export async function expectUnhurt(experiment: Experiment, backend: Backend, count: number): Promise<void> {
  const { failures } = await experiment.run({ backend, random: randomOf(SEED), count, step: null });
  expect(failures).toEqual([]);
}
