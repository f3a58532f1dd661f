import type {
  Definition,
  FootnoteDefinition,
  Html,
  Image,
  Link,
  List,
  Nodes,
  PhrasingContent,
  Root,
  RootContent,
  Table,
  Text,
} from 'mdast';
import { htmlBlockNames, htmlRawNames } from 'micromark-util-html-tag-name';
import { withoutComments } from './formulas.ts';

/** What a text needs that is loaded apart. */
export type Rich = 'code' | 'math';

type Work = {
  source: string;
  parse(text: string): Root;
  need(rich: Rich): void;
  /** Identifiers that the text refers to. */
  used: ReadonlySet<string>;
  defined: Set<string>;
};

const text = (value: string): Text => ({ type: 'text', value });

/** What was written for a node. */
const written = ({ source }: Work, { position }: Nodes): string =>
  source.slice(position?.start.offset ?? 0, position?.end.offset ?? 0);

/** A text that keeps its lines and spaces. */
const verbatim = (value: string): RootContent => ({
  type: 'paragraph',
  data: { hProperties: { className: ['plain'] } },
  children: [text(value)],
});

const BREAK = /^<br\s*\/?>\s*/i;
const TAG_NAME = /^<\/?([a-z][a-z0-9-]*)/i;

/** A block that begins with HTML: as it was written. A tag that HTML does not know, alone on its line, is a word of the model, and Markdown follows. */
function blockOfHtml(work: Work, { value }: Html): RootContent[] {
  const broken = BREAK.exec(value)?.[0];
  const name = TAG_NAME.exec(value)?.[1]?.toLowerCase() ?? '';
  const isHtml = name === '' || htmlBlockNames.includes(name) || htmlRawNames.includes(name);
  if (broken === undefined && isHtml) return [verbatim(value)];
  const end = broken === undefined ? value.indexOf('\n') : broken.length;
  if (end < 0) return [verbatim(value)];
  const tag = broken === undefined ? [verbatim(value.slice(0, end))] : [];
  const rest = value.slice(end);
  return [...tag, ...rootOf({ ...work, source: rest }, work.parse(rest)).children];
}

/** Lines of a paragraph stay lines, as their writer saw them. */
const linesOf = (value: string): PhrasingContent[] =>
  value.split('\n').flatMap((line, at) => (at === 0 ? [text(line)] : [{ type: 'break' }, text(line)]));

/** Where an address ends that CJK follows without a space: at its punctuation, and where its letters follow Latin ones. */
const ADDRESS_END =
  /[\u3000-\u303f\uff00-\uffef\u2018-\u201f\u2026]|(?<=[\w/])[\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}]|(?<=\w)\p{Script=Han}/u;
