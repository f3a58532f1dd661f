import { createElement, type ReactNode, useMemo } from 'react';
import { visible } from './visible.ts';

/** What text is made of. All else is left out, and what is in it shown as text. */
const KNOWN = new Set([
  'h3',
  'h4',
  'h5',
  'h6',
  'p',
  'ul',
  'ol',
  'li',
  'strong',
  'em',
  'b',
  'i',
  'del',
  's',
  'code',
  'pre',
  'blockquote',
  'hr',
  'br',
  'table',
  'thead',
  'tbody',
  'tr',
  'th',
  'td',
]);

/** What is left out with all that is in it. */
const GONE = new Set([
  'script',
  'style',
  'template',
  'iframe',
  'object',
  'embed',
  'svg',
  'math',
  'noscript',
  'form',
]);

const VOID = new Set(['hr', 'br']);

/** Bounds of what is shown: a text that nests deeper, or has more parts, ends there. */
const DEEPEST = 40;
const MAX_NODES = 20_000;

/** Where a link of a text may lead: out of the page, in the open, and never into it. */
function linkOf(element: Element): string | null {
  const address = URL.parse(element.getAttribute('href') ?? '');
  return address && ['https:', 'mailto:'].includes(address.protocol) ? address.href : null;
}

function elementOf(element: Element, children: ReactNode[], key: number): ReactNode {
  const name = element.localName;
  if (VOID.has(name)) return createElement(name, { key });
  // Headings of a text come below those of the page.
  if (/^h[1-6]$/.test(name)) return createElement(Number(name[1]) < 4 ? 'h3' : 'h4', { key }, ...children);
  const href = name === 'a' ? linkOf(element) : null;
  if (href) {
    return createElement('a', { key, href, target: '_blank', rel: 'noopener noreferrer' }, ...children);
  }
  return createElement(KNOWN.has(name) ? name : 'span', { key }, ...children);
}

/** Makes elements of this page out of HTML that others wrote: no attribute of it is kept but the address of links. */
function elementsOf(html: string): ReactNode[] {
  let left = MAX_NODES;
  const walk = (parent: Node, depth: number): ReactNode[] =>
    depth > DEEPEST
      ? []
      : Array.from(parent.childNodes).flatMap((node, key): ReactNode[] => {
          left -= 1;
          if (left < 0) return [];
          if (node.nodeType === Node.TEXT_NODE) return [visible(node.textContent ?? '')];
          if (!(node instanceof Element) || GONE.has(node.localName)) return [];
          return [elementOf(node, walk(node, depth + 1), key)];
        });
  // A document that is parsed so runs and loads nothing.
  return walk(new DOMParser().parseFromString(html, 'text/html').body, 0);
}

/** A text of strangers, as HTML that can do nothing but be read. */
export function SafeHtml({ html }: { html: string }) {
  const elements = useMemo(() => elementsOf(html), [html]);
  return <div className="prose">{elements}</div>;
}
