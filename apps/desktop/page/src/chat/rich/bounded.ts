type Node = { type: string; value?: string; children?: Node[] };

/**
 * Most levels of elements. Whatever draws them calls itself for each level, and a stack that overflows while the page is changed takes the
 * page with it: a template within a template, two thousand times, is 6 kB of highlighted code.
 */
const MAX_DEPTH = 60;
/** Most nodes of a part: more would keep the page busy while it is laid out. */
const MAX_NODES = 12_000;

/** The text below a node, without calling itself. */
function textBelow(node: Node): string {
  const texts: string[] = [];
  const waiting = [node];
  for (let at = waiting.pop(); at; at = waiting.pop()) {
    if (at.value !== undefined) texts.push(at.value);
    for (const child of (at.children ?? []).toReversed()) waiting.push(child);
  }
  return texts.join('');
}

/** What nests too deeply becomes its text, in its place, and so does what follows when there are too many nodes. */
export function bounded() {
  return (root: Node): void => {
    let nodes = 0;
    let level = [root];
    for (let depth = 0; level.length > 0; depth += 1) {
      nodes += level.length;
      if (depth >= MAX_DEPTH || nodes > MAX_NODES)
        for (const node of level)
          if (node.children) node.children = [{ type: 'text', value: textBelow(node) }];
      level = level.flatMap(({ children = [] }) => children).filter(({ children }) => children !== undefined);
    }
  };
}
