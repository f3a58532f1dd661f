import { DEEP } from '@svc/testkit';
import { parseManifest, validateManifest } from '@svc/validator';
import { describe, expect, it } from 'vitest';
import { renderMarkdown, renderReview } from '../apps/store/src/core/render/render-text.ts';
import { encodingFor } from '../apps/store/src/http/encoded-page.ts';
import { readRange } from '../apps/store/src/http/send-blob.ts';
import { readChallenge } from '../packages/runtime/src/accounts/discovery/challenge.ts';
import { safeName } from '../packages/runtime/src/files/safe-name.ts';
import { cleanLine, escapeText } from '../packages/text/src/index.ts';
import { skeleton } from '../packages/text/src/skeleton/skeleton.ts';
import { obfuscationOf } from '../packages/validator/src/obfuscation.ts';
import { readSvg } from '../packages/validator/src/pictures/svg.ts';

// Readers of untrusted text must be linear: four times the input takes four times the CPU time. The test bounds the ratio of two CPU
// times of one run, not milliseconds, which depend on the machine. A quadratic reader has a ratio of 16.

const FACTOR = 4;
/** Between linear (4) and quadratic (16), with a margin for a busy machine. */
const MAX_RATIO = 9;
/** Minimum CPU time of the smaller size in milliseconds: shorter runs are repeated. Some kernels count it in steps of 4 ms. */
const MIN_MS = 24;
const ROUNDS = 12;

/** CPU time of this thread. */
function timeOf(work: () => unknown, times: number): number {
  const start = process.threadCpuUsage();
  for (let n = 0; n < times; n += 1) work();
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1_000;
}

/** Ratio of the CPU times of the larger and the smaller input. Uses the fastest round of each: other load only adds time. */
function ratioOf(small: () => unknown, large: () => unknown): number {
  let times = 1;
  while (timeOf(small, times) < MIN_MS && times < 2 ** 22) times *= 2;
  let [least, most] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < ROUNDS; round += 1) {
    least = Math.min(least, timeOf(small, times));
    most = Math.min(most, timeOf(large, times));
    if (most / least < MAX_RATIO / 2) break;
  }
  // Both times are too short to measure.
  return most < MIN_MS ? 0 : most / least;
}

