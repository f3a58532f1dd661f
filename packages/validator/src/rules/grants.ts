import { BUILT_IN_GRANTS, STORE_GRANTS } from '@svc/contracts/vocabulary';
import { didYouMean, namesOf, repairName } from '../names.ts';
import { defineRule } from '../rule.ts';
import { show } from '../text.ts';
import { badItems } from '../values.ts';

const BUILT_IN: ReadonlySet<string> = new Set(BUILT_IN_GRANTS);
const KNOWN: ReadonlySet<string> = new Set([...STORE_GRANTS, ...BUILT_IN_GRANTS]);
/** The grants that are of use to the caller. */
const NAMES = { store: namesOf(STORE_GRANTS), dev: namesOf([...KNOWN]) } as const;

/** What the app asks to be allowed. */
export const grantRules = [
  defineRule({
    code: 'grants.format',
    level: 'error',
    target: 'grants',
    message: '"grants" must be a list of strings; leave it out when the app needs none.',
    why: 'What people agree to has to be a plain list that two versions can be compared by.',
    example: {
      path: '/grants',
      broken: { manifest: { grants: 'files:receive' } },
      fixed: { manifest: { grants: ['files:receive'] } },
    },
    fails: (grants) => grants !== undefined && badItems(grants, (item) => typeof item === 'string'),
  }),
  defineRule({
    code: 'grants.level',
    level: 'store-error',
    target: 'grant',
    message: (value) => `The grant ${show(value)} is for built-in and local apps only: remove it.`,
    why: "It reaches into the user's machine, where a store app has no business.",
    example: {
      path: '/grants/0',
      broken: { manifest: { grants: ['exec'] } },
      fixed: { manifest: { grants: [] } },
    },
    fails: (grant) => BUILT_IN.has(grant),
  }),
  defineRule({
    code: 'grants.unknown',
    level: 'error',
    target: 'grant',
    message: (value, { mode }) =>
      `There is no grant ${show(value)}: use one of ${STORE_GRANTS.join(', ')}.${didYouMean(value, NAMES[mode])}`,
    why: 'A misspelt grant would be agreed to and then give nothing.',
    example: {
      path: '/grants/0',
      broken: { manifest: { grants: ['files:recieve'] } },
      fixed: { manifest: { grants: ['files:receive'] } },
    },
    fails: (grant) => !KNOWN.has(grant),
    repair: (value, { mode }) => repairName(value, NAMES[mode]),
  }),
] as const;
