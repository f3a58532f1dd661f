import type { StateCore, Token } from 'markdown-it';
import MarkdownIt from 'markdown-it';
import footnotes from 'markdown-it-footnote';
import type { TextPlace } from '../../platform/renderer.ts';
import { rewriteHtml } from './rewrite-html.ts';
import { sanitise } from './sanitise.ts';

/** The kinds of alerts, as code hosts write them: a quotation that begins with `[!NOTE]`. */
const ALERT = /^\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\][ \t]*$/;

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
    if (!line || !first || kind === undefined || (next && next.type !== 'softbreak')) continue;
    token.attrSet('class', `alert ${kind.toLowerCase()}`);
    first.content = kind.charAt(0) + kind.slice(1).toLowerCase();
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
 * safe HTML: only https and mailto links, and links instead of pictures from other hosts, headings from `h3` on. At most 64 Ki characters
 * are rendered.
 * @param place where it stands: it gives headings their ids, and pictures of the bundle their addresses
 */
export const renderMarkdown = (text: string, place?: TextPlace): string => render(MARKDOWN, text, place);

/** Renders plain text, such as a review, as paragraphs of HTML with line breaks and links. */
export const renderReview = (text: string): string => render(PLAIN, text);
