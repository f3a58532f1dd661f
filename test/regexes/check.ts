import { createRequire } from 'node:module';

type Verdict = {
  status: 'safe' | 'vulnerable' | 'unknown';
  complexity?: { type: string; degree?: number };
  attack?: { pattern: string };
};
type Checker = { checkSync(source: string, flags: string, options: object): Verdict };

// The build for browsers is plain JavaScript; the other one starts Java or a native program if available.
const require = createRequire(import.meta.url);
const { checkSync } = require('recheck/lib/browser.js') as Checker;
const { version } = require('recheck/package.json') as { version: string };

/** Limits in steps, not in time, so that every machine has the same verdict. */
const STEPS = {
  timeout: null,
  attackTimeout: null,
  incubationTimeout: null,
  seedingTimeout: null,
  maxIteration: 2,
  incubationLimit: 10_000,
  attackLimit: 100_000_000,
  maxGenerationSize: 50,
  maxInitialGenerationSize: 200,
  crossoverSize: 10,
  mutationSize: 20,
  maxNFASize: 10_000,
};

/** The checker and its settings, on which a verdict depends in addition to the expression. */
export const CHECKER = JSON.stringify({ recheck: version, ...STEPS });

/** Why a regular expression takes more than linear time, with an example text; undefined when it is linear. */
export function whySlow(source: string, flags: string): string | undefined {
  const { status, complexity, attack } = checkSync(source, flags, STEPS);
  if (status === 'safe') return undefined;
  if (status === 'unknown') return 'undecided: write it more simply';
  const how =
    complexity?.degree === undefined ? complexity?.type : `${complexity.type}, degree ${complexity.degree}`;
  return `${how}, with ${attack?.pattern}`;
}
