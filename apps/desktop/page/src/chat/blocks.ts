const FENCES = ['```', '~~~'];

/** Whether a line can begin a block: it is not part of a list or indented. */
function canBegin(line: string): boolean {
  const [first = ''] = line;
  return !' \t-*+>|'.includes(first) && !(first >= '0' && first <= '9');
}

/**
 * Splits streamed Markdown into blocks, so that only the last one is rendered again for each chunk. The text is split at empty lines
 * outside of fences; lists stay together. The blocks joined by empty lines are the text.
 */
export function blocksOf(text: string): string[] {
  const blocks: string[] = [];
  let block: string[] = [];
  let fence: string | null = null;
  let isAfterEmpty = false;
  for (const line of text.split('\n')) {
    if (fence === null && isAfterEmpty && line !== '' && canBegin(line) && block.length > 0) {
      blocks.push(block.slice(0, -1).join('\n'));
      block = [];
    }
    const mark = FENCES.find((fenceMark) => line.trimStart().startsWith(fenceMark));
    if (mark !== undefined && (fence === null || fence === mark)) fence = fence === null ? mark : null;
    block.push(line);
    isAfterEmpty = line === '';
  }
  return [...blocks, block.join('\n')];
}

/**
 * Limits of one block. The time that Markdown takes grows with the square of its markers in hostile texts: at these limits a block takes
 * a fraction of a second.
 */
const MAX_MARKERS = 1_500;
const MAX_CHARACTERS = 30_000;
/** Deepest nesting of quotes and lists: the parser calls itself for each level. */
const MAX_NESTING = 24;

const MARKERS = /[*_~[\]!<>|`\\]/g;
const OPENERS = /^[\s>*+\-\d.)]*/;
const NESTED = />|[*+\-.)](?=\s)/g;

const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** Whether a block is exactly one fence, whose content is not parsed. */
function isFence(text: string): boolean {
  const lines = text.trimEnd().split('\n');
  const fence = FENCES.find((mark) => lines[0]?.startsWith(mark));
  const marks = lines.filter((line) => fence !== undefined && line.trimStart().startsWith(fence));
  return marks.length === 2 && lines.at(-1)?.trim() === fence;
}

/** Whether a text can be parsed as Markdown without blocking the page. */
export function isCheap(text: string): boolean {
  if (text.length > MAX_CHARACTERS) return false;
  if (isFence(text)) return true;
  if (countOf(text, MARKERS) > MAX_MARKERS) return false;
  return text.split('\n').every((line) => countOf(OPENERS.exec(line)?.[0] ?? '', NESTED) <= MAX_NESTING);
}
