import type { StateCore, Token } from 'markdown-it';
import { safeAddress } from './safe-address.ts';

/** The most links of one text. Each reference can repeat one long address in four characters. */
const MAX_LINKS = 1_000;

/** The `h1` of a page is the app's name and its sections are `h2`, so the highest headings of a text become `h3`. */
const HIGHEST_HEADING = 3;
const DEEPEST_HEADING = 6;

type Links = { state: StateCore; mayLink(): boolean };

function textToken({ state }: Links, content: string): Token {
  const text = new state.Token('text', '', 0);
  text.content = content;
  return text;
}

/** Replaces an image by a link with its text, or with its address when it has none; only by its text when a link is not allowed. */
function inPlaceOf(image: Token, links: Links): Token[] {
  const src = safeAddress(String(image.attrGet('src')));
  if (src === null || !links.mayLink()) return [textToken(links, image.content)];
  const open = new links.state.Token('link_open', 'a', 1);
  open.attrSet('href', src);
  const text = textToken(links, image.content.trim() || src);
  return [open, text, new links.state.Token('link_close', 'a', -1)];
}

/** The link without its title, which would be repeated in each reference to one definition; null when it is not allowed. */
function allowedLink(open: Token, links: Links): Token | null {
  const href = safeAddress(String(open.attrGet('href')));
  if (href === null || !links.mayLink()) return null;
  open.attrs = [['href', href]];
  return open;
}

/** Keeps the allowed links of a line, replaces the others by their text, and images by links. */
function limitLine(children: readonly Token[], links: Links): Token[] {
  /** The link around the current token; null when it is not allowed, undefined outside a link. */
  let around: Token | null | undefined;
  return children.flatMap((token) => {
    if (token.type === 'link_open') {
      around = allowedLink(token, links);
      return around ?? [];
    }
    if (token.type === 'link_close') {
      const kept = around ? [token] : [];
      around = undefined;
      return kept;
    }
    if (token.type !== 'image') return token;
    // Links cannot be nested.
    return around === undefined ? inPlaceOf(token, links) : textToken(links, token.content);
  });
}

const levelOf = ({ tag }: Token): number => Number(tag.slice(1));

/** Shifts headings below those of the page. The highest heading of a text becomes `h3`, whatever its level. */
function shiftHeadings(tokens: readonly Token[]): void {
  const headings = tokens.filter(({ type }) => type === 'heading_open' || type === 'heading_close');
  const highest = headings.reduce((min, heading) => Math.min(min, levelOf(heading)), DEEPEST_HEADING);
  for (const heading of headings) {
    const level = HIGHEST_HEADING + levelOf(heading) - highest;
    heading.tag = `h${Math.min(level, DEEPEST_HEADING)}`;
  }
}

/**
 * Limits the parsed tokens of a text: links only to safe addresses, links instead of images, as pages of the store load nothing from
 * other hosts, shifted headings, and no titles, classes or styles.
 */
export function limitMarkdown(state: StateCore): void {
  let count = 0;
  const mayLink = () => {
    count += 1;
    return count <= MAX_LINKS;
  };
  shiftHeadings(state.tokens);
  for (const token of state.tokens) {
    if (token.children) token.children = limitLine(token.children, { state, mayLink });
    // The language after a fence would become a class.
    if (token.type === 'fence') token.info = '';
    if (token.type === 'th_open' || token.type === 'td_open') token.attrs = null;
  }
}
