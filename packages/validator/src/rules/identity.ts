import { LIMITS } from '@svc/contracts/vocabulary';
import { isReservedName } from '@svc/text';
import parseVersion from 'semver/functions/parse.js';
import { brandLike, brandOfId } from '../brands.ts';
import { isMailAddress, isWebAddress, suggestMailAddress, suggestWebAddress } from '../hosts.ts';
import { BUILT_IN_IDS, isAppId, isForeignId, suggestAppId } from '../ids.ts';
import { errorRule, inManifest, warningRule } from '../rule.ts';
import { isText, show, textFault } from '../text.ts';

/** Id, name, version and publisher of the app, and its links. */
export const identityRules = [
  errorRule('id.missing', 'id', {
    message: '"id" is missing: write a reverse-DNS name, such as "com.example.notes".',
    why: 'The id identifies the app in the store, in the client and in every signature. It can never change.',
    example: inManifest('/id', { id: undefined }, { id: 'com.example.notes' }),
    fails: (id) => !isText(id, Number.POSITIVE_INFINITY),
  }),
  // Before id.format: built-in ids have a single segment, and this message is more helpful for them.
  errorRule('id.reserved', 'id.text', {
    message: (value) => `The id ${show(value)} is reserved: use a reverse-DNS name of your own domain.`,
    why: 'With the id of a built-in app, or with one of the prefixes "gh-", "npm-" and "local." that the client uses for apps from other sources, an app could pose as another one.',
    example: inManifest('/id', { id: 'chat-artifacts' }, { id: 'com.example.chat-artifacts' }),
    fails: (id, { mode }) => BUILT_IN_IDS.has(id) || (mode === 'store' && isForeignId(id)),
  }),
  errorRule('id.format', 'id.text', {
    message: (value) =>
      `The id must have at least ${LIMITS.manifest.idSegments} parts of lowercase letters, digits and hyphens, separated by dots, and at most ${LIMITS.manifest.id} characters, such as "com.example.notes", not ${show(value)}.`,
    why: 'The id becomes part of URLs and file names, where only these characters are always safe.',
    example: inManifest('/id', { id: 'Notes' }, { id: 'com.example.notes' }),
    fails: (id) => isText(id, Number.POSITIVE_INFINITY) && !isAppId(id),
    repair: (value, { mode }) => {
      const id = suggestAppId(value);
      return id === undefined || (mode === 'store' && isForeignId(id)) ? undefined : { put: id };
    },
  }),
  errorRule('name.missing', 'name', {
    message: (value) => textFault('"name"', value, LIMITS.manifest.name),
    why: 'Users search for the name. A longer one does not fit where it is shown.',
    example: inManifest('/name', { name: '   ' }, { name: 'Notes' }),
    fails: (name) => !isText(name, LIMITS.manifest.name),
  }),
  errorRule('name.reserved', 'name.text', {
    message: (value) => `The name ${show(value)} contains a reserved name: choose another one.`,
    why: 'A name must not suggest that the app is from the service or from the owner of a protected name. Letter case, accents, lookalike letters, and spaces and punctuation between letters are ignored in the comparison.',
    example: inManifest('/name', { name: 'Notes by SVC' }, { name: 'Notes' }),
    fails: (name, { reservedNames }) =>
      isText(name, LIMITS.manifest.name) && reservedNames.some((reserved) => isReservedName(name, reserved)),
  }),
  warningRule('lookalike.name', 'name.text', {
    message: (value) =>
      `The name ${show(value)} looks like ${brandLike(String(value))?.name}: a moderator compares them. Use a name of your own, or verify the website of its owner.`,
    why: 'Users must not take one app for another. Names are compared as they look: letter case, accents, lookalike letters, spaces and words such as "official" are ignored, and one different letter is not enough. The store also compares with the names of the apps that it lists.',
    example: inManifest('/name', { name: 'Githüb Pro' }, { name: 'Notes' }),
    fails: (name, { mode }) =>
      mode === 'store' && isText(name, LIMITS.manifest.name) && brandLike(name) !== undefined,
  }),
  warningRule('lookalike.id', 'id.text', {
    message: (value) =>
      `The id ${show(value)} begins with ${brandOfId(String(value))?.host}: a moderator asks for a proof. Use a domain of your own, or verify this one as the website of your publisher.`,
    why: 'An id in reverse-DNS notation says whose app it is.',
    example: inManifest('/id', { id: 'com.slack.notes' }, { id: 'com.example.notes' }),
    fails: (id, { mode }) => mode === 'store' && brandOfId(id) !== undefined,
  }),
  errorRule('version.format', 'version', {
    message: (value) =>
      `"version" must be a semantic version, such as "1.0.0" or "1.0.0-beta.1", not ${show(value)}.`,
    why: 'Versions are compared by the rules of semver, which do not allow "v1" or "1.0".',
    example: inManifest('/version', { version: 'v1.0' }, { version: '1.0.0' }),
    fails: (version) => typeof version !== 'string' || !isSemver(version),
    repair: (value) => {
      const version = suggestSemver(value);
      return version === undefined ? undefined : { put: version };
    },
  }),
  errorRule('publisher.missing', 'publisher', {
    message: (value) => textFault('"publisher"', value, LIMITS.manifest.publisher),
    why: 'The store lists the app under its publisher, and only members of the publisher may upload it.',
    example: inManifest('/publisher', { publisher: undefined }, { publisher: 'example' }),
    fails: (publisher, { mode }) =>
      (mode === 'store' || publisher !== undefined) && !isText(publisher, LIMITS.manifest.publisher),
  }),
  errorRule('homepage.url', 'homepage', {
    message: (value) => `"homepage" must be an https URL, such as "https://example.com", not ${show(value)}.`,
    why: 'Users open this link from the store. Without https, an attacker on the network can change the page.',
    example: inManifest('/homepage', { homepage: 'http://example.com' }, { homepage: 'https://example.com' }),
    fails: (homepage) => homepage !== undefined && !isWebAddress(homepage),
    repair: (value) => {
      const address = suggestWebAddress(value);
      return address === undefined ? undefined : { put: address };
    },
  }),
  errorRule('support.url', 'support', {
    message: (value) =>
      `"support" must be an https URL, or "mailto:" with one email address, not ${show(value)}.`,
    why: 'Users open this link when they need help, so it must work for all of them.',
    example: inManifest('/support', { support: 'help@example.com' }, { support: 'mailto:help@example.com' }),
    fails: (support) => support !== undefined && !isWebAddress(support) && !isMailAddress(support),
    repair: (value) => {
      const address = suggestWebAddress(value) ?? suggestMailAddress(value);
      return address === undefined ? undefined : { put: address };
    },
  }),
] as const;

/** Refuses what semver would normalise ("v1.0.0", " 1.0.0"): two spellings of one version must not both be published. */
function isSemver(text: string): boolean {
  const parsed = parseVersion(text);
  if (parsed === null) return false;
  const build = parsed.build.length === 0 ? '' : `+${parsed.build.join('.')}`;
  return `${parsed.version}${build}` === text;
}

/** A loosely written version: "v" or "=" in front, missing minor or patch numbers, pre-release or build at the end. */
const LOOSE_VERSION = /^[v=]?\s*(\d{1,16})(?:\.(\d{1,16}))?(?:\.(\d{1,16}))?([-+][\w.+-]{1,200})?$/i;

/** Completes a loosely written version with zeros. A JSON number is not a version: 1.10 is parsed as 1.1. */
function suggestSemver(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const [, major, minor = '0', patch = '0', rest = ''] = LOOSE_VERSION.exec(value.trim()) ?? [];
  const version = `${major}.${minor}.${patch}${rest}`;
  return isSemver(version) ? version : undefined;
}
