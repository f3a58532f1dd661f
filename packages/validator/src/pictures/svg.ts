import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from 'saxes';
import { decodeUtf8 } from '../json/read-json.ts';
import { show } from '../text.ts';
import { type Picture, type Sides, svgSides } from './picture.ts';
import { unsafeCssReason, unsafeDeclarationsReason } from './svg-css.ts';
import {
  ADOBE,
  ATTRIBUTES,
  DOCTYPE,
  ELEMENTS,
  LABELS,
  NOTE_NAMESPACES,
  SAVE_FOR_WEB,
  SVG,
  TEXT_ONLY,
  XLINK,
  XML,
} from './svg-names.ts';

/** Attributes with which elements of other namespaces could load something in an HTML page. */
const FETCHING = /^(?:href|src|srcset|srcdoc|action|formaction|data|base|background|poster)$/i;

/** Names of event handlers have only letters; Inkscape writes `only_selected`. */
const HANDLER = /^on[a-z]*$/i;

/** Attributes that authors may add to any element for assistive technology or their own scripts; browsers do not act on them. */
const FREE = /^(?:data|aria)-/;

/** Why a tag does more than draw; undefined when it only draws. Only known names are accepted: an unknown one could do anything. */
function unsafeTagReason(tag: SaxesTagNS): string | undefined {
  const isSvg = tag.uri === SVG;
  if (!(isSvg ? ELEMENTS.has(tag.local) : isNote(tag))) return `the element ${show(tag.name)}`;
  for (const attribute of Object.values(tag.attributes)) {
    const why = unsafeAttributeReason(attribute, isSvg);
    if (why !== undefined) return why;
  }
  return undefined;
}

const isNoteNamespace = (uri: string): boolean => NOTE_NAMESPACES.has(uri) || uri.startsWith(ADOBE);

/** Elements of editors must have a prefix: without one, an HTML page would treat them as HTML elements. */
function isNote({ uri, prefix, local }: SaxesTagNS): boolean {
  return (prefix !== '' || SAVE_FOR_WEB.has(local)) && isNoteNamespace(uri);
}

function unsafeAttributeReason(attribute: SaxesAttributeNS, isSvg: boolean): string | undefined {
  const { name, prefix, local, uri, value } = attribute;
  if (name === 'xmlns' || prefix === 'xmlns') return relativeNamespaceReason(name, value);
  if (HANDLER.test(local)) return `the event handler ${show(name)}`;
  if (local.toLowerCase() === 'href' && (uri === '' || uri === XLINK))
    return unsafeReferenceReason(name, value);
  if (uri === '') return unsafePlainReason(name, value, isSvg);
  // `xml:base` makes every local reference point to another document.
  const isKnown = uri === XML ? local !== 'base' : uri === XLINK || isNoteNamespace(uri);
  return isKnown ? undefined : `the attribute ${show(name)}`;
}

/** Programs that draw an SVG refuse relative namespaces (Namespaces in XML, 2.2), which optimizers make from entities of Illustrator. */
function relativeNamespaceReason(name: string, value: string): string | undefined {
  if (value === '' || /^[a-z][a-z0-9+.-]*:/i.test(value)) return undefined;
  return `${show(name)} with ${show(value)}, which is not an absolute address`;
}

/** Only a reference that begins with `#` stays in the document; leading white space is trimmed by some programs only. */
function unsafeReferenceReason(name: string, value: string): string | undefined {
  return value.startsWith('#')
    ? undefined
    : `${show(name)} with the address ${show(value)} instead of an "#id" of its own`;
}

