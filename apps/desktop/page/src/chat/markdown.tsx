import { memo, type ReactNode, useEffect, useMemo, useState } from 'react';
import ReactMarkdown, { type Components, type Options } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { visible } from '../parts/visible.ts';
import { blocksOf, isCheap } from './blocks.ts';

type Node = { type: string; value?: string; children?: readonly Node[] };

/** Shows invisible characters and bidi controls, also those that the text writes as entities. */
function showHidden() {
  const walk = (node: Node): void => {
    if (node.type === 'text' && node.value !== undefined) node.value = visible(node.value);
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

/** Shows the alternative text instead of remote images: loading one would reveal to its server that the message was read. */
const COMPONENTS: Components = {
  a: ({ href, children }) => <Link href={href}>{children}</Link>,
  img: ({ alt }) => <span className="soft">[{visible(String(alt ?? ''))}]</span>,
};

const OPTIONS: Options = {
  remarkPlugins: [remarkGfm],
  rehypePlugins: [showHidden],
  components: COMPONENTS,
  skipHtml: true,
};

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
  // biome-ignore lint/correctness/useExhaustiveDependencies: each turn tries again
  const rendered = useMemo(
    () => budget.run(() => ReactMarkdown({ ...OPTIONS, children: text })),
    [text, turn],
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
    const lines = text.replaceAll(/\r\n?/g, '\n');
    return isGrowing || !isCheap(lines) ? blocksOf(lines) : [lines];
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
