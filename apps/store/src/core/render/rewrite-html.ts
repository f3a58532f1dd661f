import { escapeText, isRichValue, NOT_TEXT, RICH_TEXT } from '@svc/text';
import { Parser } from 'htmlparser2';
import type { TextPlace } from '../../platform/renderer.ts';

/** The longest linked address, in characters. */
const MAX_CHARACTERS = 2_000;

/**
 * The normalised form of a link's address (URL standard), so that every parser reads it in the same way; null when the link is not
 * allowed.
 *
 * Only https and mailto are allowed: other schemes run scripts or open programs, and relative links would lead into the store. User
 * information before the host is refused, as it can be mistaken for the host; the query of a mailto link is removed, as it fills in
 * the mail.
 */
export function safeAddress(written: string): string | null {
  if (written.length > MAX_CHARACTERS) return null;
  const url = URL.parse(written);
  if (url?.protocol === 'mailto:') return url.pathname.includes('@') ? `mailto:${url.pathname}` : null;
  const isPlain = url?.protocol === 'https:' && url.username === '' && url.password === '';
  return isPlain && url.href.length <= MAX_CHARACTERS ? url.href : null;
}

/** The most links of one text. Each reference can repeat one long address in four characters. */
const MAX_LINKS = 1_000;

const MAX_PICTURES = 200;

/** The deepest nesting of elements. Deeper ones are replaced by their text. */
const MAX_DEPTH = 40;

/** The `h1` of a page is the app's name and its sections are `h2`, so the highest headings of a text become `h3`. */
const HIGHEST_HEADING = 3;
const DEEPEST_HEADING = 6;

const HEADING = /^h[1-6]$/;
const VOID = new Set(['br', 'hr', 'img', 'input']);

/** Elements that are written as others with the same meaning. */
const SAME_AS: Readonly<Record<string, string>> = {
  b: 'strong',
  i: 'em',
  strike: 's',
  del: 's',
  tt: 'code',
  center: 'div',
  section: 'div',
};

type Attributes = Readonly<Record<string, string>>;
type Piece =
  | { kind: 'open'; name: string; attributes: Attributes }
  | { kind: 'close'; name: string }
  | { kind: 'text'; text: string };

/** Parses HTML into balanced pieces, without comments and without what is not text. The parser does not recurse. */
function piecesOf(html: string): Piece[] {
  const pieces: Piece[] = [];
  let silent = 0;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (NOT_TEXT.has(name)) silent += 1;
        if (silent === 0) pieces.push({ kind: 'open', name, attributes });
      },
      onclosetag(name) {
        if (silent === 0) pieces.push({ kind: 'close', name });
        if (NOT_TEXT.has(name)) silent -= 1;
      },
      ontext(text) {
        if (silent === 0) pieces.push({ kind: 'text', text });
      },
    },
    { decodeEntities: true },
  );
  parser.end(html);
  return pieces;
}

/** The anchor of a heading, as code hosts write it: `Set up & run` is `set-up--run`. Without the invisible selector of ⚙️. */
const slugOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]|\ufe0f/gu, '')
    .replaceAll(' ', '-')
    .slice(0, 100);

/** A link within a text, also as code hosts write it in their pages. */
const OWN_ANCHOR = /^(?:(?:\.\/)?readme\.md)?#(.*)/is;

const ownId = ({ id, name }: Attributes): string => slugOf((id ?? name ?? '').replaceAll(':', '-'));

function textWithin(pieces: readonly Piece[], from: number): string {
  const { name } = pieces[from] as { name: string };
  let text = '';
  for (const piece of pieces.slice(from + 1, from + 200)) {
    if (piece.kind === 'close' && piece.name === name) break;
    if (piece.kind === 'text') text += piece.text;
    if (piece.kind === 'open' && piece.name === 'img') text += piece.attributes.alt ?? '';
  }
  return text;
}

