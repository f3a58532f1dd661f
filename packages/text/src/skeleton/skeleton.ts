import { CONFUSABLES, LETTER_CASES, SYMBOL_LETTERS } from './confusables.ts';

const fromHex = (codes: string): string =>
  String.fromCodePoint(...codes.split('.').map((code) => Number.parseInt(code, 16)));

/** `prototype=one two;…` as pairs of each source with its prototype. */
function parseTable(table: string): [source: string, prototype: string][] {
  return table.split(';').flatMap((group) => {
    const [prototype = '', sources = ''] = group.split('=');
    return sources.split(' ').map((source): [string, string] => [fromHex(source), fromHex(prototype)]);
  });
}

/** Characters that look alike, and small letters whose capital looks like another one, each with the prototype of its look. */
export type LookTables = { alike: ReadonlyMap<string, string>; cases: ReadonlyMap<string, string> };

let tables: LookTables | undefined;

/** Builds the tables at the first use: code that only escapes does not need them. */
export function loadTables(): LookTables {
  tables ??= {
    alike: new Map([...parseTable(CONFUSABLES), ...parseTable(SYMBOL_LETTERS)]),
    cases: new Map(parseTable(LETTER_CASES)),
  };
  return tables;
}

/** Invisible characters: controls, format characters, fillers. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

/** Marks above and below letters of any script. Vowel signs, such as those of Devanagari, count as letters and stay. */
const ACCENTS = /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]/gu;

const SEPARATORS = /[\p{Z}\p{P}\p{S}\s\u2800]/gu;

/** A prototype only has another prototype through letter case, so no text needs more rounds. */
const MAX_ROUNDS = 4;

/**
 * Maximum length of a compared text, in UTF-16 code units; no name is longer. Normalisation takes quadratic time in the number of
 * consecutive combining marks.
 */
const MAX_COMPARED = 2_000;

const mapAll = (text: string, table: ReadonlyMap<string, string>): string =>
  Array.from(text, (character) => table.get(character) ?? character.normalize('NFKD')).join('');

/** Normalises a text to its look, with separators: UTS 39 section 4 over NFKC, without accents and letter case. */
export function shapeOf(text: string, { alike, cases } = loadTables()): string {
  let shape = text.slice(0, MAX_COMPARED).replace(INVISIBLE, '').normalize('NFD');
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const next = mapAll(shape, alike).replace(ACCENTS, '').toLowerCase().normalize('NFKD');
    if (next === shape) break;
    shape = next;
  }
  return mapAll(shape, cases).replace(ACCENTS, '').replaceAll('i', 'l');
}

/**
 * Returns the skeleton of a text, for comparing names: two names that a reader can confuse have the same skeleton. It ignores
 * confusable characters (UTS 39), compatibility forms (NFKC), letter case, accents, spaces and punctuation.
 * A name that consists only of symbols keeps them.
 */
export function skeleton(text: string): string {
  const shape = shapeOf(text);
  return shape.replace(SEPARATORS, '') || shape.trim();
}

/** Reads two letters v side by side as one w. UTS 39 has `rn` for `m`; `cl` for `d` would take Clara for Dara. */
export const readPairs = (shape: string): string => shape.replaceAll('vv', 'w');

/**
 * Returns the keys under which a name must be unique. There are more than one if letter case changes the look of the name, as the Greek
 * capital nu looks like N and the small one like v, or if it has letters that look like one side by side.
 */
export function nameKeys(name: string): string[] {
  const looks = [skeleton(name), skeleton(name.toLowerCase())];
  return [...new Set([...looks, ...looks.map(readPairs)])];
}
