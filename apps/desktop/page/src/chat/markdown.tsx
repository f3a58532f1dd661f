import { memo, type ReactNode } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { visible } from '../parts/visible.ts';

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

/** Markdown of a model, without HTML of its own, and without anything that loads. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  return (
    <div className="markdown">
      <ReactMarkdown remarkPlugins={PLUGINS} components={COMPONENTS} skipHtml>
        {text}
      </ReactMarkdown>
    </div>
  );
});
