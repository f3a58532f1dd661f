import { visible } from '@svc/text';
import { useCopy } from '@svc/ui';
import { memo, type ReactNode, useEffect, useMemo, useState } from 'react';
import ReactMarkdown, { type Components, type Options } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { blocksOf, isCheap } from './blocks.ts';
import { useRich, withMath } from './use-rich.ts';

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

/** A fence, with its language and a button that copies it. */
function Fence({ node, children }: { node?: Node | undefined; children?: ReactNode }) {
  const text = textOf(node);
  const { outcome, copy } = useCopy(text);
  const [code] = node?.children ?? [];
  const names = code?.properties?.className;
  const language = (Array.isArray(names) ? names.map(String) : [])
    .find((name) => name.startsWith('language-'))
    ?.slice('language-'.length);
  return (
    <div className="fence">
      <div className="fence-head">
        <span>{visible(language ?? '')}</span>
        <button type="button" className="quiet" onClick={() => void copy()}>
          {outcome === 'copied' ? 'Copied' : 'Copy'}
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard */}
      <pre tabIndex={0} dir="ltr">
        {children}
      </pre>
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
