import { visible } from '@svc/text';
import type { Root } from 'hast';
import type { Root as Markdown } from 'mdast';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import remarkRehype from 'remark-rehype';
import { type Processor, unified } from 'unified';
import { bounded } from './bounded.ts';
import { emphasisSyntax } from './emphasis.ts';
import { formulaNodes, formulaSyntax } from './formulas.ts';
import { keepText, type Rich } from './keep-text.ts';

/** An element of a tree, as the page reads it. */
export type TreeNode = {
  type: string;
  tagName?: string;
  value?: string;
  properties?: Record<string, unknown>;
  children?: readonly TreeNode[];
  data?: { meta?: string };
};

export const textIn = (node: TreeNode | undefined): string =>
  node?.value ?? (node?.children ?? []).map(textIn).join('');

/** Adds a syntax to the parser, and text that Markdown would drop. */
function everyCharacter(this: Processor, need: (rich: Rich) => void) {
  const data = this.data() as { micromarkExtensions?: unknown[]; fromMarkdownExtensions?: unknown[] };
  data.micromarkExtensions = [...(data.micromarkExtensions ?? []), formulaSyntax, emphasisSyntax];
  data.fromMarkdownExtensions = [...(data.fromMarkdownExtensions ?? []), formulaNodes];
  return keepText((text) => this.parse(text) as Markdown, need);
}

/**
 * Shows invisible characters and bidi controls, also those that the text writes as entities. A block has the direction of its own text, without
 * that of code and addresses in it; blocks in a list, a quote or a table have that of the whole.
 */
function showHidden() {
  const walk = (node: TreeNode): void => {
    if (node.type === 'text' && node.value !== undefined) node.value = visible(node.value);
    const isAddress = node.tagName === 'a' && String(node.properties?.href).endsWith(textIn(node));
    if (node.properties && (node.tagName === 'code' || isAddress)) node.properties.dir = 'ltr';
    // Two answers may have notes of one number.
    if (node.properties) delete node.properties.id;
    for (const child of node.children ?? []) walk(child);
  };
  return (root: TreeNode): void => {
    for (const block of root.children ?? []) if (block.properties) block.properties.dir = 'auto';
    walk(root);
  };
}

/** Where the nodes stood in the text, which nothing reads: half of what a worker would send. */
function withoutPositions() {
  const walk = (node: TreeNode & { position?: unknown }): void => {
    delete node.position;
    for (const child of node.children ?? []) walk(child);
  };
  return walk;
}

/** A part of an answer as elements, and what else it needs to be drawn in full. */
export type Tree = { root: Root; needed: readonly Rich[] };

/**
 * Parses Markdown. HTML is text, nothing is loaded, and the elements are bounded; the time grows with the square of the marks in hostile
 * texts.
 * @throws RangeError where a text nests too deeply for the stack
 */
export function treeOf(text: string): Tree {
  const needed = new Set<Rich>();
  const processor = unified()
    .use(remarkParse)
    .use(remarkGfm, { singleTilde: false })
    .use(everyCharacter as never, ((rich: Rich) => needed.add(rich)) as never)
    .use(remarkRehype, {
      footnoteLabelProperties: { className: ['unseen'] },
      footnoteBackContent: () => [],
    })
    .use(bounded as never)
    .use(showHidden as never)
    .use(withoutPositions as never);
  const root = processor.runSync(processor.parse(text), { value: text } as never) as unknown as Root;
  return { root, needed: [...needed] };
}
