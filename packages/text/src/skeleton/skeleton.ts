import { CONFUSABLES, LETTER_CASES, SYMBOL_LETTERS } from './confusables.ts';

const fromHex = (codes: string): string =>
  String.fromCodePoint(...codes.split('.').map((code) => Number.parseInt(code, 16)));

/** `prototype=one two` lines as a map from each source to its prototype. */
function parseTable(table: string): [source: string, prototype: string][] {
  return table
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [prototype = '', sources = ''] = line.split('=');
      return sources.split(' ').map((source): [string, string] => [fromHex(source), fromHex(prototype)]);
    });
}

let tables: { alike: ReadonlyMap<string, string>; cases: ReadonlyMap<string, string> } | undefined;

/** Built at the first use: code that only escapes does not pay for it. */
function loadTables() {
  tables ??= {
    alike: new Map([...parseTable(CONFUSABLES), ...parseTable(SYMBOL_LETTERS)]),
    cases: new Map(parseTable(LETTER_CASES)),
  };
  return tables;
}

/** Characters that are not read: controls, format characters, fillers. */
const UNREAD = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

/** Marks over and under letters of any script. Vowel signs, as of Devanagari, are letters to a reader and stay. */
const ACCENTS = /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]/gu;

const SEPARATORS = /[\p{Z}\p{P}\p{S}\s\u2800]/gu;

/** Prototypes have no prototype but through letter case; no text needs more rounds. */
const MAX_ROUNDS = 4;

/**
 * Most of a text that is compared, in UTF-16 code units; no name is longer. Normalising takes time in the square of the
 * combining marks behind each other.
 */
const MAX_COMPARED = 2_000;

const mapAll = (text: string, table: ReadonlyMap<string, string>): string =>
  Array.from(text, (character) => table.get(character) ?? character.normalize('NFKD')).join('');

/** What a text looks like, with its separators in place: UTS 39 section 4 over NFKC, without accents and letter case. */
export function shapeOf(text: string): string {
  const { alike, cases } = loadTables();
  let shape = text.slice(0, MAX_COMPARED).replace(UNREAD, '').normalize('NFD');
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const next = mapAll(shape, alike).replace(ACCENTS, '').toLowerCase().normalize('NFKD');
    if (next === shape) break;
    shape = next;
  }
  return mapAll(shape, cases).replace(ACCENTS, '').replaceAll('i', 'l');
}

/**
 * The form under which names are compared: two names that a reader can take for each other have the same skeleton. Confusable
 * characters (UTS 39), compatibility forms (NFKC), letter case, accents, spaces and punctuation make no difference.
 * A name of symbols alone keeps them.
 */
export function skeleton(text: string): string {
  const shape = shapeOf(text);
  return shape.replace(SEPARATORS, '') || shape.trim();
}

/**
 * The keys of a name, of which no two names of one register may share one. Two where letter case changes what a name looks like:
 * the Greek capital nu looks like N, and the small one like v.
 */
export const nameKeys = (name: string): string[] => [
  ...new Set([skeleton(name), skeleton(name.toLowerCase())]),
];
