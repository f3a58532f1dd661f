import { LIMITS, STORE_API_VERSION } from '@svc/contracts/vocabulary';
import { repairList } from '../repairs.ts';
import { errorRule, inManifest, type Mode, type Repair } from '../rule.ts';
import { isText, show, textFault } from '../text.ts';
import { badItems, isFields } from '../values.ts';

const API_VERSIONS: ReadonlySet<unknown> = new Set([1, 2, STORE_API_VERSION]);

const isSentence = (item: unknown): item is string => isText(item, LIMITS.manifest.permission);

/** The document as a whole, and required fields. */
export const manifestRules = [
  errorRule('manifest.not-object', 'manifest', {
    message: (value) => `The manifest must be a JSON object, not ${show(value)}.`,
    why: 'A manifest consists of named fields.',
    example: {
      path: '',
      broken: { files: { 'plugin.json': '["com.example.notes", "Notes"]' } },
      fixed: { manifest: { id: 'com.example.notes', name: 'Notes' } },
    },
    fails: (manifest) => !isFields(manifest),
  }),
  errorRule('manifest.api-version', 'pluginApiVersion', {
    message: (value) =>
      `"pluginApiVersion" must be the number ${STORE_API_VERSION} (1 or 2 for old local folders), not ${show(value)}.${didYouMeanNumber(value)}`,
    why: 'The version determines which fields exist and what they mean.',
    example: inManifest('/pluginApiVersion', { pluginApiVersion: '3' }, { pluginApiVersion: 3 }),
    fails: (version) => !API_VERSIONS.has(version),
    repair: (value, { mode }) => repairApiVersion(value, mode),
  }),
  errorRule('manifest.api-version-store', 'pluginApiVersion', {
    message: (value) => `"pluginApiVersion" of a store app must be ${STORE_API_VERSION}, not ${show(value)}.`,
    why: 'Older formats have no accounts, no remote server and no grants, so there is nothing to review.',
    example: inManifest('/pluginApiVersion', { pluginApiVersion: 2 }, { pluginApiVersion: 3 }),
    fails: (version, { mode }) => mode === 'store' && version !== STORE_API_VERSION,
    repair: () => ({ put: STORE_API_VERSION }),
  }),
  errorRule('description.missing', 'description', {
    message: (value) => textFault('"description"', value, LIMITS.manifest.description),
    why: 'The catalogue shows it. One or two sentences tell users what the app is for.',
    example: inManifest('/description', { description: '' }, { description: 'Finds what you wrote down.' }),
    fails: (description) => !isText(description, LIMITS.manifest.description),
  }),
  errorRule('permissions.format', 'permissions', {
    message: `"permissions" must be a list of sentences of 1 to ${LIMITS.manifest.permission} characters each. Write [] if there are none.`,
    why: 'Users read these sentences before they install the app.',
    example: inManifest(
      '/permissions',
      { permissions: 'Reads your notes.' },
      { permissions: ['Reads your notes.'] },
    ),
    fails: (permissions) => badItems(permissions, isSentence),
    repair: (value, _context, { step }) => repairList(value, step, isSentence),
  }),
  errorRule('permissions.empty', 'permissions.list', {
    message:
      'The app requests grants, but "permissions" explains none of them: write a sentence for each grant.',
    why: 'Users can only agree to what is explained. Every app has "storage", which needs no sentence.',
    example: inManifest(
      '/permissions',
      { permissions: [], grants: ['files:receive'] },
      { permissions: ['Reads the files you hand it.'], grants: ['files:receive'] },
    ),
    fails: (permissions, { facts }) =>
      permissions.length === 0 && [...(facts.grants ?? [])].some(needsExplaining),
  }),
  errorRule('contributes.missing', 'contributes', {
    message: (value) =>
      `"contributes" must be an object, not ${show(value)}. Write {} if the app adds nothing.`,
    why: 'An app that adds nothing must say so explicitly, because the field could have been forgotten.',
    example: inManifest('/contributes', { contributes: undefined }, { contributes: {} }),
    fails: (contributes) => !isFields(contributes),
    repair: (value) => (value === undefined ? { put: {} } : undefined),
  }),
] as const;

const NO_EXPLANATION = 'storage';

/** Whether a grant must be explained. Another rule reports unknown grants. */
function needsExplaining(grant: unknown): boolean {
  return typeof grant === 'string' && grant !== NO_EXPLANATION;
}

/** Parses a version that is written as a string. */
function apiVersionIn(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^[123]$/.test(value.trim()) ? Number(value) : undefined;
  return API_VERSIONS.has(number) ? number : undefined;
}

function didYouMeanNumber(value: unknown): string {
  const version = apiVersionIn(value);
  return version === undefined ? '' : ` Did you mean the number ${version}?`;
}

/** For a store app a missing version can only be the current one; a local folder may use any of the three. */
function repairApiVersion(value: unknown, mode: Mode): Repair | undefined {
  const version = value === undefined && mode === 'store' ? STORE_API_VERSION : apiVersionIn(value);
  return version === undefined ? undefined : { put: version };
}
