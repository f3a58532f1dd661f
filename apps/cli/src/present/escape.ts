/** Controls, invisible format and direction marks, line separators, lone surrogates, unassigned and private characters. */
const TREACHEROUS = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Longest text of a stranger that is shown in one piece, in UTF-16 code units. */
const LONGEST = 4_000;

const SHORT_FORMS: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

const escapeUnits = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`,
  ).join('');

/**
 * Makes text of strangers fit for one line of a terminal: what could move the cursor, change colours, reverse the
 * reading direction or begin a line of its own is shown as an escape instead.
 */
export function escapeText(text: string): string {
  const cut = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  return cut.replace(TREACHEROUS, (character) => SHORT_FORMS[character] ?? escapeUnits(character));
}

/** The same for text of several lines, such as the note of a reviewer: each line indented, so that none poses as ours. */
export const escapeLines = (text: string, indent: string): string =>
  text
    .slice(0, LONGEST)
    .split(/\r?\n/)
    .map((line) => `${indent}${escapeText(line)}`.trimEnd())
    .join('\n');

/** A value as one line of JSON that is safe to show too. JSON leaves some controls and all direction marks bare. */
export const jsonLine = (value: unknown): string =>
  `${JSON.stringify(value).replace(TREACHEROUS, escapeUnits)}\n`;
