import { LIMITS, MANIFEST_FILE } from '@svc/contracts/vocabulary';
import { codePointName } from '@svc/text';
import { whyExecutable } from '../magic.ts';
import { didYouMean, namesOf } from '../names.ts';
import { disguiseOf, isScore, reasonsFor } from '../obfuscation/disguise.ts';
import { unsafePathReason } from '../paths.ts';
import { defineRule } from '../rule.ts';
import type { HiddenText } from '../targets.ts';
import { show } from '../text.ts';
import { isFields, own } from '../values.ts';

/** All that may lie directly under the root of a bundle. */
const TOP_LEVEL: ReadonlySet<string> = new Set([
  MANIFEST_FILE,
  'ui/',
  'assets/',
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
  'LICENSE.md',
]);

/** Script in the manner of an obfuscator: a table of strings, turned at load, looked up under made-up names. */
const OBFUSCATED = `var _0x3f2a=['log','hello'];(function(_0x1b7c,_0x4d9e){while(--_0x4d9e){_0x1b7c['push'](_0x1b7c['shift']());}}(_0x3f2a,0x1a4));
var _0x5c1d=function(_0x2e8f){return _0x3f2a[_0x2e8f-0x0];};console[_0x5c1d('0x0')](_0x5c1d('0x1'));
`;

const isHidden = (problem: unknown): problem is HiddenText => isFields(problem);

function hiddenText({ codePoint, index, lines }: HiddenText): string {
  const name = codePointName(codePoint);
  if (!lines && (name === 'U+000A' || name === 'U+0009'))
    return `This text must be one line, and has ${name} at position ${index}: line feeds and tabs may stand in descriptions and Markdown alone.`;
  return `This text has ${name} at position ${index}, a character that readers cannot see: remove it.`;
}

