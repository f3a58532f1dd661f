/** A line that opens a fence: its marks, and what follows them. A fence of backticks has none in its first line. */
const OPENS = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}(?=[^`]*$)|~{3,})/;
const CLOSES = /^[ \t>]*(`{3,}|~{3,})[ \t]*$/;

/** Which lines are outside of fences. The lines of marks are inside. */
export function outsideFences(lines: readonly string[]): boolean[] {
  let fence: string | null = null;
  return lines.map((line) => {
    if (fence === null) {
      fence = OPENS.exec(line)?.[1] ?? null;
      return fence === null;
    }
    const marks = CLOSES.exec(line)?.[1] ?? '';
    if (marks.startsWith(fence)) fence = null;
    return false;
  });
}

/** Whether a line can begin a block: it is not part of a list or indented. */
function canBegin(line: string): boolean {
  const [first = ''] = line;
  return !' \t-*+>|'.includes(first) && !(first >= '0' && first <= '9');
}

/** Splits Markdown at empty lines outside of fences; lists stay together. The blocks joined by empty lines are the text. */
export function blocksOf(text: string): string[] {
  const blocks: string[] = [];
  let block: string[] = [];
  let isAfterEmpty = false;
  let isInside = false;
  const lines = text.split('\n');
  const outside = outsideFences(lines);
  for (const [at, line] of lines.entries()) {
    if (!isInside && isAfterEmpty && line !== '' && canBegin(line) && block.length > 0) {
      blocks.push(block.slice(0, -1).join('\n'));
      block = [];
    }
    block.push(line);
    isAfterEmpty = line === '';
    // The line after one inside begins a fence, or follows one, unless the fence goes on.
    isInside = outside[at] === false && outside[at + 1] === false;
  }
  return [...blocks, block.join('\n')];
}

/** What belongs to other blocks: definitions of links and notes, and raw HTML and comments, which contain empty lines. */
const DEFINITION = /^ {0,3}\[[^\]]+\]:/;
const RAW = /<(?:pre|script|style|textarea|!--|!\[CDATA)/i;

const isWhole = (text: string): boolean =>
  RAW.test(text) || text.split('\n').some((line) => DEFINITION.test(line));

/** Size from which a part is complete, in UTF-16 units: smaller ones would take longer to begin than to render. */
const PART = 1_000;

/** The parts of an answer that are rendered apart, so that only the last one is rendered again while the answer grows. */
export function partsOf(text: string): string[] {
  if (isCheap(text) && isWhole(text)) return [text];
  const parts: string[] = [];
  let size = PART;
  for (const block of blocksOf(text)) {
    const isFull = size >= PART || !isCheap(block);
    if (isFull) parts.push(block);
    else parts.push(`${parts.pop()}\n\n${block}`);
    size = (isFull ? 0 : size) + block.length;
  }
  return parts;
}

/**
 * Limits of one block. The time that Markdown takes grows with the square of its markers in hostile texts: at these limits a block takes
 * a fraction of a second, beside the page.
 */
const MAX_MARKERS = 1_500;
const MAX_CHARACTERS = 30_000;
/** Most lines, and most dollars: lists that go on without marks, and short formulas, take longest for their size. */
const MAX_LINES = 1_500;
const MAX_DOLLARS = 600;
/** Deepest nesting of quotes and lists: the parser calls itself for each level. */
const MAX_NESTING = 24;

const MARKERS = /[*_~[\]!<>|`\\]/g;
const OPENERS = /^[\s>*+\-\d.)]*/;
const NESTED = />|[*+\-.)](?=\s)/g;

const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** Whether a block is exactly one fence, whose content is not parsed. */
function isFence(text: string): boolean {
  const lines = text.trimEnd().split('\n');
  const [first = '', ...rest] = lines;
  const [, marks] = /^(`{3,}|~{3,})/.exec(first) ?? [];
  if (marks === undefined || !OPENS.test(first)) return false;
  const end = rest.findIndex((line) => (CLOSES.exec(line)?.[1] ?? '').startsWith(marks));
  return end === rest.length - 1 && end >= 0;
}

type Bounds = { characters: number; markers: number; dollars: number; lines: number };

function isWithin(text: string, { characters, markers, dollars, lines: most }: Bounds): boolean {
  if (text.length > characters) return false;
  if (isFence(text)) return true;
  if (countOf(text, MARKERS) > markers || text.split('$').length > dollars) return false;
  const lines = text.split('\n');
  if (lines.length > most) return false;
  return lines.every((line) => countOf(OPENERS.exec(line)?.[0] ?? '', NESTED) <= MAX_NESTING);
}

/** Whether a text is drawn as Markdown at all. */
export const isCheap = (text: string): boolean =>
  isWithin(text, {
    ...{ characters: MAX_CHARACTERS, markers: MAX_MARKERS, dollars: MAX_DOLLARS, lines: MAX_LINES },
  });

/** Whether it is so small that the page parses it by itself, whatever it is: most parts of most answers are. */
export const isSmall = (text: string): boolean =>
  isWithin(text, { characters: 8_000, markers: 300, dollars: 40, lines: 250 });
