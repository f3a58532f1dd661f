import sanitizeHtml from 'sanitize-html';
import { safeAddress } from './safe-address.ts';

const BLOCKS = ['p', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'blockquote', 'pre', 'hr'];
const TABLES = ['table', 'thead', 'tbody', 'tr', 'th', 'td'];
const WORDS = ['a', 'em', 'strong', 's', 'code', 'br'];

const POLICY: sanitizeHtml.IOptions = {
  allowedTags: [...BLOCKS, ...TABLES, ...WORDS],
  // Neither `id` nor `name`, against DOM clobbering.
  allowedAttributes: { a: ['href', 'rel'], ol: ['start'] },
  allowedSchemes: ['https', 'mailto'],
  allowProtocolRelative: false,
  disallowedTagsMode: 'discard',
  transformTags: {
    a: (tagName, { href = '' }) => {
      const address = safeAddress(href);
      const attribs: Record<string, string> =
        address === null ? {} : { href: address, rel: 'nofollow noopener ugc' };
      return { tagName, attribs };
    },
  },
};

/**
 * Removes everything from HTML that the renderer does not produce: a second line of defence, by an independent library.
 */
export const sanitise = (html: string): string => sanitizeHtml(html, POLICY);
