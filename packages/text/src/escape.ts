import { mapHidden } from './clean.ts';
import { codePointName } from './hidden.ts';

/** Where text of others is shown; each target has one policy. */
export type Target = 'terminal' | 'agent' | 'log' | 'page' | 'html' | 'mail';

export type EscapeOptions = {
  /** Longest text that is shown in one piece, in UTF-16 code units. */
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
 * A terminal, an agent and a log show an escape as programmers write it; a page a name in brackets; `html` the same in markup. A
 * mail is read by people who can do nothing about it: what is not seen becomes a space.
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

const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most)}…` : text);

/**
 * Text of others as one line that is safe where it is shown: what could move a cursor, change colours, turn the reading
 * direction, hide, or begin a line of its own is shown as an escape instead. `page` keeps tabs and line feeds, which HTML
 * draws as spaces.
 */
export const escapeText = (
  text: string,
  target: Target,
  { most = Number.POSITIVE_INFINITY }: EscapeOptions = {},
): string => escaped(cut(text, most), target, target === 'page' || target === 'html');

/**
 * The same for text of several lines, such as the note of a reviewer.
 * @param mark what each line begins with, so that none of them passes for one of ours
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

/** All that is not plainly a character; unassigned ones too, which a newer machine may draw. */
const NOT_PLAIN = /["\\\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

const ESCAPE = '\u001b';

/** What svc itself writes to a terminal besides text: colours, and the ends and starts of lines and screens (ECMA-48). */
const OWN_SEQUENCE = new RegExp(`(\\r?${ESCAPE}\\[[0-9;]*[mKJH])`);

/**
 * The last barrier before a terminal: whatever forgot to escape, no control character gets through but line feeds and, where
 * the terminal has them, the sequences that svc writes itself.
 * @param sequences whether the terminal is given colours or cleared at all
 */
export const guardTerminal = (text: string, sequences: boolean): string =>
  (sequences ? text.split(OWN_SEQUENCE) : [text])
    .map((part, n) => (n % 2 === 1 ? part : mapHidden(part, true, backslashed)))
    .join('');

/** A value quoted within one of our sentences: short, and with each character spelt out that is not plainly one. */
export const quoteText = (text: string, most: number): string =>
  `"${cut(text, most).replace(NOT_PLAIN, (character) => (/["\\]/.test(character) ? `\\${character}` : backslashed(character)))}"`;

const jsonUnits = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`,
  ).join('');

/** JSON that is safe to show too: JSON leaves some controls and all direction marks bare. Line feeds between values stay. */
export const escapeJson = (json: string): string => mapHidden(json, true, jsonUnits);

/** Text of others on a page: each character that cannot be seen has a name, such as `⟨U+202E⟩`. */
export const visible = (text: string): string => escapeText(text, 'page');

/** The same for text of several lines, whatever ends them. */
export const visibleLines = (text: string): string =>
  escapeLines(text, 'page', '', { most: Number.POSITIVE_INFINITY });