/** The zip and the files in it. */
export const bundleRules = [
  defineRule({
    code: 'bundle.size',
    level: 'error',
    target: 'bundle.size',
    message: (value) =>
      `The bundle has ${show(value)} bytes: ${LIMITS.bundle.bytes} (25 MiB) is the most it may have.`,
    why: 'Everybody who installs the app downloads it whole.',
    example: { path: '', broken: { size: LIMITS.bundle.bytes + 1 }, fixed: { size: LIMITS.bundle.bytes } },
    fails: (size) => size > LIMITS.bundle.bytes,
  }),
  defineRule({
    code: 'bundle.manifest',
    level: 'error',
    target: 'bundle.manifest',
    message: `There is no ${MANIFEST_FILE} at the root of the bundle: pack the folder's contents, not the folder.`,
    why: 'Without the manifest nothing is known of the app.',
    example: {
      path: MANIFEST_FILE,
      broken: { files: { [MANIFEST_FILE]: undefined } },
      fixed: { manifest: { id: 'com.example.notes', name: 'Notes' } },
    },
    fails: (isThere) => !isThere,
  }),
  defineRule({
    code: 'bundle.manifest.json',
    level: 'error',
    target: 'bundle.manifest.problem',
    message: (problem) =>
      isHidden(problem) ? hiddenText(problem) : `${MANIFEST_FILE} is not valid JSON: ${String(problem)}.`,
    why: 'Two programs must never read two manifests out of one file, so doubtful JSON is refused: a key that stands twice, a byte order mark, half a surrogate pair, bytes that are not UTF-8, nesting beyond all use. Two people must not read two texts out of one string either: what is shown holds no control, bidi or other hidden characters. Line feeds and tabs may stand in descriptions and in Markdown.',
    example: {
      path: MANIFEST_FILE,
      broken: { files: { [MANIFEST_FILE]: '{ "name": "Notes", "name": "Notes 2" }' } },
      fixed: { manifest: { name: 'Notes' } },
    },
    fails: () => true,
  }),
  defineRule({
    code: 'bundle.missing',
    level: 'error',
    target: 'bundle.reference',
    message: (value, { entries }) => missingText(String(value), [...(entries?.keys() ?? [])]),
    why: 'The manifest names the file, so something will be shown from it.',
    example: {
      path: '/branding/icon',
      broken: { manifest: { branding: { icon: 'assets/Icon.svg' } } },
      fixed: { manifest: { branding: { icon: 'assets/icon.svg' } } },
    },
    fails: (name, { entries }) => entries?.has(name) === false,
    repair: (value, { entries }, { around, step }) => {
      // A page that is only there by default is not in the manifest to be corrected.
      const isWritten = isFields(around) ? own(around, String(step)) === value : Array.isArray(around);
      const [other, ...others] = inOtherLetterCase(String(value), [...(entries?.keys() ?? [])]);
      return isWritten && other !== undefined && others.length === 0 ? { put: other } : undefined;
    },
  }),
  defineRule({
    code: 'bundle.path',
    level: 'error',
    target: 'bundle.name',
    message: (value) =>
      `The name ${show(value)} is not safe on every machine: ${unsafePathReason(String(value)) ?? ''}. Rename the file.`,
    why: 'Unpacked elsewhere, such a name opens a device, leaves its folder or cannot be written at all.',
    example: {
      path: 'assets/aux.txt',
      broken: { files: { 'assets/aux.txt': 'notes' } },
      fixed: { files: { 'assets/auxiliary.txt': 'notes' } },
    },
    fails: (name) => unsafePathReason(name) !== undefined,
  }),
  defineRule({
    code: 'bundle.executable',
    level: 'error',
    target: 'bundle.file',
    message: (value) => `This file may not be in a bundle: ${executableReason(value)}. Remove it.`,
    why: "A store app runs no code on the user's machine; pages in the panel's sandbox are all it brings.",
    example: {
      path: 'assets/install.sh',
      broken: { files: { 'assets/install.sh': '#!/bin/sh\necho hello\n' } },
      fixed: { files: { 'assets/install.md': '# How to install\n' } },
    },
    fails: (file) => whyExecutable(file) !== undefined,
  }),
  defineRule({
    code: 'bundle.unexpected',
    level: 'error',
    target: 'bundle.top',
    message: (value) =>
      `${show(value)} may not lie at the top of a bundle: move it under ui/ or assets/, or name it in .svcignore to leave it out.`,
    why: 'A bundle holds what the app shows; sources, tests and settings of tools do not belong to it.',
    example: {
      path: 'package.json',
      broken: { files: { 'package.json': '{}' } },
      fixed: { files: { 'package.json': undefined } },
    },
    fails: (top) => !TOP_LEVEL.has(top),
  }),
  defineRule({
    code: 'bundle.obfuscated',
    level: 'warning',
    target: 'bundle.script',
    message: (found) =>
      `The JavaScript in this file looks obfuscated: ${isScore(found) ? reasonsFor(found) : ''}. Minify it instead, or leave it as it is.`,
    why: 'Reviewers have to be able to read what the panel does. Minified code can be read; disguised code is meant not to be.',
    example: {
      path: 'ui/app.js',
      broken: { files: { 'ui/app.js': OBFUSCATED } },
      fixed: { files: { 'ui/app.js': "console.log('hello');\n" } },
    },
    fails: (script) => {
      const score = disguiseOf(script, script.budget);
      return score !== undefined && [{ at: [], value: score }];
    },
  }),
  defineRule({
    code: 'bundle.readme',
    level: 'warning',
    target: 'bundle.readme',
    message: 'There is no README.md at the root of the bundle: write what the app does and how to start.',
    why: 'It becomes the description of the app in the store.',
    example: {
      path: 'README.md',
      broken: { files: { 'README.md': undefined } },
      fixed: { files: { 'README.md': '# Notes\n' } },
    },
    fails: (isThere) => !isThere,
  }),
] as const;

function executableReason(file: unknown): string {
  if (!isFields(file) || typeof file.name !== 'string' || !(file.bytes instanceof Uint8Array)) return '';
  return whyExecutable({ name: file.name, bytes: file.bytes }) ?? '';
}

/** Says which file is missing, and whether one stands there in other letter case: the commonest mistake of all. */
function missingText(name: string, names: readonly string[]): string {
  const [other] = inOtherLetterCase(name, names);
  if (other !== undefined) {
    return `The bundle has no file ${show(name)}, but ${show(other)}: letter case counts.`;
  }
  const question = didYouMean(name, namesOf(names));
  return `The bundle has no file ${show(name)}: add it, or correct the path.${question}`;
}

function inOtherLetterCase(name: string, names: readonly string[]): string[] {
  const folded = name.toLowerCase();
  return names.filter((other) => other.toLowerCase() === folded);
}
