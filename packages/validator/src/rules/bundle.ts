import { LIMITS, MANIFEST_FILE, README_TEMPLATE } from '@svc/contracts/vocabulary';
import { codePointName } from '@svc/text';
import { isScore, obfuscationOf, reasonsFor } from '../obfuscation.ts';
import { extensionOf, unsafePathReason } from '../paths.ts';
import { errorRule, inFiles, inManifest, warningRule } from '../rule.ts';
import type { BundleFile, HiddenText } from '../targets.ts';
import { didYouMean, namesOf, show } from '../text.ts';
import { isFields, own } from '../values.ts';

/** Extensions of programs, libraries, installers and scripts. */
export const EXECUTABLE_EXTENSIONS: ReadonlySet<string> = new Set(
  'node dylib so dll exe sh command app pkg dmg py rb jar'.split(' '),
);

/** First four bytes, big-endian, of native code: ELF, Mach-O in both orders, fat Mach-O (and Java class), its 64-bit form. */
const NATIVE_MAGIC: ReadonlyMap<number, string> = new Map([
  [0x7f454c46, 'an ELF program'],
  [0xfeedface, 'a Mach-O program'],
  [0xfeedfacf, 'a Mach-O program'],
  [0xcefaedfe, 'a Mach-O program'],
  [0xcffaedfe, 'a Mach-O program'],
  [0xcafebabe, 'a universal Mach-O program or a Java class'],
  [0xbebafeca, 'a universal Mach-O program'],
  [0xcafebabf, 'a universal Mach-O program'],
  [0xbfbafeca, 'a universal Mach-O program'],
]);

/** Length of a DOS header in bytes; every Windows program begins with one. */
const DOS_HEADER = 64;

/** Why a file counts as executable, or undefined. Checks both the name and the first bytes: either can be misleading. */
export function executableReason({ name, bytes }: BundleFile): string | undefined {
  const extension = extensionOf(name);
  if (EXECUTABLE_EXTENSIONS.has(extension)) return `.${extension} files are executables`;
  if (/\.app\//i.test(name)) return 'it is inside an .app program';
  return nativeMagic(bytes);
}

function nativeMagic(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0x23 && bytes[1] === 0x21) return 'its first two bytes, "#!", make it a script';
  if (isWindowsProgram(bytes)) return 'its first bytes are those of a Windows program';
  if (bytes.length < 4) return undefined;
  const word = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0);
  const kind = NATIVE_MAGIC.get(word);
  return kind === undefined ? undefined : `its first bytes are those of ${kind}`;
}

/** Text can begin with "MZ" too, but a DOS header contains zero bytes. */
function isWindowsProgram(bytes: Uint8Array): boolean {
  return bytes[0] === 0x4d && bytes[1] === 0x5a && bytes.subarray(0, DOS_HEADER).includes(0);
}

/** The only files and folders at the top level of a bundle. */
const TOP_LEVEL: ReadonlySet<string> = new Set([
  MANIFEST_FILE,
  'ui/',
  'assets/',
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
  'LICENSE.md',
]);

/** The same, and names that other stores and editors use for them. */
const TOP_NAMES = namesOf([...TOP_LEVEL], {
  'plugin.jsonc': MANIFEST_FILE,
  'plugin.json.txt': MANIFEST_FILE,
  'manifest.json': MANIFEST_FILE,
  readme: 'README.md',
  'readme.txt': 'README.md',
  'readme.rst': 'README.md',
  'readme.markdown': 'README.md',
  changelog: 'CHANGELOG.md',
  'changelog.txt': 'CHANGELOG.md',
  'changes.md': 'CHANGELOG.md',
  'history.md': 'CHANGELOG.md',
  'license.txt': 'LICENSE',
  licence: 'LICENSE',
  'licence.md': 'LICENSE.md',
  'licence.txt': 'LICENSE',
  copying: 'LICENSE',
});

/** A bundle, or an artifact of a workflow that contains one. */
const PACKED = /^[^/]+\.(?:svc-app|zip)$/i;

/** Names the likely reason: a folder was packed with its name, or a bundle was packed again. */
function noManifestText(names: readonly string[]): string {
  const start = `There is no ${MANIFEST_FILE} at the root of the bundle`;
  const packed = names.find((name) => PACKED.test(name));
  if (packed !== undefined) return `${start}, but the zip ${show(packed)}: upload that file instead.`;
  const nested = names.find((name) => name.split('/', 3).length === 2 && name.endsWith(`/${MANIFEST_FILE}`));
  const where = nested === undefined ? '' : `, but ${show(nested)}`;
  return `${start}${where}: pack the folder's contents, not the folder.`;
}

