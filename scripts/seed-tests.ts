import { configureGlobal } from 'fast-check';

/** Any number would do; this one has no meaning. */
const SEED = 20_260_718;

/**
 * Property tests try the same inputs at every run, so that a change is what makes one fail, and never luck. New inputs
 * are for `npm run fuzz`, and for `SVC_TEST_SEED=<number>`.
 */
configureGlobal({ seed: Number(process.env.SVC_TEST_SEED ?? SEED) });