/** Checks an attribute without a namespace. Elements of editors may have any attribute that an HTML page does not act on. */
function unsafePlainReason(name: string, value: string, isSvg: boolean): string | undefined {
  if (FREE.test(name)) return undefined;
  const isLabel = LABELS.has(name);
  const isKnown = isSvg ? isLabel || ATTRIBUTES.has(name) : !FETCHING.test(name);
  if (!isKnown) return `the attribute ${show(name)}`;
  if (isLabel || (!isSvg && name !== 'style')) return undefined;
  // Calls, imports and hidden text need one of these characters; nearly all values, and all long ones, have none.
  const why = /[(\\@<]|\/\*|["']/.test(value) ? unsafeCssReason(value) : undefined;
  return why ?? (name === 'style' ? unsafeDeclarationsReason(value) : undefined);
}

/** Maximum nesting of elements, more than images need; each level makes the lookup of a namespace prefix longer. */
const DEEPEST = 64;

/** Maximum number of elements, more than images need. How long a drawing takes is found by drawing it, in a process with limits. */
export const MAX_ELEMENTS = 10_000;

/** Thrown to end parsing: an event-based parser stops only for an error. */
const STOP = new Error('enough');

/**
 * Reads an SVG with an XML parser: whether it is an SVG, its size, and the first part that does more than draw. Stops at
 * the first problem: with an XML error the file is not an SVG, a hazard is a finding. Never throws.
 */
export function readSvg(bytes: Uint8Array): Picture {
  const text = decodeUtf8(bytes);
  if (text === undefined) return { format: 'other', why: 'is not text in UTF-8' };
  return new SvgReader().read(text, text.length === bytes.length);
}

class SvgReader {
  // Browsers parse every document as XML 1.0, for any declared version.
  readonly #parser = new SaxesParser({
    xmlns: true,
    position: false,
    defaultXMLVersion: '1.0',
    forceXMLVersion: true,
  });
  #depth = 0;
  #elements = 0;
  #hasRoot = false;
  #isAscii = false;
  #sides: Sides | undefined;
  #hazard: string | undefined;
  /** Why the document is not an SVG although it is XML. */
  #foreign: string | undefined;
  /** The current element that may contain only text, and the text so far; undefined outside of such an element. */
  #textOnly: { readonly isStyle: boolean; text: string } | undefined;

  constructor() {
    const parser = this.#parser;
    parser.on('xmldecl', ({ encoding }) => this.#declare(encoding));
    parser.on('doctype', (text) => {
      if (!DOCTYPE.test(text)) this.#refuse('a DOCTYPE with declarations, which can redefine what follows');
    });
    parser.on('processinginstruction', ({ target }) =>
      this.#refuse(`the instruction ${show(`<?${target}`)}`),
    );
    parser.on('comment', (text) => this.#comment(text));
    parser.on('text', (text) => this.#text(text));
    parser.on('cdata', (text) => this.#text(text));
    parser.on('opentag', (tag) => this.#open(tag));
    parser.on('closetag', () => this.#close());
  }

  read(text: string, isAscii: boolean): Picture {
    this.#isAscii = isAscii;
    try {
      this.#parser.write(text).close();
    } catch (error) {
      if (error !== STOP) return { format: 'other', why: this.#malformed(error) };
    }
    if (this.#foreign !== undefined) return { format: 'other', why: this.#foreign };
    return { format: 'svg', sides: this.#sides, hazard: this.#hazard };
  }

  #malformed(error: unknown): string {
    const what = error instanceof Error ? error.message : 'unknown';
    const cause = this.#hazard === undefined ? '' : `, and ${this.#hazard}`;
    return `is not well-formed XML (line ${this.#parser.line}: ${show(what)})${cause}`;
  }

  /** Records a hazard and stops; before the root it continues, since the document may not be an SVG. */
  #refuse(what: string): void {
    this.#hazard ??= `line ${this.#parser.line} has ${what}`;
    if (this.#hasRoot) throw STOP;
  }

  /** ASCII text is the same in UTF-8 and in the encodings that older editors declare. */
  #declare(encoding: string | undefined): void {
    if (encoding === undefined || /^(?:utf-8|us-ascii)$/i.test(encoding)) return;
    if (this.#isAscii && /^(?:iso-8859-1|windows-1252)$/i.test(encoding)) return;
    this.#foreign = `declares the encoding ${show(encoding)} instead of UTF-8`;
    throw STOP;
  }

  /** If the SVG is inserted into an HTML page, a comment that starts with `>` ends at once, and its content becomes active. */
  #comment(text: string): void {
    if (/^-?>/.test(text)) this.#refuse('a comment that begins with ">"');
  }

  #text(text: string): void {
    if (this.#textOnly?.isStyle) this.#textOnly.text += text;
  }

  #open(tag: SaxesTagNS): void {
    this.#depth += 1;
    this.#elements += 1;
    if (!this.#hasRoot) this.#root(tag);
    if (this.#depth > DEEPEST) this.#refuse(`more than ${DEEPEST} nested elements`);
    if (this.#elements > MAX_ELEMENTS) this.#refuse(`more than ${MAX_ELEMENTS} elements`);
    if (this.#textOnly !== undefined)
      this.#refuse(`the element ${show(tag.name)} where only text is allowed`);
    const why = unsafeTagReason(tag);
    if (why !== undefined) this.#refuse(why);
    if (tag.uri === SVG && TEXT_ONLY.has(tag.local))
      this.#textOnly = { isStyle: tag.local === 'style', text: '' };
  }

  #root(tag: SaxesTagNS): void {
    if (tag.uri !== SVG || tag.local !== 'svg') {
      this.#foreign = `has the root element ${show(tag.name)}, not <svg xmlns="${SVG}">`;
      throw STOP;
    }
    const { width, height, viewBox } = tag.attributes;
    this.#sides = svgSides(width?.value ?? '', height?.value ?? '', viewBox?.value ?? '');
    this.#hasRoot = true;
    if (this.#hazard !== undefined) throw STOP;
  }

  #close(): void {
    this.#depth -= 1;
    if (this.#textOnly === undefined) return;
    const { isStyle, text } = this.#textOnly;
    this.#textOnly = undefined;
    if (isStyle) this.#style(text);
  }

  #style(css: string): void {
    const why = unsafeCssReason(css) ?? unsafeDeclarationsReason(css);
    if (why !== undefined) this.#refuse(why);
  }
}
