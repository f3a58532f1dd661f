import MarkdownIt from 'markdown-it';
import { sanitise } from './sanitise.ts';
import { limitMarkdown } from './tame-tokens.ts';

/** What is rendered of a text, in UTF-16 code units. A README that is longer can be read in the bundle. */
const MAX_CHARACTERS = 64 * 1024;

/** Lists in lists in quotes, deeper than anybody writes them; a parser that recurses needs an end. */
const MAX_NESTING = 20;

type Reader = InstanceType<typeof MarkdownIt>;

/** Leaves it to `limitMarkdown` which links are kept, in one place; and addresses to be shown as they are written. */
function tamed(reader: Reader): Reader {
  // Only what says its scheme is taken for a link: `README.md` is a file, and not a host in Moldova.
  reader.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  for (const scheme of ['http:', 'ftp:', '//']) reader.linkify.add(scheme, null);
  reader.validateLink = () => true;
  reader.normalizeLink = String;
  reader.normalizeLinkText = String;
  reader.core.ruler.push('tame', limitMarkdown);
  return reader;
}

const MARKDOWN = tamed(new MarkdownIt({ html: false, linkify: true, maxNesting: MAX_NESTING }));

/** Of markdown only paragraphs, lines and addresses that are written out. */
const PLAIN = tamed(new MarkdownIt('zero', { linkify: true, breaks: true }).enable(['linkify', 'newline']));

const ELLIPSIS = '\n\n…';

/** The beginning of a text that is too long, up to the end of a line. */
function shortened(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  const end = text.lastIndexOf('\n', MAX_CHARACTERS);
  return text.slice(0, end > 0 ? end : MAX_CHARACTERS) + ELLIPSIS;
}

const render = (reader: Reader, text: string): string => sanitise(reader.render(shortened(text)));

/**
 * Markdown (CommonMark, tables, struck text) of a README or a changelog as HTML that can do nothing but be read: no HTML of
 * the text's own, links to https and mail alone, links in place of images, headings from `h3` on. At most 64 Ki
 * characters are rendered.
 */
export const renderMarkdown = (text: string): string => render(MARKDOWN, text);

/** A text that people wrote without markup, such as a review, as paragraphs of HTML with its lines and its links. */
export const renderReview = (text: string): string => render(PLAIN, text);