/** Typical output of an obfuscator: a rotated table of strings, accessed through generated names. */
const OBFUSCATED = `var _0x3f2a=['log','hello'];(function(_0x1b7c,_0x4d9e){while(--_0x4d9e){_0x1b7c['push'](_0x1b7c['shift']());}}(_0x3f2a,0x1a4));
var _0x5c1d=function(_0x2e8f){return _0x3f2a[_0x2e8f-0x0];};console[_0x5c1d('0x0')](_0x5c1d('0x1'));
`;

/** `# Grüne Tafeln` in Latin-1. */
const NOT_UTF8 = Uint8Array.from('# Gr\u00fcne Tafeln\n', (letter) => letter.charCodeAt(0));

const isHidden = (problem: unknown): problem is HiddenText => isFields(problem);

function hiddenText({ codePoint, index, lines }: HiddenText): string {
  const name = codePointName(codePoint);
  if (!lines && (name === 'U+000A' || name === 'U+0009'))
    return `This text must be a single line but has ${name} at position ${index}. Only descriptions and Markdown may contain line feeds and tabs.`;
  return `This text has the invisible character ${name} at position ${index}: remove it.`;
}

/** The zip and the files in it. */
export const bundleRules = [
  errorRule('bundle.size', 'bundle.size', {
    message: (value) =>
      `The bundle has ${show(value)} bytes: reduce it to ${LIMITS.bundle.bytes} (25 MiB) or less.`,
    why: 'Every user who installs the app downloads the whole bundle.',
    example: { path: '', broken: { size: LIMITS.bundle.bytes + 1 }, fixed: { size: LIMITS.bundle.bytes } },
    fails: (size) => size > LIMITS.bundle.bytes,
  }),
  errorRule('bundle.manifest', 'bundle.manifest', {
    message: (_, { entries }) => noManifestText([...(entries?.keys() ?? [])]),
    why: 'The manifest describes the app; without it the bundle cannot be read.',
    example: {
      path: MANIFEST_FILE,
      broken: { files: { [MANIFEST_FILE]: undefined } },
      fixed: { manifest: { id: 'com.example.notes', name: 'Notes' } },
    },
    fails: (isThere) => !isThere,
  }),
  errorRule('bundle.manifest.json', 'bundle.manifest.problem', {
    message: (problem) =>
      isHidden(problem) ? hiddenText(problem) : `${MANIFEST_FILE} is not valid JSON: ${String(problem)}.`,
    why: 'All programs must read the same manifest from the file, so ambiguous JSON is refused: duplicate keys, a byte order mark, lone surrogates, invalid UTF-8, excessive nesting. All readers must see the same text, too: a text must not contain control, bidi or other invisible characters. Only descriptions and Markdown may contain line feeds and tabs.',
    example: {
      path: MANIFEST_FILE,
      broken: { files: { [MANIFEST_FILE]: '{ "name": "Notes", "name": "Notes 2" }' } },
      fixed: { manifest: { name: 'Notes' } },
    },
    fails: () => true,
  }),
  errorRule('bundle.missing', 'bundle.reference', {
    message: (value, { entries }) => missingText(String(value), [...(entries?.keys() ?? [])]),
    why: 'The manifest refers to the file, so a client will try to show it.',
    example: inManifest(
      '/branding/icon',
      { branding: { icon: 'assets/Icon.svg' } },
      { branding: { icon: 'assets/icon.svg' } },
    ),
    fails: (name, { entries }) => entries?.has(name) === false,
    repair: (value, { entries }, { around, step }) => {
      // A default page is not in the manifest, so there is no value to correct.
      const isWritten = isFields(around) ? own(around, String(step)) === value : Array.isArray(around);
      const [other, ...others] = inOtherLetterCase(String(value), [...(entries?.keys() ?? [])]);
      return isWritten && other !== undefined && others.length === 0 ? { put: other } : undefined;
    },
  }),
  errorRule('bundle.path', 'bundle.name', {
    message: (value) =>
      `The file name ${show(value)} is not safe on every system: ${unsafePathReason(String(value)) ?? ''}. Rename the file.`,
    why: 'On some systems, a file with such a name opens a device, is written outside its folder, or cannot be written.',
    example: inFiles('assets/aux.txt', { 'assets/aux.txt': 'notes' }, { 'assets/auxiliary.txt': 'notes' }),
    fails: (name) => unsafePathReason(name) !== undefined,
  }),
  errorRule('bundle.executable', 'bundle.file', {
    message: (value) => `Executable files are not allowed in a bundle: ${reasonOf(value)}. Remove this file.`,
    why: "A store app runs no code on the user's machine, except pages in the sandbox of a panel.",
    example: inFiles(
      'assets/install.sh',
      { 'assets/install.sh': '#!/bin/sh\necho hello\n' },
      { 'assets/install.md': '# How to install\n' },
    ),
    fails: (file) => executableReason(file) !== undefined,
  }),
  errorRule('bundle.unexpected', 'bundle.top', {
    message: (value) =>
      `${show(value)} is not allowed at the top level of a bundle: move it to ui/ or assets/, or exclude it in .svcignore.${didYouMean(value, TOP_NAMES)}`,
    why: 'A bundle contains only what the app shows. Sources, tests and tool settings do not belong in it.',
    example: inFiles('package.json', { 'package.json': '{}' }, { 'package.json': undefined }),
    fails: (top) => !TOP_LEVEL.has(top),
  }),
  warningRule('bundle.obfuscated', 'bundle.script', {
    message: (score) =>
      `The JavaScript in this file looks obfuscated: ${isScore(score) ? reasonsFor(score) : ''}. Publish it minified or unchanged instead.`,
    why: 'Reviewers must be able to read what a panel does. Minified code can be read; obfuscated code is meant not to be.',
    example: inFiles('ui/app.js', { 'ui/app.js': OBFUSCATED }, { 'ui/app.js': "console.log('hello');\n" }),
    fails: (script) => {
      const score = obfuscationOf(script);
      return score !== undefined && [{ at: [], value: score }];
    },
  }),
  warningRule('bundle.readme', 'bundle.readme', {
    message:
      'README.md is missing at the root of the bundle: add one that says what the app does and how to start.',
    why: 'The page of the app in the store shows it.',
    example: inFiles('README.md', { 'README.md': undefined }, { 'README.md': '# Notes\n' }),
    fails: (isThere) => !isThere,
  }),
  warningRule('bundle.encoding', 'bundle.text', {
    message: (file) => {
      const { name, bytes } = file as BundleFile;
      return `${name} is not UTF-8${guessEncoding(bytes)}: save it as UTF-8.`;
    },
    why: 'The page of the app shows the file as UTF-8. Letters in another encoding become replacement characters.',
    example: inFiles('README.md', { 'README.md': NOT_UTF8 }, { 'README.md': '# Grüne Tafeln\n' }),
    fails: ({ bytes }) => !isUtf8(bytes),
  }),
  warningRule('bundle.template', 'bundle.text', {
    message: (file) =>
      `${(file as BundleFile).name} still has the text of the template: replace "${README_TEMPLATE}".`,
    why: 'Users read the file on the page of the app, and the template says nothing about it.',
    example: {
      path: 'README.md',
      broken: { files: { 'README.md': `# Notes\n\n## How to start\n\n${README_TEMPLATE}\n` } },
      fixed: { files: { 'README.md': '# Notes\n\n## How to start\n\nAsk for a note that you remember.\n' } },
    },
    fails: ({ bytes }) => new TextDecoder().decode(bytes).includes(README_TEMPLATE),
  }),
] as const;

/** Text has no null bytes, which UTF-16 has at every other place. */
function isUtf8(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** The encoding that a byte order mark names. */
function guessEncoding([first, second]: Uint8Array): string {
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return isUtf16 ? ', but UTF-16' : '';
}

function reasonOf(file: unknown): string {
  if (!isFields(file) || typeof file.name !== 'string' || !(file.bytes instanceof Uint8Array)) return '';
  return executableReason({ name: file.name, bytes: file.bytes }) ?? '';
}

/** Names the missing file, and one that differs only in letter case: the most common mistake. */
function missingText(name: string, names: readonly string[]): string {
  const [other] = inOtherLetterCase(name, names);
  if (other !== undefined) {
    return `The bundle has no file ${show(name)}, but has ${show(other)}: file names are case-sensitive.`;
  }
  const question = didYouMean(name, namesOf(names));
  return `The bundle has no file ${show(name)}: add it, or correct the path.${question}`;
}

/** The names in a bundle are in normal form C, but editors on macOS may complete a path in form D. */
function inOtherLetterCase(name: string, names: readonly string[]): string[] {
  const folded = name.normalize('NFC').toLowerCase();
  return names.filter((other) => other.toLowerCase() === folded);
}
