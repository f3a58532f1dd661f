import MarkdownIt from 'markdown-it';
import { limitMarkdown } from './limit-markdown.ts';
import { sanitise } from './sanitise.ts';

/** The part of a text that is rendered, in UTF-16 code units. The rest of a longer README is in the bundle. */
const MAX_CHARACTERS = 64 * 1024;

/** The maximum nesting of blocks, as the parser is recursive. */
const MAX_NESTING = 20;

type Reader = InstanceType<typeof MarkdownIt>;

/** Configures a reader: only `limitMarkdown` decides which links are kept, and addresses are shown as written. */
function withLimits(reader: Reader): Reader {
  // Only addresses with a scheme become links: `README.md` is a file, not a host in Moldova.
  reader.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  for (const scheme of ['http:', 'ftp:', '//']) reader.linkify.add(scheme, null);
  reader.validateLink = () => true;
  reader.normalizeLink = String;
  reader.normalizeLinkText = String;
  reader.core.ruler.push('limit', limitMarkdown);
  return reader;
}

const MARKDOWN = withLimits(new MarkdownIt({ html: false, linkify: true, maxNesting: MAX_NESTING }));

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

const render = (reader: Reader, text: string): string => sanitise(reader.render(shortened(text)));

/**
 * Renders Markdown (CommonMark, tables, strikethrough) of a README or a changelog as safe HTML: no raw HTML, only https and mailto
 * links, links instead of images, headings from `h3` on. At most 64 Ki characters are rendered.
 */
export const renderMarkdown = (text: string): string => render(MARKDOWN, text);

/** Renders plain text, such as a review, as paragraphs of HTML with line breaks and links. */
export const renderReview = (text: string): string => render(PLAIN, text);
