import { BUILT_IN_GRANTS, STORE_GRANTS } from '@svc/contracts/vocabulary';
import { errorRule, inManifest, storeErrorRule } from '../rule.ts';
import { didYouMean, namesOf, repairName, show } from '../text.ts';
import { badItems } from '../values.ts';

const BUILT_IN: ReadonlySet<string> = new Set(BUILT_IN_GRANTS);
const KNOWN: ReadonlySet<string> = new Set([...STORE_GRANTS, ...BUILT_IN_GRANTS]);
/** The grants that can be used in each mode. */
const NAMES = { store: namesOf(STORE_GRANTS), dev: namesOf([...KNOWN]) } as const;

/** The grants that the app requests. */
export const grantRules = [
  errorRule('grants.format', 'grants', {
    message: '"grants" must be a list of strings. Remove it if the app needs none.',
    why: 'Users agree to the grants, so two versions must be comparable grant by grant.',
    example: inManifest('/grants', { grants: 'files:receive' }, { grants: ['files:receive'] }),
    fails: (grants) => grants !== undefined && badItems(grants, (item) => typeof item === 'string'),
  }),
  storeErrorRule('grants.level', 'grant', {
    message: (value) => `Only built-in and local apps may have the grant ${show(value)}: remove it.`,
    why: "The grant gives access to the user's machine, which a store app must not have.",
    example: inManifest('/grants/0', { grants: ['exec'] }, { grants: [] }),
    fails: (grant) => BUILT_IN.has(grant),
  }),
  errorRule('grants.unknown', 'grant', {
    message: (value, { mode }) =>
      `Unknown grant ${show(value)}: use one of ${STORE_GRANTS.join(', ')}.${didYouMean(value, NAMES[mode])}`,
    why: 'Users would agree to a misspelt grant, and the app would not get it.',
    example: inManifest('/grants/0', { grants: ['files:recieve'] }, { grants: ['files:receive'] }),
    fails: (grant) => !KNOWN.has(grant),
    repair: (value, { mode }) => repairName(value, NAMES[mode]),
  }),
] as const;
