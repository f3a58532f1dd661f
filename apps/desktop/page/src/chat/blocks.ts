const FENCES = ['```', '~~~'];

/** Whether a line can begin a block of its own: it is no part of a list or of anything indented. */
function canBegin(line: string): boolean {
  const [first = ''] = line;
  return !' \t-*+>|'.includes(first) && !(first >= '0' && first <= '9');
}

/**
 * The blocks of Markdown that grows, so that only the last of them has to be drawn again for each piece that arrives. They are cut at
 * empty lines outside of fences; what belongs to a list stays together. Joined by empty lines they are the text.
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
    const mark = FENCES.find((one) => line.trimStart().startsWith(one));
    if (mark !== undefined && (fence === null || fence === mark)) fence = fence === null ? mark : null;
    block.push(line);
    isAfterEmpty = line === '';
  }
  return [...blocks, block.join('\n')];
}
