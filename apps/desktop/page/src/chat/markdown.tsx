import { memo, type ReactNode } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { visible } from '../parts/visible.ts';
import { blocksOf } from './blocks.ts';

const PLUGINS = [remarkGfm];

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

const Block = memo(function Block({ text }: { text: string }) {
  return (
    <ReactMarkdown remarkPlugins={PLUGINS} components={COMPONENTS} skipHtml>
      {text}
    </ReactMarkdown>
  );
});

/**
 * Renders Markdown of a model, without embedded HTML and without loading anything.
 * @param isGrowing renders in blocks while the text is streamed, which keeps long answers fast
 */
export function Markdown({ text, isGrowing }: { text: string; isGrowing: boolean }) {
  return (
    <div className="markdown">
      {(isGrowing ? blocksOf(text) : [text]).map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks are only added at the end
        <Block key={index} text={block} />
      ))}
    </div>
  );
}
