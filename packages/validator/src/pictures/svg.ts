import { SaxesParser, type SaxesTagNS } from 'saxes';
import { show } from '../text.ts';
import { unsafeCssReason } from './css.ts';
import type { Picture } from './picture.ts';
import { type Sides, svgSides } from './sides.ts';
import { SVG, TEXT_ONLY } from './svg-names.ts';
import { References } from './svg-references.ts';
import { StyleRules } from './svg-styles.ts';
import { unsafeTagReason } from './svg-tag.ts';

/** Elements within each other that a picture needs at most, with room; each costs a look back for every prefix. */
const DEEPEST = 64;

/** Elements that a picture needs at most, with room: each costs memory here, and rendering time for each viewer. */
export const MAX_ELEMENTS = 10_000;

/** Ends the reading: a parser of events stops for nothing else. */
const STOP = new Error('enough');

/**
 * Reads an SVG with an XML parser: whether it is one, its shape, and the first thing in it that does more than draw.
 * Reading ends at whatever comes first: a fault of XML makes it no SVG, a hazard is the finding. Never throws.
 */
export function readSvg(bytes: Uint8Array): Picture {
  const text = decode(bytes);
  if (text === undefined) return { format: 'other', why: 'is not text in UTF-8' };
  return new SvgReader().read(text);
}

/** One encoding only: a program that read the file in another would see another document. */
function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

class SvgReader {
  // Browsers know XML 1.0 alone, whatever version a document names.
  readonly #parser = new SaxesParser({
    xmlns: true,
    position: false,
    defaultXMLVersion: '1.0',
    forceXMLVersion: true,
  });
  #depth = 0;
  #elements = 0;
  #hasRoot = false;
  #sides: Sides | undefined;
  #hazard: string | undefined;
  /** What makes the document no SVG although it is XML. */
  #foreign: string | undefined;
  /** The element that may hold nothing but text, and the text so far; undefined outside of one. */
  #textOnly: { readonly isStyle: boolean; text: string } | undefined;
  readonly #styles = new StyleRules();
  readonly #references = new References(this.#styles);

  constructor() {
    const parser = this.#parser;
    parser.on('xmldecl', ({ encoding }) => this.#declare(encoding));
    parser.on('doctype', () => this.#refuse('a DOCTYPE, which can redefine what follows'));
    parser.on('processinginstruction', ({ target }) =>
      this.#refuse(`the instruction ${show(`<?${target}`)}`),
    );
    parser.on('comment', (text) => this.#comment(text));
    parser.on('text', (text) => this.#text(text));
    parser.on('cdata', (text) => this.#text(text));
    parser.on('opentag', (tag) => this.#open(tag));
    parser.on('closetag', () => this.#close());
  }

  read(text: string): Picture {
    try {
      this.#parser.write(text).close();
    } catch (error) {
      if (error !== STOP) return { format: 'other', why: this.#malformed(error) };
    }
    if (this.#foreign !== undefined) return { format: 'other', why: this.#foreign };
    return { format: 'svg', sides: this.#sides, hazard: this.#hazard ?? this.#excess() };
  }

  #malformed(error: unknown): string {
    const what = error instanceof Error ? error.message : 'unknown';
    return `is not well-formed XML (line ${this.#parser.line}: ${show(what)})`;
  }

  /** Remembers a hazard and ends there; before the root it is not yet known that this is an SVG at all. */
  #refuse(what: string): void {
    this.#hazard ??= `line ${this.#parser.line} has ${what}`;
    if (this.#hasRoot) throw STOP;
  }

  /** What would take too long to draw. Asked for last: it only means something where all else is harmless. */
  #excess(): string | undefined {
    const excess = this.#references.findExcess();
    return excess === undefined ? undefined : `line ${excess.line} has ${excess.what}`;
  }

  #declare(encoding: string | undefined): void {
    if (encoding === undefined || /^(?:utf-8|us-ascii)$/i.test(encoding)) return;
    this.#foreign = `declares the encoding ${show(encoding)} instead of UTF-8`;
    throw STOP;
  }

  /** Where the SVG is put into a page of HTML, such a comment ends at once, and what it hid comes to life. */
  #comment(text: string): void {
    if (/^-?>/.test(text)) this.#refuse('a comment that begins with ">"');
  }

  #text(text: string): void {
    if (this.#textOnly === undefined) this.#references.text(text.length);
    else if (this.#textOnly.isStyle) this.#textOnly.text += text;
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
    this.#references.open(tag, this.#parser.line);
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
    this.#references.close();
    if (this.#textOnly === undefined) return;
    const { isStyle, text } = this.#textOnly;
    this.#textOnly = undefined;
    if (isStyle) this.#style(text);
  }

  #style(css: string): void {
    const why = unsafeCssReason(css);
    if (why !== undefined) this.#refuse(why);
    this.#styles.read(css);
    if (this.#styles.unclear !== undefined) this.#refuse(this.#styles.unclear);
  }
}