/** The ids of a text by the index of their piece. Each is unique; a heading without one gets that of its words. */
function idsOf(pieces: readonly Piece[]): Map<number, string> {
  const used = new Map<string, number>();
  const taken = new Set<string>();
  const ids = new Map<number, string>();
  for (const [index, piece] of pieces.entries()) {
    if (piece.kind !== 'open') continue;
    const isHeading = HEADING.test(piece.name);
    const wanted = ownId(piece.attributes) || (isHeading ? slugOf(textWithin(pieces, index)) : '');
    if (wanted === '') continue;
    const count = used.get(wanted) ?? 0;
    used.set(wanted, count + 1);
    const id = isHeading && count > 0 ? `${wanted}-${count}` : wanted;
    if (taken.has(id)) continue;
    taken.add(id);
    ids.set(index, id);
  }
  return ids;
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** Paths of a bundle have no host; one that resolves to another host than this is no such path. */
const BUNDLE = 'https://bundle.invalid';

/** The picture of the bundle that an address names, from its root. */
function pictureAt(src: string, pictures: Attributes): string | undefined {
  const url = URL.parse(src, `${BUNDLE}/`);
  if (url?.origin !== BUNDLE) return undefined;
  // Names in a bundle are in normal form C; editors on macOS complete them in form D.
  const path = decoded(url.pathname.slice(1)).normalize('NFC');
  return Object.hasOwn(pictures, path) ? pictures[path] : undefined;
}

const attributeOf = ([name, value]: [string, string]): string =>
  value === '' && name !== 'alt' ? ` ${name}` : ` ${name}="${escapeText(value, 'html')}"`;

const openTag = (name: string, attributes: Attributes): string =>
  `<${name}${Object.entries(attributes).map(attributeOf).join('')}${VOID.has(name) ? ' /' : ''}>`;

/** The alignment of a Markdown table is a style. */
const alignOf = (name: string, { align, style }: Attributes): string =>
  name === 'center'
    ? 'center'
    : ((align ?? /^text-align: ?(left|center|right)$/.exec(style ?? '')?.[1])?.toLowerCase() ?? '');

/** Writes the pieces of a text. It has one link at a time, as links cannot be nested. */
class Writer {
  #html = '';
  /** What closes each open element: nothing for one that is left out. */
  readonly #closers: string[] = [];
  #links = 0;
  #pictures = 0;
  #linkDepth: number | null = null;
  readonly #place: TextPlace | undefined;
  readonly #ids: ReadonlyMap<number, string>;
  readonly #targets: ReadonlySet<string>;
  readonly #shift: number;

  constructor(pieces: readonly Piece[], place: TextPlace | undefined) {
    this.#place = place;
    this.#ids = place ? idsOf(pieces) : new Map();
    this.#targets = new Set(this.#ids.values());
    const levels = pieces.flatMap((piece) =>
      piece.kind === 'open' && HEADING.test(piece.name) ? [Number(piece.name[1])] : [],
    );
    this.#shift = HIGHEST_HEADING - levels.reduce((min, level) => Math.min(min, level), DEEPEST_HEADING);
    for (const [index, piece] of pieces.entries()) this.#write(index, piece);
  }

  get html(): string {
    return this.#html;
  }

  #write(index: number, piece: Piece): void {
    if (piece.kind === 'text') this.#html += escapeText(piece.text, 'html');
    else if (piece.kind === 'close') this.#close();
    else this.#open(index, piece.name, piece.attributes);
  }

  #close(): void {
    this.#html += this.#closers.pop() ?? '';
    if (this.#linkDepth !== null && this.#closers.length <= this.#linkDepth) this.#linkDepth = null;
  }

  #open(index: number, name: string, attributes: Attributes): void {
    const element = this.#elementFor(name);
    const id = this.#ids.get(index);
    const anchor = id === undefined ? {} : { id: `${this.#place?.anchor}-${id}` };
    const depth = this.#closers.length;
    if (depth >= MAX_DEPTH) this.#closers.push('');
    else if (name === 'img') this.#closers.push(this.#picture(attributes));
    else if (name === 'a') this.#link(depth, attributes, anchor);
    else if (RICH_TEXT[element] === undefined || (name === 'input' && attributes.type !== 'checkbox'))
      this.#closers.push('');
    else this.#element(element, { ...anchor, ...this.#attributes(name, element, attributes) });
  }

  #element(element: string, attributes: Attributes): void {
    this.#html += openTag(element, attributes);
    this.#closers.push(VOID.has(element) ? '' : `</${element}>`);
  }

  #elementFor(name: string): string {
    if (!HEADING.test(name)) return SAME_AS[name] ?? name;
    return `h${Math.min(Number(name[1]) + this.#shift, DEEPEST_HEADING)}`;
  }

  #attributes(name: string, element: string, attributes: Attributes): Attributes {
    if (element === 'input')
      return { type: 'checkbox', disabled: '', ...(attributes.checked !== undefined && { checked: '' }) };
    const written = { ...attributes, align: alignOf(name, attributes) };
    return Object.fromEntries(
      Object.entries(written).filter(([attribute, value]) => isRichValue(element, attribute, value)),
    );
  }

  /** The address of a link: of a site, or of an anchor of this text; null when it is not allowed. */
  #address(href: string): Attributes | null {
    const [, anchor] = OWN_ANCHOR.exec(href) ?? [];
    if (anchor === undefined) {
      const address = safeAddress(href);
      return address === null ? null : { href: address, rel: 'nofollow noopener ugc' };
    }
    const wanted = slugOf(decoded(anchor).replaceAll(':', '-'));
    const id = [wanted, wanted.replace('user-content-', '')].find((slug) => this.#targets.has(slug));
    return id === undefined ? null : { href: `#${this.#place?.anchor}-${id}` };
  }

  /** The address of one more link; null when there may be none. An address can be long, and is read only when it is needed. */
  #newLink(read: () => Attributes | null): Attributes | null {
    const address = this.#linkDepth === null && this.#links < MAX_LINKS ? read() : null;
    if (address !== null) this.#links += 1;
    return address;
  }

  #link(depth: number, { href = '' }: Attributes, anchor: Attributes): void {
    const attributes = { ...this.#newLink(() => this.#address(href)), ...anchor };
    if (Object.keys(attributes).length === 0 || this.#linkDepth !== null) {
      this.#closers.push('');
      return;
    }
    this.#html += openTag('a', attributes);
    this.#closers.push('</a>');
    this.#linkDepth = depth;
  }

  /** Writes a picture of the bundle, a link instead of a picture of another host, or the text of any other. */
  #picture({ src = '', alt = '', ...attributes }: Attributes): string {
    const own = pictureAt(src, this.#place?.pictures ?? {});
    if (own !== undefined && this.#pictures < MAX_PICTURES) {
      this.#pictures += 1;
      const size = this.#attributes('img', 'img', attributes);
      this.#html += openTag('img', { src: own, alt, ...size, loading: 'lazy' });
      return '';
    }
    const link = this.#newLink(() => (src.startsWith('#') ? null : this.#address(src)));
    if (link === null) this.#html += escapeText(alt, 'html');
    else this.#html += `${openTag('a', link)}${escapeText(alt.trim() || (link.href ?? ''), 'html')}</a>`;
    return '';
  }
}

/**
 * Rewrites the HTML that Markdown became to the elements and attributes of `RICH_TEXT`: links only to safe addresses and to anchors of the
 * same text, pictures only from the bundle, headings below those of the page, ids with a prefix of their own against DOM clobbering.
 */
export const rewriteHtml = (html: string, place?: TextPlace): string =>
  new Writer(piecesOf(html), place).html;
