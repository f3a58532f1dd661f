import MarkdownIt from 'markdown-it';
import sanitizeHtml from 'sanitize-html';

/** The longest text that is drawn, in characters; a card is read by a person. */
const MAX_CHARACTERS = 10_000;

const markdown = new MarkdownIt('commonmark', { html: false, linkify: false, maxNesting: 20 });

/** What a card may hold: text, and links that say where they lead. Nothing of it loads anything. */
const ALLOWED: sanitizeHtml.IOptions = {
  allowedTags: [
    ...['p', 'br', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'blockquote'],
    ...['strong', 'em', 'code', 'pre', 'a'],
  ],
  allowedAttributes: { a: ['href', 'rel', 'target'] },
  allowedSchemes: ['https'],
  allowedSchemesAppliedToAttributes: ['href'],
  allowProtocolRelative: false,
  disallowedTagsMode: 'discard',
  transformTags: {
    a: (tagName, { href = '' }) =>
      /^https:\/\/[^\s@]+$/i.test(href)
        ? { tagName, attribs: { href, rel: 'noopener noreferrer nofollow', target: '_blank' } }
        : { tagName: 'span', attribs: {} },
  },
};

/** Markdown of a manifest as HTML that can be shown as it is: no script, no style, no image, links to https alone. */
export const safeHtml = (text: string): string =>
  sanitizeHtml(markdown.render(text.slice(0, MAX_CHARACTERS)), ALLOWED).trim();
