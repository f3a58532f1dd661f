import sanitizeHtml from 'sanitize-html';
import { safeAddress } from './safe-address.ts';

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
