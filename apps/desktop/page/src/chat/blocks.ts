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
