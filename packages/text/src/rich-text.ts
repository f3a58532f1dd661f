/**
 * The HTML that a README or a changelog may become, element by element with its attributes. The store writes nothing else, and clients
 * show nothing else. `href` and `src` have rules of their own where they are written.
 */
export const RICH_TEXT: Readonly<Record<string, readonly string[]>> = {
  p: ['align'],
  div: ['align'],
  h3: ['align'],
  h4: ['align'],
  h5: ['align'],
  h6: ['align'],
  ul: [],
  ol: ['start'],
  li: [],
  dl: [],
  dt: [],
  dd: [],
  blockquote: ['class'],
  pre: [],
  hr: [],
  table: [],
  caption: [],
  thead: [],
  tbody: [],
  tfoot: [],
  tr: [],
  th: ['align', 'colspan', 'rowspan'],
  td: ['align', 'colspan', 'rowspan'],
  a: ['href', 'rel'],
  em: [],
  strong: [],
  s: [],
  ins: [],
  code: [],
  kbd: [],
  samp: [],
  var: [],
  mark: [],
  q: [],
  small: [],
  sub: [],
  sup: [],
  br: [],
  details: ['open'],
  summary: [],
  img: ['src', 'alt', 'width', 'height', 'loading'],
  input: ['type', 'checked', 'disabled'],
};

/** The form of each attribute's value. The values of `href`, `src`, `rel` and `alt` are not listed here. */
const VALUES: Readonly<Record<string, RegExp>> = {
  align: /^(left|center|right)$/,
  start: /^\d{1,9}$/,
  class: /^alert (note|tip|important|warning|caution)$/,
  colspan: /^\d{1,2}$/,
  rowspan: /^\d{1,2}$/,
  width: /^\d{1,4}%?$/,
  height: /^\d{1,4}%?$/,
  open: /^$/,
};

/** Whether an attribute of an element of rich text may have a value. */
export const isRichValue = (element: string, attribute: string, value: string): boolean =>
  (RICH_TEXT[element]?.includes(attribute) ?? false) && (VALUES[attribute]?.test(value) ?? false);

/** Elements that are removed with their content: it is not text. */
export const NOT_TEXT: ReadonlySet<string> = new Set([
  'script',
  'style',
  'template',
  'iframe',
  'object',
  'embed',
  'svg',
  'math',
  'noscript',
  'textarea',
  'select',
  'title',
  'head',
  'xmp',
  'noembed',
  'noframes',
  'plaintext',
  'audio',
  'video',
  'canvas',
]);
