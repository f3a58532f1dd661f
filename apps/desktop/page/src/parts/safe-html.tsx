import { visible } from '@svc/text';
import { isRichValue, NOT_TEXT, RICH_TEXT } from '@svc/text/rich-text';
import { createElement, type MouseEvent, type ReactNode, useMemo } from 'react';

const VOID = new Set(['hr', 'br', 'img', 'input']);

/** Elements that are shown as others: manifests are rendered by clients with other names for the same. */
const SAME_AS: Readonly<Record<string, string>> = { b: 'strong', i: 'em', del: 's', h1: 'h3', h2: 'h3' };

/** The names of attributes in React. */
const IN_REACT: Readonly<Record<string, string>> = {
  class: 'className',
  colspan: 'colSpan',
  rowspan: 'rowSpan',
};

/** Ids of rich text have the prefix of its place, so that none is the id of an element of this page. */
const ANCHOR = /^readme-/;

/** Limits of nesting and size. Content beyond them is dropped. */
const MAX_DEPTH = 40;
const MAX_NODES = 20_000;

type Attributes = Record<string, unknown>;

/** Shows an anchor of the text. The address of this page names its view, so that an anchor cannot be a part of it. */
function showAnchor(event: MouseEvent<HTMLAnchorElement>): void {
  event.preventDefault();
  const id = event.currentTarget.getAttribute('href')?.slice(1) ?? '';
  document.getElementById(id)?.scrollIntoView();
}

/** The target of a link, if it is allowed: never `javascript:` or another view of this page. */
function linkOf(element: Element): Attributes | null {
  const href = element.getAttribute('href') ?? '';
  if (ANCHOR.test(href.slice(1)) && href.startsWith('#')) return { href, onClick: showAnchor };
  const address = URL.parse(href);
  if (!address || !['https:', 'mailto:'].includes(address.protocol)) return null;
  return { href: address.href, target: '_blank', rel: 'noopener noreferrer' };
}

/** A picture of the store; null for one of any other host. */
function pictureOf(element: Element, store: string | undefined): Attributes | null {
  const src = store === undefined ? null : URL.parse(element.getAttribute('src') ?? '', store);
  if (!src || src.origin !== new URL(store ?? '').origin) return null;
  return { src: src.href, alt: element.getAttribute('alt') ?? '', loading: 'lazy' };
}

/** The attributes of an element; null when it is replaced by its content. */
function attributesOf(name: string, element: Element, store: string | undefined): Attributes | null {
  if (RICH_TEXT[name] === undefined) return null;
  const { id } = element;
  const kept = Array.from(element.attributes, (attribute) => [attribute.name, attribute.value] as const)
    .filter(([attribute, value]) => isRichValue(name, attribute, value))
    .map(([attribute, value]) => [IN_REACT[attribute] ?? attribute, attribute === 'open' ? true : value]);
  const common = { ...Object.fromEntries(kept), ...(ANCHOR.test(id) && { id }) };
  if (name === 'input')
    return { type: 'checkbox', disabled: true, defaultChecked: element.hasAttribute('checked') };
  // Long lines of code scroll, by the keyboard too.
  if (name === 'pre') return { ...common, tabIndex: 0 };
  if (name !== 'a' && name !== 'img') return common;
  const own = name === 'a' ? linkOf(element) : pictureOf(element, store);
  return own === null ? null : { ...common, ...own };
}

/** Converts untrusted HTML to React elements, of which `RICH_TEXT` has all elements and attributes. */
function elementsOf(html: string, store: string | undefined, repeated: string | undefined): ReactNode[] {
  let remaining = MAX_NODES;
  // DOMParser runs no scripts and loads no resources.
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  const first = body.firstElementChild;
  // It stays for screen readers, as a part of the outline.
  const isRepeated = first?.textContent?.trim() === repeated && /^h[1-6]$/.test(first?.localName ?? '');
  const hidden = isRepeated ? first : null;
  const elementOf = (element: Element, depth: number, key: number): ReactNode => {
    const name = SAME_AS[element.localName] ?? element.localName;
    const attributes = attributesOf(name, element, store);
    if (name === 'img' && attributes === null) return visible(element.getAttribute('alt') ?? '');
    const children = VOID.has(name) ? [] : walk(element, depth + 1);
    const className = element === hidden && { className: 'unseen' };
    return createElement(
      attributes === null ? 'span' : name,
      { key, ...attributes, ...className },
      ...children,
    );
  };
  const walk = (parent: Node, depth: number): ReactNode[] =>
    depth > MAX_DEPTH
      ? []
      : Array.from(parent.childNodes).flatMap((node, key): ReactNode[] => {
          remaining -= 1;
          if (remaining < 0) return [];
          if (node.nodeType === Node.TEXT_NODE) return [visible(node.textContent ?? '')];
          if (!(node instanceof Element) || NOT_TEXT.has(node.localName) || node.localName === 'form')
            return [];
          return [elementOf(node, depth, key)];
        });
  return walk(body, 0);
}

/**
 * Renders untrusted HTML as formatted text.
 * @param store the address of the store whose pictures it may show; none when omitted
 * @param repeated a heading above the text, which is not shown again where the text begins with it
 */
export function SafeHtml({ html, store, repeated }: { html: string; store?: string; repeated?: string }) {
  const elements = useMemo(() => elementsOf(html, store, repeated), [html, store, repeated]);
  return <div className="text">{elements}</div>;
}
