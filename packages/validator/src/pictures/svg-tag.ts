import type { SaxesAttributeNS, SaxesTagNS } from 'saxes';
import { show } from '../text.ts';
import { unsafeCssReason } from './css.ts';
import { unsafeDeclarationsReason } from './css-properties.ts';
import { ATTRIBUTES, ELEMENTS, LABELS, NOTE_NAMESPACES, SVG, XLINK, XML } from './svg-names.ts';

/** Attributes with which elements of other namespaces could load something in an HTML page. */
const FETCHING = /^(?:href|src|srcset|srcdoc|action|formaction|data|base|background|poster)$/i;

/** Attributes that authors may add to any element for assistive technology or their own scripts; browsers do not act on them. */
const FREE = /^(?:data|aria)-/;

/** Why a tag does more than draw; undefined when it only draws. Only known names are accepted: an unknown one could do anything. */
export function unsafeTagReason(tag: SaxesTagNS): string | undefined {
  const isSvg = tag.uri === SVG;
  if (!(isSvg ? ELEMENTS.has(tag.local) : isNote(tag))) return `the element ${show(tag.name)}`;
  for (const attribute of Object.values(tag.attributes)) {
    const why = unsafeAttributeReason(attribute, isSvg);
    if (why !== undefined) return why;
  }
  return undefined;
}

/** Elements of editors must have a prefix: without one, an HTML page would treat them as HTML elements. */
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
  // `xml:base` makes every local reference point to another document.
  const isKnown = uri === XML ? local !== 'base' : uri === XLINK || NOTE_NAMESPACES.has(uri);
  return isKnown ? undefined : `the attribute ${show(name)}`;
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
