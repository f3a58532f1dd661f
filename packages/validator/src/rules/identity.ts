import { LIMITS } from '@svc/contracts/vocabulary';
import { isReservedName } from '@svc/text';
import parseVersion from 'semver/functions/parse.js';
import { isMailAddress, isWebAddress, mailAddressMeant, webAddressMeant } from '../hosts.ts';
import { BUILT_IN_IDS, isAppId, isForeignId, suggestAppId } from '../ids.ts';
import { defineRule } from '../rule.ts';
import { isText, show, textFault } from '../text.ts';

/** Who the app is, and who made it. */
export const identityRules = [
  defineRule({
    code: 'id.missing',
    level: 'error',
    target: 'id',
    message: '"id" is missing: write a reverse-DNS name such as "com.example.notes".',
    why: 'The id is how the store, the client and every signature know the app; it stays for ever.',
    example: {
      path: '/id',
      broken: { manifest: { id: undefined } },
      fixed: { manifest: { id: 'com.example.notes' } },
    },
    fails: (id) => !isText(id, Number.POSITIVE_INFINITY),
  }),
  // Before id.format: the built-in ids have a single segment, and "it has one segment" would hide the better answer.
  defineRule({
    code: 'id.reserved',
    level: 'error',
    target: 'id.text',
    message: (value) => `The id ${show(value)} is not free: use a reverse-DNS name of your own domain.`,
    why: 'Ids of built-in apps, and the beginnings "gh-", "npm-" and "local." that the client gives to apps from elsewhere, would let an app pass for another one.',
    example: {
      path: '/id',
      broken: { manifest: { id: 'chat-artifacts' } },
      fixed: { manifest: { id: 'com.example.chat-artifacts' } },
    },
    fails: (id, { mode }) => BUILT_IN_IDS.has(id) || (mode === 'store' && isForeignId(id)),
  }),
  defineRule({
    code: 'id.format',
    level: 'error',
    target: 'id.text',
    message: (value) =>
      `The id ${show(value)} must have at least ${LIMITS.manifest.idSegments} parts joined by dots, of lowercase letters, digits and hyphens, ${LIMITS.manifest.id} characters at most: "com.example.notes".`,
    why: 'It becomes part of addresses and file names, where only these characters are safe everywhere.',
    example: {
      path: '/id',
      broken: { manifest: { id: 'Notes' } },
      fixed: { manifest: { id: 'com.example.notes' } },
    },
    fails: (id) => isText(id, Number.POSITIVE_INFINITY) && !isAppId(id),
    repair: (value, { mode }) => {
      const id = suggestAppId(value);
      return id === undefined || (mode === 'store' && isForeignId(id)) ? undefined : { put: id };
    },
  }),
  defineRule({
    code: 'name.missing',
    level: 'error',
    target: 'name',
    message: (value) => textFault('"name"', value, LIMITS.manifest.name),
    why: 'The name is what people look for; a longer one does not fit where it is shown.',
    example: {
      path: '/name',
      broken: { manifest: { name: '   ' } },
      fixed: { manifest: { name: 'Notes' } },
    },
    fails: (name) => !isText(name, LIMITS.manifest.name),
  }),
  defineRule({
    code: 'name.reserved',
    level: 'error',
    target: 'name.text',
    message: (value) => `The name ${show(value)} contains a reserved name: choose one without it.`,
    why: 'A name must not suggest that the service, or the owner of a protected name, made the app. Letter case, accents, lookalike letters, spaces and punctuation between letters make no difference.',
    example: {
      path: '/name',
      broken: { manifest: { name: 'Notes by SVC' } },
      fixed: { manifest: { name: 'Notes' } },
    },
    fails: (name, { reservedNames }) =>
      isText(name, LIMITS.manifest.name) && reservedNames.some((reserved) => isReservedName(name, reserved)),
  }),
  defineRule({
    code: 'version.format',
    level: 'error',
    target: 'version',
    message: (value) =>
      `The version ${show(value)} is not a semantic version: write "1.0.0" or "1.0.0-beta.1".`,
    why: 'Updates are told from older versions by the rules of semver, which know no "v1" and no "1.0".',
    example: {
      path: '/version',
      broken: { manifest: { version: 'v1.0' } },
      fixed: { manifest: { version: '1.0.0' } },
    },
    fails: (version) => typeof version !== 'string' || !isSemver(version),
    repair: (value) => {
      const version = semverMeant(value);
      return version === undefined ? undefined : { put: version };
    },
  }),
  defineRule({
    code: 'publisher.missing',
    level: 'error',
    target: 'publisher',
    message: (value) => textFault('"publisher"', value, LIMITS.manifest.publisher),
    why: 'The store lists the app under its publisher, and only members of that publisher may upload it.',
    example: {
      path: '/publisher',
      broken: { manifest: { publisher: undefined } },
      fixed: { manifest: { publisher: 'example' } },
    },
    fails: (publisher, { mode }) =>
      (mode === 'store' || publisher !== undefined) && !isText(publisher, LIMITS.manifest.publisher),
  }),
  defineRule({
    code: 'homepage.url',
    level: 'error',
    target: 'homepage',
    message: (value) =>
      `"homepage" must be an https address such as "https://example.com", not ${show(value)}.`,
    why: 'People follow this link from the store, so it must lead where it says, unaltered.',
    example: {
      path: '/homepage',
      broken: { manifest: { homepage: 'http://example.com' } },
      fixed: { manifest: { homepage: 'https://example.com' } },
    },
    fails: (homepage) => homepage !== undefined && !isWebAddress(homepage),
    repair: (value) => {
      const address = webAddressMeant(value);
      return address === undefined ? undefined : { put: address };
    },
  }),
  defineRule({
    code: 'support.url',
    level: 'error',
    target: 'support',
    message: (value) =>
      `"support" must be an https address or "mailto:" and one mail address, not ${show(value)}.`,
    why: 'It is the link people follow when something is wrong; it has to open for everybody.',
    example: {
      path: '/support',
      broken: { manifest: { support: 'help@example.com' } },
      fixed: { manifest: { support: 'mailto:help@example.com' } },
    },
    fails: (support) => support !== undefined && !isWebAddress(support) && !isMailAddress(support),
    repair: (value) => {
      const address = webAddressMeant(value) ?? mailAddressMeant(value);
      return address === undefined ? undefined : { put: address };
    },
  }),
] as const;

/** What semver would tidy up ("v1.0.0", " 1.0.0") is refused: two spellings of one version must not both be published. */
function isSemver(text: string): boolean {
  const parsed = parseVersion(text);
  if (parsed === null) return false;
  const build = parsed.build.length === 0 ? '' : `+${parsed.build.join('.')}`;
  return `${parsed.version}${build}` === text;
}

/** A version as people write it: perhaps "v" or "=" before it, perhaps the last numbers left out, perhaps more behind. */
const LOOSE_VERSION = /^[v=]?\s*(\d{1,16})(?:\.(\d{1,16}))?(?:\.(\d{1,16}))?([-+][\w.+-]{1,200})?$/i;

/** The semantic version that a loose one says; numbers left out are 0. A JSON number is no version: 1.10 is 1.1 there. */
function semverMeant(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const [, major, minor = '0', patch = '0', rest = ''] = LOOSE_VERSION.exec(value.trim()) ?? [];
  const version = `${major}.${minor}.${patch}${rest}`;
  return isSemver(version) ? version : undefined;
}
