import type { Range } from './screen.ts';
import { hasAt } from './traces.ts';

/** The scripts of a file: its bytes in UTF-8, and the ranges that are JavaScript. */
export type Scripts = {
  readonly bytes: Uint8Array;
  readonly ranges: Iterable<Range>;
  /** Whether the file is XML, in which characters can be references, and text can be in CDATA. */
  readonly isXml: boolean;
};

const PAGES: ReadonlySet<string> = new Set(['html', 'htm', 'svg']);

/** Finds the scripts of a file by its extension: the whole file, or the `<script>` elements of an HTML page or an SVG. */
export function scriptsIn(bytes: Uint8Array, extension: string): Scripts {
  const text = narrow(bytes);
  const isXml = extension === 'svg';
  const ranges = PAGES.has(extension) ? scriptElements(text, isXml) : [{ start: 0, end: text.length }];
  return { bytes: text, ranges, isXml };
}

/**
 * Converts UTF-16 with a byte order mark, which browsers also read, to ASCII; returns any other file unchanged. Characters
 * beyond ASCII become question marks: no feature depends on them.
 */
function narrow(bytes: Uint8Array): Uint8Array {
  const isLittle = bytes[0] === 0xff && bytes[1] === 0xfe;
  const isBig = bytes[0] === 0xfe && bytes[1] === 0xff;
  if (!isLittle && !isBig) return bytes;
  const [low, high] = isLittle ? [0, 1] : [1, 0];
  const text = new Uint8Array(bytes.length / 2 - 1);
  for (let at = 0; at < text.length; at += 1) {
    const unit = 2 + 2 * at;
    text[at] = bytes[unit + high] === 0 ? (bytes[unit + low] as number) : 0x3f;
  }
  return text;
}

const LESS_THAN = 0x3c;
const GREATER_THAN = 0x3e;
const SCRIPT = [...'script'].map((letter) => letter.charCodeAt(0));
/** Maximum length of a tag whose attributes are read; the element of a longer tag counts as JavaScript. */
const MAX_TAG = 4_096;

/** The content of `<script>` elements, except those with a type for data. */
function* scriptElements(bytes: Uint8Array, isXml: boolean): Generator<Range> {
  let at = bytes.indexOf(LESS_THAN);
  while (at >= 0) {
    const name = scriptNameAt(bytes, at + 1);
    if (name < 0) {
      at = bytes.indexOf(LESS_THAN, at + 1);
      continue;
    }
    const start = tagEnd(bytes, name);
    const tag = new TextDecoder().decode(bytes.subarray(name, Math.min(start, name + MAX_TAG)));
    // In XML an empty-element tag has no content; HTML has no such tags.
    const isEmpty = isXml && tag.endsWith('/>');
    const end = isEmpty ? start : scriptEnd(bytes, start);
    if (end > start && !isData(tag)) yield { start, end };
    at = bytes.indexOf(LESS_THAN, Math.max(end, at + 1));
  }
}

/** The end of the name `script` at this position, with an optional namespace prefix; -1 for any other name. */
function scriptNameAt(bytes: Uint8Array, start: number): number {
  let at = start;
  // A prefix for SVG is short.
  while (at < start + 32 && isNameByte(bytes[at] as number)) at += 1;
  const name = bytes[at] === 0x3a ? at + 1 : start;
  const isScript = SCRIPT.every((letter, index) => ((bytes[name + index] ?? 0) | 0x20) === letter);
  return isScript && !isNameByte(bytes[name + SCRIPT.length] as number) ? name + SCRIPT.length : -1;
}

const isNameByte = (byte: number): boolean =>
  (byte >= 0x30 && byte <= 0x39) ||
  (byte >= 0x41 && byte <= 0x5a) ||
  (byte >= 0x61 && byte <= 0x7a) ||
  byte === 0x2d ||
  byte === 0x5f;

/** The position after the `>` of a tag, ignoring `>` in quoted attribute values. */
function tagEnd(bytes: Uint8Array, from: number): number {
  let quote = 0;
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (quote !== 0) quote = byte === quote ? 0 : quote;
    else if (byte === GREATER_THAN) return at + 1;
    // A quote starts a value only after `=`; elsewhere HTML treats it as a letter.
    else if ((byte === 0x22 || byte === 0x27) && isBehindEquals(bytes, at)) quote = byte;
  }
  return bytes.length;
}

function isBehindEquals(bytes: Uint8Array, at: number): boolean {
  let before = at - 1;
  while (before > at - 16 && (bytes[before] as number) <= 0x20) before -= 1;
  return bytes[before] === 0x3d;
}

/** HTML 13.2.5.20 ff.: after `<!-- <script>` the next end tag closes only the inner element, and the script continues after it. */
function scriptEnd(bytes: Uint8Array, start: number): number {
  let isEscaped = false;
  let isDouble = false;
  for (let at = start; at < bytes.length; at += 1) {
    const mark = markAt(bytes, at);
    if (mark === 'end' && !isDouble) return at;
    if (mark === 'open') isEscaped = true;
    if (mark === 'close') isEscaped = false;
    if (mark !== undefined && mark !== 'open') isDouble = mark === 'start' && isEscaped;
  }
  return bytes.length;
}

const DASH = 0x2d;
const COMMENT_OPEN = [LESS_THAN, 0x21, DASH, DASH];
const COMMENT_CLOSE = [DASH, DASH, GREATER_THAN];

/** The mark at this position that changes how a script is parsed: start or end of a comment, or a script tag. */
function markAt(bytes: Uint8Array, at: number): 'open' | 'close' | 'start' | 'end' | undefined {
  if (bytes[at] === DASH) return hasAt(bytes, at, COMMENT_CLOSE) ? 'close' : undefined;
  if (bytes[at] !== LESS_THAN) return undefined;
  if (hasAt(bytes, at, COMMENT_OPEN)) return 'open';
  if (bytes[at + 1] === 0x2f) return scriptNameAt(bytes, at + 2) >= 0 ? 'end' : undefined;
  return scriptNameAt(bytes, at + 1) >= 0 ? 'start' : undefined;
}

/** `application/json`, `importmap`, a template: types that browsers do not run. */
function isData(tag: string): boolean {
  const [, double, single, bare] =
    /(?:^|[\s"'/])type\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]*))/i.exec(tag) ?? [];
  const type = (double ?? single ?? bare ?? '').trim().toLowerCase();
  return type !== '' && type !== 'module' && !/script|jsx|babel|&/.test(type);
}
