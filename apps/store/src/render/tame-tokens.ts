import type { StateCore, Token } from 'markdown-it';
import { safeAddress } from './safe-address.ts';

/** Links that one text may have; what has more is a list of links. Each can repeat one long address in four characters. */
const MAX_LINKS = 1_000;

/** A page has the app's name as its `h1` and its own parts as `h2`; the highest headings of a text come right below. */
const HIGHEST_HEADING = 3;
const DEEPEST_HEADING = 6;

type Links = { state: StateCore; mayLink(): boolean };

function textToken({ state }: Links, content: string): Token {
  const text = new state.Token('text', '', 0);
  text.content = content;
  return text;
}

/** A link to an image, with its text, or with its address when it has none; only the text where it may not be linked to. */
function inPlaceOf(image: Token, links: Links): Token[] {
  const src = safeAddress(String(image.attrGet('src')));
  if (src === null || !links.mayLink()) return [textToken(links, image.content)];
  const open = new links.state.Token('link_open', 'a', 1);
  open.attrSet('href', src);
  const text = textToken(links, image.content.trim() || src);
  return [open, text, new links.state.Token('link_close', 'a', -1)];
}

/** The link, without its title: that is said once in a document and would be repeated in each link that refers to it. */
function keptLink(open: Token, links: Links): Token | null {
  const href = safeAddress(String(open.attrGet('href')));
  if (href === null || !links.mayLink()) return null;
  open.attrs = [['href', href]];
  return open;
}

/** Keeps the links of a line that may be kept, and of the others what they say; makes links of its images. */
function limitLine(children: readonly Token[], links: Links): Token[] {
  /** The link around the tokens at hand: itself, null when it is not kept, undefined outside of one. */
  let around: Token | null | undefined;
  return children.flatMap((token) => {
    if (token.type === 'link_open') {
      around = keptLink(token, links);
      return around ?? [];
    }
    if (token.type === 'link_close') {
      const kept = around ? [token] : [];
      around = undefined;
      return kept;
    }
    if (token.type !== 'image') return token;
    // A link holds no link.
    return around === undefined ? inPlaceOf(token, links) : textToken(links, token.content);
  });
}

const levelOf = ({ tag }: Token): number => Number(tag.slice(1));

/** Puts headings below those of the page. A changelog has none of the first level, and skips none for that. */
function shiftHeadings(tokens: readonly Token[]): void {
  const headings = tokens.filter(({ type }) => type === 'heading_open' || type === 'heading_close');
  const highest = headings.reduce((least, heading) => Math.min(least, levelOf(heading)), DEEPEST_HEADING);
  for (const heading of headings) {
    const level = HIGHEST_HEADING + levelOf(heading) - highest;
    heading.tag = `h${Math.min(level, DEEPEST_HEADING)}`;
  }
}

/**
 * The last step of reading a text: links lead to safe addresses alone, images become links, as a page of the store loads
 * nothing from elsewhere, headings go below those of the page, and nothing carries a title, class or style.
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
