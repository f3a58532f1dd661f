import type { Random } from './random.ts';
import type { Backend } from './site.ts';

/** The setup of an experiment. */
export type Setup = {
  backend: Backend;
  random: Random;
  /** Rounds, kills or faults, depending on the experiment. */
  count: number;
  /** Only this step; null for all steps. */
  step: number | null;
};

/** The result: a line of counts, and the failures, each with the options that reproduce it. */
export type Outcome = { counts: string; failures: string[] };

export type Experiment = {
  name: string;
  /** The back ends that it supports. */
  backends: readonly Backend['name'][];
  /** The default `count`. */
  count: number;
  run(setup: Setup): Promise<Outcome>;
};
