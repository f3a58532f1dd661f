import { LIMITS } from '@svc/contracts/vocabulary';
import { nearest } from '../nearest.ts';
import { repairNumber } from '../repairs.ts';
import { errorRule, type Facts, inManifest, inObject, type ManifestPatch, type Repair } from '../rule.ts';
import { show } from '../text.ts';
import { badItems, isFields, isWithin, own } from '../values.ts';

/** `type/subtype` or `type/*` (RFC 6838). Parameters such as `; charset` are not allowed: they do not select files. */
const MIME = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/(?:\*|[a-z0-9][a-z0-9!#$&^_.+-]{0,126})$/i;

const PARAM = /^[a-z0-9_]+$/;

/** Consists of allowed characters, but is not safe as a key of an object. */
const UNSAFE_PARAM = '__proto__';

const RECEIVE = 'files:receive';
const MEDIA = 'host:media';
const prepared = { image: { prepare: { op: 'resize', width: 1024 } } } as const;
const inImage = inObject('/contributes/tools/0/files/image', {}, (image) => withFiles({ image }));

/** The files that arguments of a tool accept. */
export const toolFileRules = [
  errorRule('tools.files', 'tool.files', {
    message: (value) =>
      `"files" must be an object that maps argument names to file rules, not ${show(value)}.`,
    why: 'The client sends files as arguments of the tool.',
    example: inManifest('/contributes/tools/0/files', withFiles(['image']), withFiles({ image: {} })),
    fails: (files) => files !== undefined && !isFields(files),
  }),
  errorRule('tools.files.grant', 'tool.files.map', {
    message: `A tool that accepts files needs the grant "${RECEIVE}": add it to "grants".`,
    why: 'With this grant, users agree that the app receives files.',
    example: inManifest('/contributes/tools/0/files', withFiles({ image: {} }, []), withFiles({ image: {} })),
    fails: (files, { facts }) => Object.keys(files).length > 0 && isNotRequested(facts, RECEIVE),
  }),
  errorRule('tools.files.param', 'tool.file.param', {
    message: (value) => `${show(value)} is not a valid argument name: use lowercase letters, digits and "_".`,
    why: 'The name becomes an argument of the tool call, and versions are compared by it.',
    example: inManifest(
      '/contributes/tools/0/files/Image',
      withFiles({ Image: {} }),
      withFiles({ image: {} }),
    ),
    fails: (param) => !PARAM.test(param) || param === UNSAFE_PARAM,
  }),
  errorRule('tools.files.rule', 'tool.file', {
    message:
      'A file rule must be an object ({} for any file); "multiple" is optional and must be true or false.',
    why: 'The rule tells the client which files to offer, and how many.',
    example: inManifest(
      '/contributes/tools/0/files/image',
      withFiles({ image: 'image/png' }),
      withFiles({ image: { accept: ['image/png'] } }),
    ),
    fails: (rule) => {
      if (!isFields(rule)) return true;
      const multiple = own(rule, 'multiple');
      if (multiple === undefined || typeof multiple === 'boolean') return false;
      return [{ at: ['multiple'], value: multiple }];
    },
  }),
  errorRule('tools.files.accept', 'tool.file.accept', {
    message:
      '"accept" must be a list of media types, such as "image/png" or "image/*". Remove it to accept any file.',
    why: 'The client selects files by media type, not by extension.',
    example: inImage('/accept/0', { accept: ['.png'] }, { accept: ['image/png'] }),
    fails: (accept) =>
      accept !== undefined && badItems(accept, (item) => typeof item === 'string' && MIME.test(item)),
    repair: (value, _context, { step }) => repairType(value, step),
  }),
  errorRule('tools.files.maxBytes', 'tool.file.maxBytes', {
    message: (value) =>
      `"maxBytes" must be a whole number from ${LIMITS.file.minBytes} to ${LIMITS.file.maxBytes}, not ${show(value)}.`,
    why: 'It is the maximum size of one file in bytes. The client does not send larger files.',
    example: inImage('/maxBytes', { maxBytes: LIMITS.file.maxBytes + 1 }, { maxBytes: LIMITS.file.maxBytes }),
    fails: (maxBytes) => maxBytes !== undefined && !isWithin(maxBytes, RANGE, true),
    repair: (value) => repairNumber(value, RANGE, true),
  }),
  errorRule('tools.files.prepare.grant', 'tool.file.prepare', {
    message: `"prepare" needs the grant "${MEDIA}": add it to "grants".`,
    why: 'With this grant, users agree that the client converts their files.',
    example: inManifest(
      '/contributes/tools/0/files/image/prepare',
      withFiles(prepared),
      withFiles(prepared, [RECEIVE, MEDIA]),
    ),
    fails: (_prepare, { facts }) => isNotRequested(facts, MEDIA),
  }),
] as const;

/** Maximum number of grants to compare; more than exist. */
const MAX_GRANTS = 20;

const RANGE = { min: LIMITS.file.minBytes, max: LIMITS.file.maxBytes };

/** Whether a grant is not requested. A misspelt one counts as requested: another rule reports it. */
function isNotRequested({ grants }: Facts, name: string): boolean {
  if (grants === undefined || grants.has(name)) return false;
  return ![...grants].slice(0, MAX_GRANTS).some((grant) => nearest(grant, [name]) === name);
}

/** A manifest with one tool that accepts these files. */
function withFiles(files: unknown, grants: readonly string[] = [RECEIVE]): ManifestPatch {
  const tool = { id: 'read', name: 'Read', description: 'Reads an image.', files };
  return { contributes: { tools: [tool] }, grants };
}

/** Extensions with exactly one media type (IANA). */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['webp', 'image/webp'],
  ['gif', 'image/gif'],
  ['svg', 'image/svg+xml'],
  ['pdf', 'application/pdf'],
  ['csv', 'text/csv'],
  ['txt', 'text/plain'],
  ['json', 'application/json'],
  ['zip', 'application/zip'],
]);

/** Replaces an extension by its media type, and wraps a single type in a list. */
function repairType(value: unknown, step: string | number): Repair | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  const type = MIME.test(text) ? text : TYPES.get(text.toLowerCase().replace(/^\./, ''));
  if (type === undefined) return undefined;
  return { put: typeof step === 'number' ? type : [type] };
}
