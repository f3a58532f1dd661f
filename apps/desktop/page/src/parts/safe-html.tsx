import { createElement, type ReactNode, useMemo } from 'react';
import { visible } from './visible.ts';

/** Elements that are kept. Other elements are replaced by their children. */
const ALLOWED = new Set([
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

/** Elements that are removed with their content. */
const REMOVED = new Set([
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

/** Limits of nesting and size. Content beyond them is dropped. */
const MAX_DEPTH = 40;
const MAX_NODES = 20_000;

/** The target of a link, if its scheme is allowed: never `javascript:` or this page. */
function linkOf(element: Element): string | null {
  const address = URL.parse(element.getAttribute('href') ?? '');
  return address && ['https:', 'mailto:'].includes(address.protocol) ? address.href : null;
}

function elementOf(element: Element, children: ReactNode[], key: number): ReactNode {
  const name = element.localName;
  if (VOID.has(name)) return createElement(name, { key });
  // Headings of the text rank below those of the page.
  if (/^h[1-6]$/.test(name)) return createElement(Number(name[1]) < 4 ? 'h3' : 'h4', { key }, ...children);
  const href = name === 'a' ? linkOf(element) : null;
  if (href) {
    return createElement('a', { key, href, target: '_blank', rel: 'noopener noreferrer' }, ...children);
  }
  return createElement(ALLOWED.has(name) ? name : 'span', { key }, ...children);
}

/** Converts untrusted HTML to React elements. The only attribute kept is the `href` of links. */
function elementsOf(html: string): ReactNode[] {
  let remaining = MAX_NODES;
  const walk = (parent: Node, depth: number): ReactNode[] =>
    depth > MAX_DEPTH
      ? []
      : Array.from(parent.childNodes).flatMap((node, key): ReactNode[] => {
          remaining -= 1;
          if (remaining < 0) return [];
          if (node.nodeType === Node.TEXT_NODE) return [visible(node.textContent ?? '')];
          if (!(node instanceof Element) || REMOVED.has(node.localName)) return [];
          return [elementOf(node, walk(node, depth + 1), key)];
        });
  // DOMParser runs no scripts and loads no resources.
  return walk(new DOMParser().parseFromString(html, 'text/html').body, 0);
}

/** Renders untrusted HTML as plain formatted text. */
export function SafeHtml({ html }: { html: string }) {
  const elements = useMemo(() => elementsOf(html), [html]);
  return <div className="prose">{elements}</div>;
}
