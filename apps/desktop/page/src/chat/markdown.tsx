import { visible } from '@svc/text';
import { CopyButton } from '@svc/ui';
import { memo, type ReactNode, useEffect, useMemo, useState } from 'react';
import ReactMarkdown, { type Components, type Options } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { blocksOf, isCheap } from './blocks.ts';

type Plugins = {
  remark: NonNullable<Options['remarkPlugins']>;
  rehype: NonNullable<Options['rehypePlugins']>;
};

/** Scripts of their own, loaded with the first text that needs them. */
const LOADERS = {
  code: () => import('./rich/code.ts'),
  math: () => import('./rich/math.ts'),
} as const;

type Name = keyof typeof LOADERS;

const loaded: Partial<Record<Name | 'both', Plugins>> = {};

/** What distinguishes a formula from prices in one line. */
const isFormula = (text: string): boolean =>
  text !== '' && text.trim() === text && !text.includes('\n') && /[\\^_={]/.test(text);

/** Whether a text has mathematics: `$$`, or a formula between two `$`. */
const hasMath = (text: string): boolean =>
  text.includes('$$') ||
  text.split('$').some((part, at, all) => at % 2 === 1 && at < all.length - 1 && isFormula(part));

/** Whether a text has a fence that names its language. */
const hasCode = (text: string): boolean => text.split('\n').some((line) => /^ {0,3}(?:```|~~~)\w/.test(line));

/** A formula that is alone on its line is displayed, as `$$` on lines of their own say it. */
function displayed(line: string): string {
  const text = line.trim();
  const isAlone = text.length > 4 && text.startsWith('$$') && text.endsWith('$$');
  return isAlone ? `$$\n${text.slice(2, -2)}\n$$` : line;
}

/** Models write `\(…\)` and `\[…\]` as often as dollars, and Markdown would drop the backslashes. */
const withDollars = (block: string): string =>
  block
    .replaceAll(/\\[[\]]/g, '$$$$')
    .replaceAll(/\\[()]/g, '$$')
    .split('\n')
    .map(displayed)
    .join('\n');

/** Escapes the dollars that belong to no formula, such as prices. */
function escapePrices(text: string): string {
  const [first = '', ...pieces] = text.split('$');
  let result = first;
  for (let at = 0; at < pieces.length; at += 1) {
    const piece = pieces[at] ?? '';
    const next = pieces[at + 1];
    if (next !== undefined && isFormula(piece)) {
      result += `$${piece}$${next}`;
      at += 1;
    } else result += `${result.endsWith('\\') ? '' : '\\'}$${piece}`;
  }
  return result;
}

const outsideOfDisplays = (block: string): string =>
  block
    .split('$$')
    .map((part, at) => (at % 2 === 1 ? part : escapePrices(part)))
    .join('$$');

/** Blocks of Markdown with their mathematics between dollars. Blocks with code are left alone, and all if there is no mathematics. */
function withMath(blocks: readonly string[]): readonly string[] {
  const isCode = (block: string) => block.includes('`');
  const written = blocks.map((block) => (isCode(block) ? block : withDollars(block)));
  if (!written.some(hasMath)) return blocks;
  return written.map((block) => (isCode(block) ? block : outsideOfDisplays(block)));
}

const NONE: Plugins = { remark: [], rehype: [] };

/** The plugins that a text needs, as far as they are loaded. */
function useRich(text: string): Plugins {
  const [, setLoaded] = useState(0);
  const needed = ([hasCode(text) && 'code', hasMath(text) && 'math'] as const).filter(
    (name) => name !== false,
  );
  const names = needed.join();
  const missing = needed.filter((name) => loaded[name] === undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the names say what is missing
  useEffect(() => {
    for (const name of missing) {
      LOADERS[name]().then(
        ({ plugins }) => {
          loaded[name] = plugins;
          setLoaded((n) => n + 1);
        },
        // Without the script the text stays as it is.
        () => undefined,
      );
    }
  }, [names]);
  const own = needed.flatMap((name) => loaded[name] ?? []);
  const [first] = own;
  if (own.length < 2) return first ?? NONE;
  loaded.both ??= {
    remark: own.flatMap(({ remark }) => remark),
    rehype: own.flatMap(({ rehype }) => rehype),
  };
  return loaded.both;
}

type Node = {
  type: string;
  tagName?: string;
  value?: string;
  properties?: Record<string, unknown>;
  children?: readonly Node[];
};

/** Each of these has the direction of its own text. */
const BLOCKS = new Set(['p', 'li', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'td', 'th', 'ul', 'ol']);

/** Shows invisible characters and bidi controls, also those that the text writes as entities, and leaves the direction to each block. */
function showHidden() {
  const walk = (node: Node): void => {
    if (node.type === 'text' && node.value !== undefined) node.value = visible(node.value);
    if (node.properties && BLOCKS.has(node.tagName ?? '')) node.properties.dir = 'auto';
    for (const child of node.children ?? []) walk(child);
  };
  return walk;
}

/** A link followed by its host, so that its text cannot disguise the target. */
function Link({ href, children }: { href?: string | undefined; children?: ReactNode }) {
  const url = URL.parse(href ?? '');
  if (!url || !['https:', 'http:'].includes(url.protocol)) return <span>{children}</span>;
  return (
    <>
      <a href={url.href} target="_blank" rel="noopener noreferrer nofollow">
        {children}
      </a>{' '}
      <span className="soft">({visible(url.host)})</span>
    </>
  );
}

const textOf = (node: Node | undefined): string => node?.value ?? (node?.children ?? []).map(textOf).join('');

/** Most of the name of a language that a button shows, in UTF-16 units. */
const MAX_LANGUAGE = 20;

/** A fence, with a button that copies it. */
function Fence({ node, children }: { node?: Node | undefined; children?: ReactNode }) {
  const [code] = node?.children ?? [];
  const names = code?.properties?.className;
  const language = (Array.isArray(names) ? names.map(String) : [])
    .find((name) => name.startsWith('language-'))
    ?.slice('language-'.length)
    .slice(0, MAX_LANGUAGE);
  return (
    <div className="code-block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard */}
      <pre tabIndex={0} dir="ltr">
        {children}
      </pre>
      <CopyButton text={textOf(node)} label={`Copy ${visible(language ?? '')}`.trim()} />
    </div>
  );
}

/** A table that scrolls instead of breaking its words. */
const Table = ({ children }: { children?: ReactNode }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard
  <section className="table-scroll" tabIndex={0} aria-label="Table">
    <table>{children}</table>
  </section>
);

/** Shows the alternative text instead of remote images: loading one would reveal to its server that the message was read. */
const COMPONENTS: Components = {
  a: ({ href, children }) => <Link href={href}>{children}</Link>,
  pre: ({ node, children }) => <Fence node={node as Node | undefined}>{children}</Fence>,
  table: ({ children }) => <Table>{children}</Table>,
  img: ({ alt }) => <span className="soft">[{visible(String(alt ?? ''))}]</span>,
};

const OPTIONS: Options = { components: COMPONENTS, skipHtml: true };

/** The time that rendering Markdown may take in a period, for all messages of the page, in milliseconds. */
const BUDGET_MS = 500;
const PERIOD_MS = 1_000;

/** Renders blocks within the time of the page, and others later. */
const budget = {
  start: 0,
  spent: 0,
  /** @returns null when the time of this period is used up */
  run(work: () => ReactNode): ReactNode | null {
    const begun = performance.now();
    if (begun - this.start > PERIOD_MS) Object.assign(this, { start: begun, spent: 0 });
    if (this.spent > BUDGET_MS) return null;
    const result = work();
    this.spent += performance.now() - begun;
    return result;
  },
};

function Plain({ text }: { text: string }) {
  return <p className="plain">{visible(text)}</p>;
}

/** One block, as plain text while the time of the page is used up. */
const Block = memo(function Block({ text }: { text: string }) {
  const [turn, setTurn] = useState(0);
  const rich = useRich(text);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each turn tries again
  const rendered = useMemo(
    () =>
      budget.run(() =>
        ReactMarkdown({
          ...OPTIONS,
          remarkPlugins: [remarkGfm, ...rich.remark],
          rehypePlugins: [showHidden, ...rich.rehype],
          children: text,
        }),
      ),
    [text, turn, rich],
  );
  useEffect(() => {
    if (rendered !== null) return;
    const timer = setTimeout(() => setTurn(turn + 1), PERIOD_MS);
    return () => clearTimeout(timer);
  }, [rendered, turn]);
  return rendered ?? <Plain text={text} />;
});

/**
 * Renders Markdown of a model, without embedded HTML and without loading anything. Blocks that would take too long are plain text.
 * @param isGrowing renders in blocks while the text is streamed, which keeps long answers fast
 */
export function Markdown({ text, isGrowing }: { text: string; isGrowing: boolean }) {
  const blocks = useMemo(() => {
    const all = withMath(blocksOf(text.replaceAll(/\r\n?/g, '\n')));
    const whole = all.join('\n\n');
    return isGrowing || !isCheap(whole) ? all : [whole];
  }, [text, isGrowing]);
  return (
    <div className="markdown">
      {blocks.map((block, index) => {
        const Kind = isCheap(block) ? Block : Plain;
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks are only added at the end
        return <Kind key={index} text={block} />;
      })}
    </div>
  );
}
