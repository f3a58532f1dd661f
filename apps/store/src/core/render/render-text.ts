import MarkdownIt, { type StateCore, type Token } from 'markdown-it';
import footnotes from 'markdown-it-footnote';
import sanitizeHtml from 'sanitize-html';
import type { TextPlace } from '../../platform/renderer.ts';
import { rewriteHtml, safeAddress } from './rewrite-html.ts';

const BLOCKS = [
  'p',
  'div',
  'h3',
  'h4',
  'h5',
  'h6',
  'ul',
  'ol',
  'li',
  'dl',
  'dt',
  'dd',
  'blockquote',
  'pre',
  'hr',
];
const TABLES = ['table', 'caption', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td'];
const WORDS = [
  'a',
  'em',
  'strong',
  's',
  'ins',
  'code',
  'kbd',
  'samp',
  'var',
  'mark',
  'q',
  'small',
  'sub',
  'sup',
  'br',
];
const MORE = ['details', 'summary', 'img', 'input'];

/** The addresses of pictures of a bundle, from the root of the store. */
const OWN_PICTURE = /^\/api\/apps\/[\w.%+-]+\/versions\/[\w.%+-]+\/(files|readme)\//;

/** An anchor of a text, with the prefix of its place: never the id of an element of the page. */
const ANCHOR = /^[a-z][a-z0-9]*-/;

const only = (name: string, values: string[]) => ({ name, multiple: false, values });
const ALIGN = only('align', ['left', 'center', 'right']);
const CELL = [ALIGN, 'colspan', 'rowspan'];

const POLICY: sanitizeHtml.IOptions = {
  allowedTags: [...BLOCKS, ...TABLES, ...WORDS, ...MORE],
  allowedAttributes: {
    '*': ['id'],
    a: ['href', 'rel'],
    ol: ['start'],
    details: ['open'],
    img: ['src', 'alt', 'width', 'height', 'loading'],
    input: [only('type', ['checkbox']), 'disabled', 'checked'],
    ...Object.fromEntries(['p', 'div', 'h3', 'h4', 'h5', 'h6'].map((name) => [name, [ALIGN]])),
    th: CELL,
    td: CELL,
  },
  allowedClasses: { blockquote: ['alert', 'note', 'tip', 'important', 'warning', 'caution'] },
  allowedSchemes: ['https', 'mailto'],
  allowProtocolRelative: false,
  disallowedTagsMode: 'discard',
  exclusiveFilter: ({ tag, attribs }) =>
    (tag === 'img' && attribs.src === undefined) || (tag === 'input' && attribs.type !== 'checkbox'),
  transformTags: {
    '*': (tagName, { id, ...attribs }): sanitizeHtml.Tag => ({
      tagName,
      attribs: { ...attribs, ...(id !== undefined && ANCHOR.test(id) && { id }) },
    }),
    a: (tagName, { href = '', id }) => {
      const address = /^#[a-z][a-z0-9]*-/.test(href) ? href : safeAddress(href);
      const rel = address?.startsWith('#') ? {} : { rel: 'nofollow noopener ugc' };
      const attribs: Record<string, string> = {
        ...(address !== null && { href: address, ...rel }),
        ...(id !== undefined && ANCHOR.test(id) && { id }),
      };
      return { tagName, attribs };
    },
    img: (tagName, { src = '', alt = '', width, height }) => ({
      tagName,
      attribs: {
        ...(OWN_PICTURE.test(src) && !src.includes('..') && { src }),
        alt,
        ...(width !== undefined && { width }),
        ...(height !== undefined && { height }),
        loading: 'lazy',
      },
    }),
    input: (tagName, attribs) => ({ tagName, attribs: { ...attribs, disabled: '' } }),
  },
};

/**
 * Removes everything from HTML that the renderer does not produce: a second line of defence, by an independent library.
 */
export const sanitise = (html: string): string => sanitizeHtml(html, POLICY);

/** The kinds of alerts, as code hosts write them: a quotation that begins with `[!NOTE]`, in any letter case. */
const ALERT = /^\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\][ \t]*$/i;

const BOX = /^\[([ xX])\][ \t]/;

/** The tokens of the first line of a paragraph that opens at an index, when it has one. */
const firstLine = (tokens: readonly Token[], at: number): Token[] | undefined =>
  tokens[at]?.type === 'paragraph_open' ? (tokens[at + 1]?.children ?? undefined) : undefined;

