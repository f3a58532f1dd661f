import type { SaxesAttributeNS, SaxesTagNS } from 'saxes';
import { show } from '../text.ts';
import { unsafeCssReason } from './css.ts';
import { ATTRIBUTES, ELEMENTS, LABELS, NOTE_NAMESPACES, SVG, XLINK, XML } from './svg-names.ts';
import { readStyle } from './svg-styles.ts';

/** Attributes with which the elements of other namespaces, in a page, could fetch something. */
const FETCHING = /^(?:href|src|srcset|srcdoc|action|formaction|data|base|background|poster)$/i;

/** Attributes that authors may add to any element for readers or scripts of their own; browsers do not act on them. */
const FREE = /^(?:data|aria)-/;

/** What of a tag does more than draw, or undefined. Known names alone pass: what is new or misspelt may do anything. */
export function unsafeTagReason(tag: SaxesTagNS): string | undefined {
  const isSvg = tag.uri === SVG;
  if (!(isSvg ? ELEMENTS.has(tag.local) : isNote(tag))) return `the element ${show(tag.name)}`;
  for (const attribute of Object.values(tag.attributes)) {
    const why = unsafeAttributeReason(attribute, isSvg);
    if (why !== undefined) return why;
  }
  return undefined;
}

/** An editor's element must have a prefix: without one, a page of HTML would take it for an element of its own. */
function isNote({ uri, prefix }: SaxesTagNS): boolean {
  return prefix !== '' && NOTE_NAMESPACES.has(uri);
}

function unsafeAttributeReason(attribute: SaxesAttributeNS, isSvg: boolean): string | undefined {
  const { name, prefix, local, uri, value } = attribute;
  if (name === 'xmlns' || prefix === 'xmlns') return undefined;
  if (/^on/i.test(local)) return `the event handler ${show(name)}`;
  if (local.toLowerCase() === 'href' && (uri === '' || uri === XLINK))
    return unsafeReferenceReason(name, value);
  if (uri === '') return unsafePlainReason(name, value, isSvg);
  // `xml:base` turns every local address into one elsewhere.
  const isKnown = uri === XML ? local !== 'base' : uri === XLINK || NOTE_NAMESPACES.has(uri);
  return isKnown ? undefined : `the attribute ${show(name)}`;
}

/** Only what begins with `#` stays in the document; white space before it would be cut off by some and not by others. */
function unsafeReferenceReason(name: string, value: string): string | undefined {
  return value.startsWith('#')
    ? undefined
    : `${show(name)} with the address ${show(value)} instead of an "#id" of its own`;
}

/** An attribute without a namespace. Of an editor's element any may be there that a page of HTML would not act on. */
function unsafePlainReason(name: string, value: string, isSvg: boolean): string | undefined {
  if (FREE.test(name)) return undefined;
  const isLabel = LABELS.has(name);
  const isKnown = isSvg ? isLabel || ATTRIBUTES.has(name) : !FETCHING.test(name);
  if (!isKnown) return `the attribute ${show(name)}`;
  if (isLabel || (!isSvg && name !== 'style')) return undefined;
  // Without one of these nothing can be called, imported or hidden; nearly all values, and all long ones, end here.
  const why = /[(\\@<]|\/\*|["']/.test(value) ? unsafeCssReason(value) : undefined;
  return why ?? (name === 'style' ? readStyle(value).why : undefined);
}
