import { memo, type ReactNode } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { visible } from '../parts/visible.ts';
import { blocksOf } from './blocks.ts';

const PLUGINS = [remarkGfm];

/** A link with its host beside it, so that its text cannot hide where it leads. */
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

/** A picture of the web would tell its server that the conversation is read: its words stand in its place. */
const COMPONENTS: Components = {
  a: ({ href, children }) => <Link href={href}>{children}</Link>,
  img: ({ alt }) => <span className="soft">[{visible(String(alt ?? ''))}]</span>,
};

const Block = memo(function Block({ text }: { text: string }) {
  return (
    <ReactMarkdown remarkPlugins={PLUGINS} components={COMPONENTS} skipHtml>
      {text}
    </ReactMarkdown>
  );
});

/**
 * Markdown of a model, without HTML of its own, and without anything that loads.
 * @param isGrowing drawn in blocks until it is whole, so that a long answer stays quick while it arrives
 */
export function Markdown({ text, isGrowing }: { text: string; isGrowing: boolean }) {
  return (
    <div className="markdown">
      {(isGrowing ? blocksOf(text) : [text]).map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks are added at the end alone
        <Block key={index} text={block} />
      ))}
    </div>
  );
}
