import { mapHidden } from './clean.ts';
import { codePointName } from './hidden.ts';

/** Where untrusted text is shown; each target has an escape policy. */
export type Target = 'terminal' | 'agent' | 'log' | 'page' | 'html' | 'mail';

export type EscapeOptions = {
  /** Maximum length of the text, in UTF-16 code units; a longer text is cut. */
  most?: number;
};

const SHORT_FORMS: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const hex = (character: string): string => (character.codePointAt(0) ?? 0).toString(16);

const backslashed = (character: string): string =>
  SHORT_FORMS[character] ??
  (character.length > 1 ? `\\u{${hex(character)}}` : `\\u${hex(character).padStart(4, '0')}`);

const bracketed = (character: string): string => `⟨${codePointName(character.codePointAt(0) ?? 0)}⟩`;

type Policy = { hidden(character: string): string; finish?(text: string): string };

/**
 * A terminal, an agent and a log show an escape sequence; a page the code point in brackets; `html` the same in markup. In a mail,
 * whose readers could not use an escape, an invisible character becomes a space.
 */
const POLICIES: Readonly<Record<Target, Policy>> = {
  terminal: { hidden: backslashed },
  agent: { hidden: backslashed },
  log: { hidden: backslashed },
  page: { hidden: bracketed },
  html: { hidden: bracketed, finish: (text) => text.replace(/[&<>"']/g, (mark) => ENTITIES[mark] ?? '') },
  mail: { hidden: () => ' ', finish: (text) => text.replace(/ {2,}/g, ' ').trim() },
};

function escaped(text: string, target: Target, lines: boolean): string {
  const { hidden, finish } = POLICIES[target];
  const shown = mapHidden(text, lines, hidden);
  return finish ? finish(shown) : shown;
}

const cut = (text: string, maxLength: number): string =>
  text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;

/**
 * Escapes untrusted text for a single line: control characters, bidi controls, invisible characters and line breaks are
 * shown as escapes. `page` and `html` keep tabs and line feeds, which HTML shows as spaces.
 */
export const escapeText = (
  text: string,
  target: Target,
  { most = Number.POSITIVE_INFINITY }: EscapeOptions = {},
): string => escaped(cut(text, most), target, target === 'page' || target === 'html');

/**
 * Escapes untrusted text with several lines, such as the note of a reviewer.
 * @param mark prefix of each line, so that a line cannot be mistaken for output of svc
 */
export const escapeLines = (
  text: string,
  target: Target,
  mark: string,
  { most = 4_000 }: EscapeOptions = {},
): string =>
  cut(text, most)
    .split(/\r\n|\n|\r/)
    .map((line) => (line === '' ? mark.trimEnd() : `${mark}${escaped(line, target, false)}`))
    .join('\n');

/** Characters that are escaped in a quotation: quote, backslash, invisible and unassigned characters. */
const NOT_PLAIN = /["\\\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

const ESCAPE = '\u001b';

/** The control sequences that svc itself writes to a terminal: colours, and clearing lines and screens (ECMA-48). */
const OWN_SEQUENCE = new RegExp(`(\\r?${ESCAPE}\\[[0-9;]*[mKJH])`);

/**
 * Last line of defence before a terminal, for text that was not escaped: removes all control characters except line feeds and, if
 * the terminal supports them, the control sequences that svc writes itself.
 * @param sequences whether the terminal supports control sequences
 */
export const guardTerminal = (text: string, sequences: boolean): string =>
  (sequences ? text.split(OWN_SEQUENCE) : [text])
    .map((part, n) => (n % 2 === 1 ? part : mapHidden(part, true, backslashed)))
    .join('');

/** Quotes untrusted text inside a sentence: cut to `maxLength`, with special characters escaped. */
export const quoteText = (text: string, maxLength: number): string =>
  `"${cut(text, maxLength).replace(NOT_PLAIN, (character) => (/["\\]/.test(character) ? `\\${character}` : backslashed(character)))}"`;

const jsonUnits = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`,
  ).join('');

/** Escapes the control characters and bidi controls that JSON leaves unescaped. Line feeds between values stay. */
export const escapeJson = (json: string): string => mapHidden(json, true, jsonUnits);

/** Untrusted text for a page: invisible characters are shown as code points, such as `⟨U+202E⟩`. */
export const visible = (text: string): string => escapeText(text, 'page');

/** Untrusted text with several lines for a page; accepts all line endings. */
export const visibleLines = (text: string): string =>
  escapeLines(text, 'page', '', { most: Number.POSITIVE_INFINITY });
