import { extensionOf } from '../paths.ts';
import type { BundleFile } from '../targets.ts';
import { isFields, isList } from '../values.ts';
import { type Budget, MAX_PARSED } from './feature.ts';
import { FLAGGED, type Score, scoreOf } from './score.ts';
import { hasAt, isNameByte, isQuote, SUSPICIOUS, type Traces, tracesIn } from './traces.ts';

/** A range of bytes: `start` is included, `end` is not. */
type Range = { readonly start: number; readonly end: number };

/** Size of a tile in bytes. Traces are added up over two neighbouring tiles, so that none is lost at the border between them. */
const TILE = 2_048;
/** Bytes to include on either side of a trace, for the statement around it. */
const MARGIN = 512;
/** Up to this size in bytes, a script with a suspicious part is returned as a whole. */
const SHORT = 8_192;
/** Maximum size of a part in bytes. Its syntax tree takes about fifty times as much memory. */
const LONGEST = 65_536;

/**
 * Returns the suspicious parts of a script, ordered, disjoint and at most 64 KiB long. Has many false positives: it only has
 * to be fast and to miss nothing.
 */
export function oddParts(bytes: Uint8Array, { start, end }: Range): Range[] {
  const parts: Range[] = [];
  let before = { points: 0, evaluates: false, decodes: false };
  for (let from = start; from < end; from += TILE) {
    const to = Math.min(from + TILE, end);
    const tile = tracesIn(bytes, from, to);
    const runs = (tile.evaluates || before.evaluates) && (tile.decodes || before.decodes);
    if (hasTraces(tile) && (runs || before.points + tile.points >= SUSPICIOUS)) {
      const first = hasTraces(before) ? from - TILE : from;
      addPart(bytes, parts, Math.max(start, first - MARGIN), Math.min(end, to + MARGIN));
    }
    before = tile;
  }
  if (parts.length > 0 && end - start <= SHORT) return [{ start, end }];
  return parts.flatMap(({ start: from, end: to }) =>
    cut({ start: from > start ? outOfText(bytes, from) : from, end: to }),
  );
}

/** Moves the start of a part out of a long text of letters, which could be parsed as a comment, to the end of that text. */
function outOfText(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < start + 2 * TILE && isEncoded(bytes[at] as number)) at += 1;
  return isQuote(bytes[at] as number) ? at + 1 : start;
}

const hasTraces = ({ points, evaluates, decodes }: Traces): boolean => points > 0 || evaluates || decodes;

function addPart(bytes: Uint8Array, parts: Range[], start: number, end: number): void {
  const last = parts.at(-1);
  if (last !== undefined && (start <= last.end || isOneText(bytes, last.end, start))) {
    parts[parts.length - 1] = { start: last.start, end };
  } else parts.push({ start, end });
}

/** Whether the bytes between two parts are inside one long text, which is decoded on one side and run on the other. */
function isOneText(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start > LONGEST) return false;
  const gap = bytes.subarray(start, end);
  return !QUOTES.some((quote) => gap.includes(quote));
}

function cut({ start, end }: Range): Range[] {
  const pieces = Math.ceil((end - start) / LONGEST);
  const length = Math.ceil((end - start) / pieces);
  return Array.from({ length: pieces }, (_, at) => ({
    start: start + at * length,
    end: Math.min(start + (at + 1) * length, end),
  }));
}

/** Letters, digits, `+`, `/`, `=`: base64. */
const isEncoded = (byte: number): boolean =>
  isNameByte(byte) || byte === 0x2b || byte === 0x2f || byte === 0x3d;
const QUOTES = [0x22, 0x27, 0x60];

/** The scripts of a file: its bytes in UTF-8, and the ranges that are JavaScript. */
type Scripts = {
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
  while (at < start + 32 && isTagNameByte(bytes[at] as number)) at += 1;
  const name = bytes[at] === 0x3a ? at + 1 : start;
  const isScript = SCRIPT.every((letter, index) => ((bytes[name + index] ?? 0) | 0x20) === letter);
  return isScript && !isTagNameByte(bytes[name + SCRIPT.length] as number) ? name + SCRIPT.length : -1;
}

const isTagNameByte = (byte: number): boolean =>
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

/** Minimum number of bytes that a part uses of the budget: a million scripts of ten bytes cost more than one long script. */
const MIN_COST = 1_024;

/**
 * Returns the score of an obfuscated script in a file; undefined when there is none. Screens the bytes first and parses only
 * suspicious parts, in pieces, up to the first obfuscated one. Never throws; takes linear time, and memory
 * for one piece. When the budget is used up, a suspicious part counts as obfuscated: no real app has that many.
 */
export function disguiseOf({ name, bytes }: BundleFile, budget: Budget): Score | undefined {
  const scripts = scriptsIn(bytes, extensionOf(name));
  for (const range of scripts.ranges) {
    for (const part of oddParts(scripts.bytes, range)) {
      const score = scoreWithin(scripts, part, budget);
      if (score.points >= FLAGGED) return score;
    }
  }
  return undefined;
}

const UNREAD: Score = {
  points: FLAGGED,
  evidence: [
    {
      feature: 'unread',
      points: FLAGGED,
      says: `it looks suspicious, after more than ${MAX_PARSED / 1024 / 1024} MiB of script before it, which is all that is read closely`,
    },
  ],
};

function scoreWithin({ bytes, isXml }: Scripts, { start, end }: Range, budget: Budget): Score {
  const cost = Math.max(end - start, MIN_COST);
  if (budget.bytes < cost) return UNREAD;
  budget.bytes -= cost;
  const text = new TextDecoder().decode(bytes.subarray(start, end));
  return scoreOf(isXml ? plain(text) : text);
}

const REFERENCES: Readonly<Record<string, string>> = { amp: '&', apos: "'", gt: '>', lt: '<', quot: '"' };

/** The text of an XML element without CDATA marks and character references. */
function plain(xml: string): string {
  return xml
    .replace(/<!\[CDATA\[|\]\]>/g, '')
    .replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|apos|gt|lt|quot));/gi, (whole, decimal, hex, name) => {
      if (name !== undefined) return REFERENCES[name] ?? whole;
      const point = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
      return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
    });
}

/** Whether a value is a score, which the rule passes from its check to its message. */
export const isScore = (value: unknown): value is Score => isFields(value) && isList(value.evidence);

/** Maximum number of reasons in a message. */
const MAX_REASONS = 3;

/** The strongest reasons for a score, in words. */
export const reasonsFor = ({ evidence }: Score): string =>
  evidence
    .slice(0, MAX_REASONS)
    .map(({ says }) => says)
    .join('; ');
