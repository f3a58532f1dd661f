import { visible } from '@svc/text';
import { CopyButton } from '@svc/ui';
import type { Root } from 'mdast';
import { memo, type ReactNode, useEffect, useMemo, useState } from 'react';
import ReactMarkdown, { type Components, type Options } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import type { Processor } from 'unified';
import { isCheap, partsOf } from './blocks.ts';
import { bounded } from './rich/bounded.ts';
import { fenceFormulas } from './rich/displayed.ts';
import { emphasisSyntax } from './rich/emphasis.ts';
import { formulaNodes, formulaSyntax } from './rich/formulas.ts';
import { keepText, type Rich } from './rich/keep-text.ts';

type Plugin = NonNullable<Options['rehypePlugins']>[number];

/** Scripts of their own, loaded with the first text that needs them. */
const LOADERS: Record<Rich, () => Promise<{ plugin: Plugin }>> = {
  code: () => import('./rich/code.ts'),
  math: () => import('./rich/math.ts'),
};

const loaded = new Map<Rich, Plugin>();

/** Adds a syntax to the parser, and text that Markdown would drop. */
function everyCharacter(this: Processor, need: (rich: Rich) => void) {
  const data = this.data() as { micromarkExtensions?: unknown[]; fromMarkdownExtensions?: unknown[] };
  data.micromarkExtensions = [...(data.micromarkExtensions ?? []), formulaSyntax, emphasisSyntax];
  data.fromMarkdownExtensions = [...(data.fromMarkdownExtensions ?? []), formulaNodes];
  return keepText((text) => this.parse(text) as Root, need);
}

/** Markdown as elements, and the scripts that it needs and that are not loaded yet. */
function draw(text: string): { shown: ReactNode; missing: readonly Rich[] } {
  const needed = new Set<Rich>();
  let shown: ReactNode;
  try {
    shown = ReactMarkdown({
      ...OPTIONS,
      remarkPlugins: [
        [remarkGfm, { singleTilde: false }],
        [everyCharacter, (rich: Rich) => needed.add(rich)],
      ],
      // Once for what is written, and once for what the others make of it.
      rehypePlugins: [bounded, showHidden, ...loaded.values(), bounded],
      children: text,
    });
  } catch {
    // Parsers call themselves for each level of a text, and may run out of stack.
    return { shown: <Plain text={text} />, missing: [] };
  }
  return { shown, missing: [...needed].filter((rich) => !loaded.has(rich)) };
}

type Node = {
  type: string;
  tagName?: string;
  value?: string;
  properties?: Record<string, unknown>;
  children?: readonly Node[];
  data?: { meta?: string };
};

/**
 * Shows invisible characters and bidi controls, also those that the text writes as entities. A block has the direction of its own text, without
 * that of code and addresses in it; blocks in a list, a quote or a table have that of the whole.
 */
function showHidden() {
  const walk = (node: Node): void => {
    if (node.type === 'text' && node.value !== undefined) node.value = visible(node.value);
    const isAddress = node.tagName === 'a' && String(node.properties?.href).endsWith(textOf(node));
    if (node.properties && (node.tagName === 'code' || isAddress)) node.properties.dir = 'ltr';
    // Two answers may have notes of one number.
    if (node.properties) delete node.properties.id;
    for (const child of node.children ?? []) walk(child);
  };
  return (root: Node): void => {
    for (const block of root.children ?? []) if (block.properties) block.properties.dir = 'auto';
    walk(root);
  };
}

/** Longest target that is shown in full, in UTF-16 units. */
const MAX_TARGET = 200;

type LinkProps = {
  href?: string | undefined;
  dir?: string | undefined;
  title?: string | undefined;
  children?: ReactNode;
};

/** A link followed by its host, so that its text cannot disguise the target. A target that no browser may open from here is text. */
function Link({ href = '', dir, title, children, node }: LinkProps & { node?: Node | undefined }) {
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
  const isSaid = target === '' || target.startsWith('#') || target.endsWith(textOf(node));
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

const textOf = (node: Node | undefined): string => node?.value ?? (node?.children ?? []).map(textOf).join('');

/** Most of the name of a language that a button shows, in UTF-16 units. */
const MAX_LANGUAGE = 20;

/** A fence, with a button that copies it. */
function Fence({ node, children }: { node?: Node | undefined; children?: ReactNode }) {
  const [code] = node?.children ?? [];
  const names = code?.properties?.className;
  const language = (Array.isArray(names) ? names.map(String) : [])
    .find((name) => name.startsWith('language-'))
    ?.slice('language-'.length);
  const given = [language, code?.data?.meta].filter(Boolean).join(' ');
  // The name of a file, or what else follows the marks.
  const caption = given !== language || given.length > MAX_LANGUAGE ? given : '';
  return (
    <div className="code-block">
      {caption === '' ? null : <p className="soft">{visible(caption)}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard */}
      <pre tabIndex={0} dir="ltr">
        {children}
      </pre>
      <CopyButton
        text={textOf(node)}
        label={`Copy ${visible(language?.slice(0, MAX_LANGUAGE) ?? '')}`.trim()}
      />
    </div>
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
    <Link {...{ href, dir, title, node: node as Node | undefined }}>{children}</Link>
  ),
  pre: ({ node, children }) => <Fence node={node as Node | undefined}>{children}</Fence>,
  table: ({ dir, children }) => <Table dir={dir}>{children}</Table>,
  img: ({ alt }) => <span className="soft">[{visible(String(alt ?? ''))}]</span>,
};

/** `Link` decides which addresses are links. */
const OPTIONS: Options = {
  components: COMPONENTS,
  skipHtml: true,
  urlTransform: (url) => url,
  remarkRehypeOptions: { footnoteLabelProperties: { className: ['unseen'] }, footnoteBackContent: () => [] },
};

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

/** One block, as plain text while the time of the page is used up. */
const Block = memo(function Block({ text }: { text: string }) {
  const [turn, setTurn] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each turn tries again
  const drawn = useMemo(() => budget.run(() => draw(text)), [text, turn]);
  useEffect(() => {
    const again = () => setTurn(turn + 1);
    if (drawn === null) {
      const timer = setTimeout(again, PERIOD_MS);
      return () => clearTimeout(timer);
    }
    const { missing } = drawn;
    if (missing.length === 0) return undefined;
    const load = async (rich: Rich) => loaded.set(rich, (await LOADERS[rich]()).plugin);
    // Without the script the text stays as it is.
    void Promise.all(missing.map(load)).then(again, () => undefined);
    return undefined;
  }, [drawn, turn]);
  return drawn?.shown ?? <Plain text={text} />;
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
