import { visible } from '@svc/text';
import { CopyButton } from '@svc/ui';
import type { Root } from 'hast';
import { type Components, toJsxRuntime } from 'hast-util-to-jsx-runtime';
import { memo, type ReactNode, useEffect, useMemo, useState } from 'react';
import { Fragment, jsx, jsxs } from 'react/jsx-runtime';
import { isCheap, isSmall, partsOf } from './blocks.ts';
import { Preview } from './preview.tsx';
import { fenceFormulas } from './rich/displayed.ts';
import { drawApart, drawnBefore } from './rich/draw-apart.ts';
import { type TreeNode, textIn, treeOf } from './rich/tree.ts';

/** Longest target that is shown in full, in UTF-16 units. */
const MAX_TARGET = 200;

type LinkProps = {
  href?: string | undefined;
  dir?: string | undefined;
  title?: string | undefined;
  children?: ReactNode;
};

/** A link followed by its host, so that its text cannot disguise the target. A target that no browser may open from here is text. */
function Link({ href = '', dir, title, children, node }: LinkProps & { node?: TreeNode | undefined }) {
  const url = URL.parse(href);
  if (url && ['https:', 'http:'].includes(url.protocol))
    return (
      <>
        <a
          href={url.href}
          dir={dir}
          title={title && visible(title)}
          target="_blank"
          rel="noopener noreferrer nofollow"
        >
          {children}
        </a>{' '}
        <span className="soft">({visible(url.host)})</span>
      </>
    );
  const target = decoded(href);
  const isSaid = target === '' || target.startsWith('#') || target.endsWith(textIn(node));
  return (
    <span>
      {children}
      {isSaid ? null : <span className="soft"> ({visible(target.slice(0, MAX_TARGET))})</span>}
    </span>
  );
}

/** A target as it was written. */
function decoded(href: string): string {
  try {
    return decodeURI(href);
  } catch {
    return href;
  }
}

/** Most of the name of a language that a button shows, in UTF-16 units. */
const MAX_LANGUAGE = 20;

/** A fence, with a button that copies it, and one that shows the document that it is. */
function Fence({ node, children }: { node?: TreeNode | undefined; children?: ReactNode }) {
  const [code] = node?.children ?? [];
  const names = code?.properties?.className;
  const language = (Array.isArray(names) ? names.map(String) : [])
    .find((name) => name.startsWith('language-'))
    ?.slice('language-'.length);
  const given = [language, code?.data?.meta].filter(Boolean).join(' ');
  const text = textIn(node);
  // The name of a file, or what else follows the marks.
  const caption = given !== language || given.length > MAX_LANGUAGE ? given : '';
  return (
    <>
      <div className="code-block">
        {caption === '' ? null : <p className="soft">{visible(caption)}</p>}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard */}
        <pre tabIndex={0} dir="ltr">
          {children}
        </pre>
        <CopyButton text={text} label={`Copy ${visible(language?.slice(0, MAX_LANGUAGE) ?? '')}`.trim()} />
      </div>
      <Preview language={language ?? ''} code={text} />
    </>
  );
}

/** A table that scrolls instead of breaking its words. */
const Table = ({ dir, children }: { dir?: string | undefined; children?: ReactNode }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard
  <section className="table-scroll" tabIndex={0} aria-label="Table">
    <table dir={dir}>{children}</table>
  </section>
);

/** Shows the alternative text instead of remote images: loading one would reveal to its server that the message was read. */
const COMPONENTS: Components = {
  a: ({ href, dir, title, node, children }) => (
    <Link {...{ href, dir, title, node: node as TreeNode | undefined }}>{children}</Link>
  ),
  pre: ({ node, children }) => <Fence node={node as TreeNode | undefined}>{children}</Fence>,
  table: ({ dir, children }) => <Table dir={dir}>{children}</Table>,
  img: ({ alt }) => <span className="soft">[{visible(String(alt ?? ''))}]</span>,
};

/** `Link` decides which addresses are links. */
const elementsOf = (root: Root): ReactNode =>
  toJsxRuntime(root, { Fragment, jsx, jsxs, components: COMPONENTS, passKeys: true, passNode: true });

/** A text that the page parses by itself; without elements where it is too large for that, or nests too deeply. */
function treeHere(text: string): { root: Root | null; isWhole: boolean } {
  try {
    const { root, needed } = isSmall(text) ? treeOf(text) : { root: null, needed: [] };
    return { root, isWhole: root !== null && needed.length === 0 };
  } catch {
    // Parsers call themselves for each level of a text, and may run out of stack.
    return { root: null, isWhole: false };
  }
}

/** The time that rendering Markdown may take in a period, for all messages of the page, in milliseconds. */
const BUDGET_MS = 100;
const PERIOD_MS = 200;

/** Renders blocks within the time of the page, and others later. */
const budget = {
  start: 0,
  spent: 0,
  /** @returns null when the time of this period is used up */
  run<Result>(work: () => Result): Result | null {
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

/** What was drawn of a block. */
type Drawn = { text: string; root: Root | null };

/** Answers of the worker may come after that of a longer beginning. */
const longer = (last: Drawn | undefined, next: Drawn): Drawn =>
  last && last.text.length > next.text.length && last.text.startsWith(next.text) ? last : next;

/**
 * One block. The page parses what is small and plain at once; all else, highlighting and formulas are drawn beside it, and shown when they
 * are there: until then the block is what the page could parse, or plain text. So it is while the time of the page is used up.
 */
const Block = memo(function Block({ text }: { text: string }) {
  const [turn, setTurn] = useState(0);
  const [apart, setApart] = useState<Drawn>();
  // While an answer grows, what was drawn of its beginning stays until more is drawn.
  const whole = drawnBefore(text) ?? (apart && text.startsWith(apart.text) ? apart.root : null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each turn tries again
  const here = useMemo(() => (whole ? null : budget.run(() => treeHere(text))), [text, turn, whole === null]);
  const root = whole ?? here?.root;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each turn tries again
  const shown = useMemo(() => budget.run(() => (root ? elementsOf(root) : undefined)), [root, turn]);
  const isLate = shown === null;
  const isDrawn = drawnBefore(text) !== undefined || here?.isWhole === true;
  useEffect(() => {
    if (!isLate) return undefined;
    const timer = setTimeout(() => setTurn(turn + 1), PERIOD_MS);
    return () => clearTimeout(timer);
  }, [isLate, turn]);
  useEffect(() => {
    if (isDrawn || isLate) return undefined;
    const controller = new AbortController();
    void drawApart(text, controller.signal).then((drawn) =>
      setApart((last) => longer(last, { text, root: drawn })),
    );
    return () => controller.abort();
  }, [isDrawn, isLate, text]);
  return shown ?? <Plain text={text} />;
});

/** Renders Markdown of a model, without HTML and without loading anything. Blocks that would take too long are plain text. */
export function Markdown({ text }: { text: string }) {
  const blocks = useMemo(() => partsOf(fenceFormulas(text.replaceAll(/\r\n?/g, '\n'))), [text]);
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
