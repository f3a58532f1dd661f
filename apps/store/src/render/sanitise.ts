import sanitizeHtml from 'sanitize-html';
import { safeAddress } from './safe-address.ts';

const BLOCKS = ['p', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'blockquote', 'pre', 'hr'];
const TABLES = ['table', 'thead', 'tbody', 'tr', 'th', 'td'];
const WORDS = ['a', 'em', 'strong', 's', 'code', 'br'];

const POLICY: sanitizeHtml.IOptions = {
  allowedTags: [...BLOCKS, ...TABLES, ...WORDS],
  // Neither `id` nor `name`: scripts of a page would find such an element instead of what they look for.
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
 * Leaves of HTML only what rendered texts are made of. The renderer makes nothing else; this is the second wall, written by
 * other people, should it ever be made to.
 */
export const sanitise = (html: string): string => sanitizeHtml(html, POLICY);