/** Quotations that begin with `[!NOTE]` become alerts with a title. */
function markAlerts({ tokens, Token: New }: StateCore): void {
  for (const [index, token] of tokens.entries()) {
    const line = token.type === 'blockquote_open' ? firstLine(tokens, index + 1) : undefined;
    const [first, next] = line ?? [];
    const [, kind] = ALERT.exec(first?.content ?? '') ?? [];
    if (!line || !first || kind === undefined || (next && !next.type.endsWith('break'))) continue;
    token.attrSet('class', `alert ${kind.toLowerCase()}`);
    first.content = kind.charAt(0).toUpperCase() + kind.slice(1).toLowerCase();
    const [open, close] = [new New('strong_open', 'strong', 1), new New('strong_close', 'strong', -1)];
    line.splice(0, 1, open, first, close);
    if (next) line.splice(3, 1, new New('hardbreak', 'br', 0));
  }
}

/** Items that begin with `[ ]` or `[x]` become tasks. */
function markTasks({ tokens, Token: New }: StateCore): void {
  for (const [index, token] of tokens.entries()) {
    const line = token.type === 'list_item_open' ? firstLine(tokens, index + 1) : undefined;
    const [first] = line ?? [];
    const [box, mark] = BOX.exec(first?.content ?? '') ?? [];
    if (!line || first?.type !== 'text' || box === undefined) continue;
    first.content = ` ${first.content.slice(box.length)}`;
    const input = new New('task', 'input', 0);
    input.attrs = [['type', 'checkbox'], ...(mark === ' ' ? [] : ([['checked', '']] as [string, string][]))];
    line.unshift(input);
  }
}

/** YAML before the text, which other programs read: site generators, model hubs. */
const FRONT_MATTER = /^---[ \t]*\r?\n(?=[\w-]+[ \t]*:)(?:(?!---).*\r?\n){1,200}---[ \t]*(?:\r?\n|$)/;

/** The part of a text that is rendered, in UTF-16 code units. The rest of a longer README is in the bundle. */
const MAX_CHARACTERS = 64 * 1024;

/** The maximum nesting of blocks, as the parser is recursive. */
const MAX_NESTING = 20;

type Reader = InstanceType<typeof MarkdownIt>;

/** Configures a reader: only `rewriteHtml` decides which links are kept, and addresses are shown as written. */
function withLimits(reader: Reader): Reader {
  // Only addresses with a scheme become links: `README.md` is a file, not a host in Moldova.
  reader.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  for (const scheme of ['http:', 'ftp:', '//']) reader.linkify.add(scheme, null);
  reader.validateLink = () => true;
  reader.normalizeLink = String;
  reader.normalizeLinkText = String;
  return reader;
}

/** HTML in the text passes through: `rewriteHtml` gives it the same rules as the HTML of Markdown. */
const MARKDOWN = withLimits(new MarkdownIt({ html: true, linkify: true, maxNesting: MAX_NESTING }));
MARKDOWN.use(footnotes);
MARKDOWN.core.ruler.push('alerts', markAlerts);
MARKDOWN.core.ruler.push('tasks', markTasks);

/** Plain text: only paragraphs, line breaks and addresses that are written out. */
const PLAIN = withLimits(
  new MarkdownIt('zero', { linkify: true, breaks: true }).enable(['linkify', 'newline']),
);

const ELLIPSIS = '\n\n…';

/** Shortens a text that is too long, at the end of a line. */
function shortened(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  const end = text.lastIndexOf('\n', MAX_CHARACTERS);
  return text.slice(0, end > 0 ? end : MAX_CHARACTERS) + ELLIPSIS;
}

const render = (reader: Reader, text: string, place?: TextPlace): string =>
  sanitise(rewriteHtml(reader.render(shortened(text)), place));

/**
 * Renders Markdown (CommonMark, tables, strikethrough, footnotes, task lists, alerts, a safe subset of HTML) of a README or a changelog as
 * safe HTML, without front matter: only https and mailto links, and links instead of pictures from other hosts, headings from `h3` on. At most 64 Ki characters
 * are rendered.
 * @param place where it stands: it gives headings their ids, and pictures of the bundle their addresses
 */
export const renderMarkdown = (text: string, place?: TextPlace): string =>
  render(MARKDOWN, text.replace(FRONT_MATTER, ''), place);

/** Renders plain text, such as a review, as paragraphs of HTML with line breaks and links. */
export const renderReview = (text: string): string => render(PLAIN, text);
