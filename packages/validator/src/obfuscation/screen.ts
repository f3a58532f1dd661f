import { isNameByte, isQuote, SUSPICIOUS, type Traces, tracesIn } from './traces.ts';

/** A range of bytes: `start` is included, `end` is not. */
export type Range = { readonly start: number; readonly end: number };

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