const ADDRESS = /https?:\/\/[^\s<>"]+/;

/** Addresses in a text that was cut from one. */
function linksIn(value: string): PhrasingContent[] {
  const found = ADDRESS.exec(value);
  if (!found) return value === '' ? [] : linesOf(value);
  const [url] = found;
  const link: Link = { type: 'link', url, children: [text(url)] };
  return [
    ...linesOf(value.slice(0, found.index)),
    ...cutAddress(link, url),
    ...linksIn(value.slice(found.index + url.length)),
  ];
}

/** An address without the text that follows it. */
function cutAddress(link: Link, shown: string): PhrasingContent[] {
  const end = ADDRESS_END.exec(shown)?.index ?? -1;
  if (end <= 'https://'.length) return [link];
  const address = shown.slice(0, end);
  const url = link.url.slice(0, link.url.length - shown.length) + address;
  return [{ ...link, url, children: [text(address)] }, ...linksIn(shown.slice(end))];
}

function keepLink(work: Work, link: Link): PhrasingContent[] {
  const source = written(work, link);
  const [only] = link.children;
  if (source.startsWith('<'))
    return /^<(?:https?:\/\/|mailto:|[^:>]+@)/i.test(source) ? [link] : [text(source)];
  if (source.startsWith('[') || only?.type !== 'text' || !link.url.endsWith(only.value)) return [link];
  return cutAddress(link, only.value);
}

/** A picture is a link to it: loading it would tell its server that the message was read. */
function keepImage({ url, alt }: Image, isInLink: boolean): PhrasingContent[] {
  const shown = text(`[${alt ?? ''}]`);
  return isInLink || !/^https?:/i.test(url)
    ? [shown, text(` (${url})`)]
    : [{ type: 'link', url, children: [shown] }];
}

/** Numbers as they were written: a list may count down. The same number throughout is Markdown's way to count. */
function keepNumbers(work: Work, list: List): void {
  const numbers = list.children.map((item) => Number.parseInt(written(work, item), 10));
  if (!list.ordered || numbers.some(Number.isNaN) || new Set(numbers).size === 1) return;
  for (const [at, item] of list.children.entries()) {
    if (numbers[at] !== (numbers[0] ?? 1) + at) item.data = { hProperties: { value: String(numbers[at]) } };
  }
}

/** Cells beyond the head of their table. */
function keepCells(table: Table): void {
  const most = Math.max(...table.children.map(({ children }) => children.length));
  table.align = Array.from({ length: most }, (_, at) => table.align?.[at] ?? null);
}

/** A definition that nothing refers to, or a second one, is a text: "[Note]: see below". */
function keepDefinition(work: Work, node: Definition | FootnoteDefinition): RootContent[] | undefined {
  const id = `${node.type} ${node.identifier}`;
  const isUsed = work.used.has(id) && !work.defined.has(id);
  work.defined.add(id);
  if (isUsed) return undefined;
  if (node.type === 'definition') return [verbatim(written(work, node))];
  const label: RootContent = { type: 'paragraph', children: [text(`[^${node.label ?? node.identifier}]:`)] };
  return [label, ...childrenOf(work, node, false)] as RootContent[];
}

/** Names with two underscores on both sides, as Python has them. */
const DUNDER = /^__[a-z][a-z0-9_]*__$/;

const FLOW = new Set(['root', 'blockquote', 'listItem', 'footnoteDefinition']);

/** What replaces a node; undefined where it stays. */
function replaced(work: Work, node: Nodes, parent: Nodes, isInLink: boolean): Nodes[] | undefined {
  switch (node.type) {
    case 'text':
      return linesOf(node.value);
    case 'html':
      if (FLOW.has(parent.type)) return blockOfHtml(work, node);
      return BREAK.test(node.value) ? [{ type: 'break' }] : linesOf(node.value);
    case 'strong':
      return DUNDER.test(written(work, node)) ? [text(written(work, node))] : undefined;
    case 'image':
      return keepImage(node, isInLink);
    case 'link':
      return keepLink(work, { ...node, children: childrenOf(work, node, true) as Link['children'] });
    case 'definition':
    case 'footnoteDefinition':
      return keepDefinition(work, node);
    default:
      return undefined;
  }
}

/** Changes a node that stays. */
function keep(work: Work, node: Nodes): void {
  if (node.type === 'list') keepNumbers(work, node);
  else if (node.type === 'table') keepCells(node);
  else if (node.type === 'inlineCode' && node.data) work.need('math');
  else if (node.type === 'code' && node.lang === 'math') {
    work.need('math');
    node.value = withoutComments(node.value);
  } else if (node.type === 'code' && node.lang) work.need('code');
}

function kept(work: Work, node: Nodes, parent: Nodes, isInLink: boolean): Nodes[] {
  const others = replaced(work, node, parent, isInLink);
  if (others) return others;
  keep(work, node);
  if ('children' in node) Object.assign(node, { children: childrenOf(work, node, isInLink) });
  return [node];
}

const childrenOf = (work: Work, parent: Nodes, isInLink: boolean): Nodes[] =>
  'children' in parent ? parent.children.flatMap((child) => kept(work, child, parent, isInLink)) : [];

function addUsed(node: Nodes, used: Set<string>): void {
  if (node.type === 'linkReference' || node.type === 'imageReference')
    used.add(`definition ${node.identifier}`);
  if (node.type === 'footnoteReference') used.add(`footnoteDefinition ${node.identifier}`);
  if ('children' in node) for (const child of node.children) addUsed(child, used);
}

function rootOf(work: Omit<Work, 'used' | 'defined'>, root: Root): Root {
  const used = new Set<string>();
  addUsed(root, used);
  return {
    ...root,
    children: childrenOf({ ...work, used, defined: new Set() }, root, false) as RootContent[],
  };
}

/**
 * Changes Markdown so that every character that was written is shown: HTML and unused definitions are text, lines stay lines, and tables, lists and
 * addresses have what Markdown would drop or add.
 */
export const keepText =
  (parse: Work['parse'], need: Work['need']) => (root: Root, file: { value: unknown }) =>
    rootOf({ source: String(file.value), parse, need }, root);
