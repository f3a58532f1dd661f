import type { Random } from './random.ts';
import type { Backend } from './site.ts';

/** What an experiment is run with. */
export type Setup = {
  backend: Backend;
  random: Random;
  /** How much of it: rounds, kills, or struck steps; each experiment says which. */
  count: number;
  /** Only this step of those it would go through; all when null. */
  step: number | null;
};

/** What became of it: one line of counts, and what went wrong, each with what makes it again. */
export type Outcome = { counts: string; failures: string[] };

export type Experiment = {
  name: string;
  /** The back ends it is about. */
  backends: readonly Backend['name'][];
  /** How much of it a whole run does. */
  count: number;
  run(setup: Setup): Promise<Outcome>;
};
