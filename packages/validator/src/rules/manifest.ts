import { LIMITS, STORE_API_VERSION } from '@svc/contracts/vocabulary';
import { repairList } from '../repairs.ts';
import { defineRule, type Mode, type Repair } from '../rule.ts';
import { isText, show, textFault } from '../text.ts';
import { badItems, isFields } from '../values.ts';

const API_VERSIONS: ReadonlySet<unknown> = new Set([1, 2, STORE_API_VERSION]);

const isSentence = (item: unknown): item is string => isText(item, LIMITS.manifest.permission);

/** The document as a whole, and the fields every app must have beside its name. */
export const manifestRules = [
  defineRule({
    code: 'manifest.not-object',
    level: 'error',
    target: 'manifest',
    message: (value) => `The manifest must be a JSON object in braces, not ${show(value)}.`,
    why: 'Everything an app says about itself is a named field.',
    example: {
      path: '',
      broken: { files: { 'plugin.json': '["com.example.notes", "Notes"]' } },
      fixed: { manifest: { id: 'com.example.notes', name: 'Notes' } },
    },
    fails: (manifest) => !isFields(manifest),
  }),
  defineRule({
    code: 'manifest.api-version',
    level: 'error',
    target: 'pluginApiVersion',
    message: (value) =>
      `"pluginApiVersion" must be the number ${STORE_API_VERSION} (1 or 2 for old local folders), not ${show(value)}.${didYouMeanNumber(value)}`,
    why: 'It tells a reader which fields to expect; guessing would give the fields another meaning.',
    example: {
      path: '/pluginApiVersion',
      broken: { manifest: { pluginApiVersion: '3' } },
      fixed: { manifest: { pluginApiVersion: 3 } },
    },
    fails: (version) => !API_VERSIONS.has(version),
    repair: (value, { mode }) => repairApiVersion(value, mode),
  }),
  defineRule({
    code: 'manifest.api-version-store',
    level: 'error',
    target: 'pluginApiVersion',
    message: (value) => `Store apps are written in format ${STORE_API_VERSION}, not ${show(value)}.`,
    why: 'The older formats have no accounts, no remote server and no grants to review.',
    example: {
      path: '/pluginApiVersion',
      broken: { manifest: { pluginApiVersion: 2 } },
      fixed: { manifest: { pluginApiVersion: 3 } },
    },
    fails: (version, { mode }) => mode === 'store' && version !== STORE_API_VERSION,
    repair: () => ({ put: STORE_API_VERSION }),
  }),
  defineRule({
    code: 'description.missing',
    level: 'error',
    target: 'description',
    message: (value) => textFault('"description"', value, LIMITS.manifest.description),
    why: 'The catalogue shows it; one or two sentences tell people what the app is for.',
    example: {
      path: '/description',
      broken: { manifest: { description: '' } },
      fixed: { manifest: { description: 'Finds what you wrote down.' } },
    },
    fails: (description) => !isText(description, LIMITS.manifest.description),
  }),
  defineRule({
    code: 'permissions.format',
    level: 'error',
    target: 'permissions',
    message: `"permissions" must be a list of sentences of 1 to ${LIMITS.manifest.permission} characters each; write [] when there are none.`,
    why: 'People read these sentences before they install, so each must be one that can be read.',
    example: {
      path: '/permissions',
      broken: { manifest: { permissions: 'Reads your notes.' } },
      fixed: { manifest: { permissions: ['Reads your notes.'] } },
    },
    fails: (permissions) => badItems(permissions, isSentence),
    repair: (value, _context, { step }) => repairList(value, step, isSentence),
  }),
  defineRule({
    code: 'permissions.empty',
    level: 'error',
    target: 'permissions.list',
    message: 'The app asks for grants but explains none: write a sentence for each grant.',
    why: 'Nobody can agree to something that is not explained. "storage" is always there and needs no sentence.',
    example: {
      path: '/permissions',
      broken: { manifest: { permissions: [], grants: ['files:receive'] } },
      fixed: { manifest: { permissions: ['Reads the files you hand it.'], grants: ['files:receive'] } },
    },
    fails: (permissions, { facts }) =>
      permissions.length === 0 && [...(facts.grants ?? [])].some(needsExplaining),
  }),
  defineRule({
    code: 'contributes.missing',
    level: 'error',
    target: 'contributes',
    message: (value) => `"contributes" must be an object ({} when the app adds nothing), not ${show(value)}.`,
    why: 'An app that adds nothing should say so; a forgotten field looks the same as an empty one.',
    example: {
      path: '/contributes',
      broken: { manifest: { contributes: undefined } },
      fixed: { manifest: { contributes: {} } },
    },
    fails: (contributes) => !isFields(contributes),
    repair: (value) => (value === undefined ? { put: {} } : undefined),
  }),
] as const;

const NO_EXPLANATION = 'storage';

/** A grant of unknown name is the business of another rule, which reports it anyway. */
function needsExplaining(grant: unknown): boolean {
  return typeof grant === 'string' && grant !== NO_EXPLANATION;
}

/** The version that a text in quotes is. */
function apiVersionIn(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^[123]$/.test(value.trim()) ? Number(value) : undefined;
  return API_VERSIONS.has(number) ? number : undefined;
}

function didYouMeanNumber(value: unknown): string {
  const version = apiVersionIn(value);
  return version === undefined ? '' : ` Did you mean the number ${version}?`;
}

/** A store app that names no version can only be of the one that the store takes; a local folder may be of three. */
function repairApiVersion(value: unknown, mode: Mode): Repair | undefined {
  const version = value === undefined && mode === 'store' ? STORE_API_VERSION : apiVersionIn(value);
  return version === undefined ? undefined : { put: version };
}