const svg = (inside: string) =>
  new TextEncoder().encode(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">${inside}</svg>`);
const bytes = (text: string) => new TextEncoder().encode(text);

function checkManifest(text: string) {
  const reading = parseManifest(bytes(text));
  return reading.ok ? validateManifest(reading.value, { mode: 'store' }) : reading.issues;
}

const listOf = (item: (n: number) => string) => (length: number) => {
  let text = '';
  for (let n = 0; text.length < length; n += 1) text += `${n === 0 ? '' : ','}${item(n)}`;
  return text;
};

/** Creates a text of about `length` characters. */
type Make = (length: number) => string;
const repeat =
  (piece: string): Make =>
  (length) =>
    piece.repeat(Math.ceil(length / piece.length));

const MANIFESTS: Record<string, Make> = {
  tools: (length) => `{"contributes":{"tools":[${listOf((n) => `{"id":"t${n}","name":"a"}`)(length)}]}}`,
  accounts: (length) => `{"accounts":[${listOf((n) => `{"id":"a${n}","label":"a"}`)(length)}]}`,
  'tools of one id': (length) => `{"contributes":{"tools":[${listOf(() => '{"id":"t"}')(length)}]}}`,
  keys: (length) => `{${listOf((n) => `"k${n}":1`)(length)}}`,
  'one key again': (length) => `{${listOf(() => '"id":1')(length)}}`,
  domains: (length) => `{"remote":{"domains":[${listOf((n) => `"${n}.example.com"`)(length)}]}}`,
  permissions: (length) => `{"permissions":[${listOf(() => '"svc a\\u202e"')(length)}]}`,
  escapes: (length) => `{"name":"${repeat('\\u0430')(length)}"}`,
  'hidden characters': (length) => `{"description":"${repeat('\u200b\u0301')(length)}"}`,
  lists: (length) => `${'['.repeat(length / 2)}${']'.repeat(length / 2)}`,
  'a long id': (length) => `{"id":"${repeat('a.')(length)}"}`,
  'a long address': (length) => `{"homepage":"https://${repeat('a.')(length)}"}`,
  'a long host': (length) => `{"remote":{"mcpUrl":"https://a","domains":["*.${repeat('a-.')(length)}"]}}`,
  'a long version': (length) => `{"version":"1.0.0-${repeat('0.')(length)}"}`,
  spaces: (length) => `{"name":"svc${repeat(' ')(length)}"}`,
};

const PIECES = [
  '[',
  '](',
  '[a](b',
  '![',
  '*a ',
  '**',
  '_',
  '`',
  '```\n',
  '> ',
  '- ',
  '|a',
  '<a',
  '&',
  '\n\n',
  '&lt;',
  'https://a.',
  '~~',
  '\\',
  '#',
  '(',
  'a@b.',
  '[x]: ',
];
const STYLES = ['[', '(', ':not(', 'a[b', '/*', 'a,', 'a:b;', '{', 'a{b:c}', '--a:', 'url(#a', 'blur(1px) '];
const INSIDES: Record<string, Make> = {
  elements: repeat('<g/>'),
  'elements within each other': (length) => '<g>'.repeat(length / 7) + '</g>'.repeat(length / 7),
  uses: (length) => `<g id="a"/>${repeat('<use href="#a"/>')(length)}`,
  'uses of what is not there': repeat('<use href="#b"/>'),
  ids: (length) => Array.from({ length: length / 12 }, (_, n) => `<g id="${n}"/>`).join(''),
  'a path': (length) => `<path d="${repeat('l1 1')(length)}"/>`,
  'a path of no numbers': (length) => `<path d="${repeat('M-+.e')(length)}"/>`,
  'a path of arcs': (length) => `<path d="M0 0${repeat('a1 1 0 0 1 1 1')(length)}"/>`,
  'a transform': (length) => `<g transform="${repeat('scale(1)')(length)}"/>`,
  'a transform without an end': (length) => `<g transform="${repeat('scale(')(length)}"/>`,
  classes: (length) => `<style>.a{fill:red}</style><g class="${repeat('a ')(length)}"/>`,
  'steps of a filter': (length) => `<filter id="f">${repeat('<feFlood/>')(length)}</filter>`,
  ...Object.fromEntries(
    STYLES.map((piece) => [
      `a sheet of ${piece}`,
      (length: number) => `<style>${repeat(piece)(length)}</style>`,
    ]),
  ),
  ...Object.fromEntries(
    STYLES.map((piece) => [
      `a style of ${piece}`,
      (length: number) => `<g style="${repeat(piece)(length)}"/>`,
    ]),
  ),
};

const HEADERS = [
  ',',
  ' ',
  '\t',
  '"',
  '\\',
  'Bearer ',
  'a=',
  'a="',
  'Bearer a="b", ',
  ';q=',
  'gzip;q=0.',
  '=',
  '-1',
  'bytes=',
];
const NAMES = ['.', '. ', ' ', '/', '\\', 'a/', '..', '\u0301\u0323', '\u202e', 'CON', 'a.'];
const LINES = [' ', '\u200b', '\u202e', '\u0301', 'а', '\x1b[', '\r\n', '👩‍'];
const SCRIPTS = [
  '(',
  '"',
  '\\x41',
  '`${',
  '/*',
  '//',
  'a[b]',
  '_0x1a2b,',
  'eval(',
  '/a',
  '!![]+',
  "'\\u0041'",
];

const byPiece = (pieces: readonly string[]): [string, Make][] =>
  pieces.map((piece) => [JSON.stringify(piece), repeat(piece)]);

/** The input, its reader, the length of the smaller text, and the kinds of text. */
const READERS: readonly [string, (text: string) => unknown, number, [string, Make][]][] = [
  ['a manifest', checkManifest, 12_000, Object.entries(MANIFESTS)],
  ['an SVG', (text) => readSvg(svg(text)), 12_000, Object.entries(INSIDES)],
  ['a README', renderMarkdown, 3_000, byPiece(PIECES)],
  ['a review', renderReview, 1_000, byPiece(PIECES)],
  ['the name of a file', safeName, 20_000, byPiece(NAMES)],
  ['a WWW-Authenticate header', readChallenge, 2_000, byPiece(HEADERS)],
  ['an Accept-Encoding header', encodingFor, 4_000, byPiece(HEADERS)],
  ['a Range header', (text) => readRange(text, 9), 4_000, byPiece([...HEADERS, '1'])],
  // V8 keeps a list of more than some 16,000 elements as a large object, whose memory costs more: both sizes are beyond that.
  ['a line that is shown', (text) => cleanLine(text, 1_000_000), 40_000, byPiece(LINES)],
  ['a text for a terminal', (text) => escapeText(text, 'terminal'), 40_000, byPiece(LINES)],
  ['a name that is compared', skeleton, 40_000, byPiece(LINES)],
  ['a script', (text) => obfuscationOf({ name: 'a.js', bytes: bytes(text) }), 200_000, byPiece(SCRIPTS)],
];

describe.each(READERS)('%s is read in linear time', DEEP, (_what, read, size, makes) => {
  it.each(makes)('of %s', (_name, make) => {
    const [small, large] = [make(size), make(size * FACTOR)];
    expect(
      ratioOf(
        () => read(small),
        () => read(large),
      ),
    ).toBeLessThan(MAX_RATIO);
  });
});

it('detects a quadratic reader', DEEP, () => {
  const trim = (text: string) => /[.\s]+$/.test(text);
  const text: Make = (length) => `${'.'.repeat(length)}b`;
  const [small, large] = [text(4_000), text(16_000)];
  expect(
    ratioOf(
      () => trim(small),
      () => trim(large),
    ),
  ).toBeGreaterThan(MAX_RATIO);
});
