import { configureGlobal } from 'fast-check';

/** An arbitrary number. */
const SEED = 20_260_718;

/**
 * Property tests use the same inputs in every run, so that only a change can make one fail. For new inputs, use `npm run fuzz` or
 * `SVC_TEST_SEED=<number>`.
 */
configureGlobal({ seed: Number(process.env.SVC_TEST_SEED ?? SEED) });
