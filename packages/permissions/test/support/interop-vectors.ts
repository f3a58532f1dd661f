import type { Manifest, PermissionDiff, SignedFootprint } from '@svc/contracts';
import { type InteropFiles, interopJson } from '@svc/testkit';
import { FIELDS } from '../../src/index.ts';
import { COMMON, COMMON_FACTS, type DiffCase, PICTURES, type Pictures } from './diff-parts.ts';
import { FACE } from './face-cases.ts';
import { NOT_WIDENING } from './other-cases.ts';
import { WIDENING } from './widening-cases.ts';
import { TOOLS_WIDENING } from './widening-tools.ts';

/** Two manifests and their difference: see interop/permissions/README.md. */
export type DiffVector = {
  name: string;
  why: string;
  before: Manifest | null;
  after: Manifest;
  pictures: { before: Pictures; after: Pictures };
  facts: SignedFootprint;
  diff: PermissionDiff;
  widensBy: string[];
};

/** The difference of a version from itself. */
const NO_DIFFERENCE: PermissionDiff = {
  baseVersion: COMMON.version,
  ...{ grantsAdded: [], grantsRemoved: [], domainsAdded: [], domainsRemoved: [] },
  ...{ accountsAdded: [], accountsRemoved: [], fileParamsAdded: [], fileParamsRemoved: [] },
  ...{ requiresAdded: [], requiresRemoved: [], toolsAdded: [], toolsRemoved: [], toolsChanged: [] },
  ...{ confirmRemoved: [], toolAccountsChanged: [], fileLimitsRaised: [], authEndpointsChanged: [] },
  mcpUrlChanged: false,
  widens: false,
  changes: [],
};

const vectorOf = ([name, given]: [string, DiffCase]): DiffVector => {
  const { why, before = COMMON, after, facts, pictures, diff, changes, widensBy = [] } = given;
  return {
    ...{ name, why, before, after },
    pictures: { before: { ...PICTURES, ...pictures?.before }, after: { ...PICTURES, ...pictures?.after } },
    facts: { ...COMMON_FACTS, ...facts },
    diff: { ...NO_DIFFERENCE, ...diff, widens: changes.some(({ widens }) => widens), changes },
    widensBy,
  };
};

/** Every vector, as interop/permissions/vectors.json lists it. */
const diffVectors = (): DiffVector[] =>
  [WIDENING, TOOLS_WIDENING, FACE, NOT_WIDENING].flatMap((cases) => Object.entries(cases).map(vectorOf));

/** The class of every field, and how it grows. */
const classes = () =>
  Object.entries(FIELDS).map(([field, rule]) => ({
    field,
    class: rule.class,
    ...('grows' in rule && { grows: rule.grows }),
    ...('keyOf' in rule && { keyOf: rule.keyOf }),
  }));

/** The files of `interop/permissions`. */
export const diffFiles = (): InteropFiles =>
  new Map([
    ['vectors.json', interopJson(diffVectors())],
    ['fields.json', interopJson(classes())],
  ]);
