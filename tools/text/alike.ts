import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hiddenIn } from '../../packages/text/src/index.ts';
import {
  areAlike,
  beginningsOf,
  beginsWith,
  brandLike,
  looksOf,
} from '../../packages/validator/src/index.ts';

const namesIn = (file: string): string[] =>
  readFileSync(join(import.meta.dirname, file), 'utf8')
    .trim()
    .split(/[|\n]/);

const BRANDS = 100;

const styled = (name: string, small: number, large: number): string =>
  name
    .replaceAll(/[a-z]/g, (letter) => String.fromCodePoint(small + letter.charCodeAt(0) - 0x61))
    .replaceAll(/[A-Z]/g, (letter) => String.fromCodePoint(large + letter.charCodeAt(0) - 0x41));

const swapped = (name: string, letters: Readonly<Record<string, string>>): string =>
  Array.from(name, (letter) => letters[letter] ?? letter).join('');

/** Replaces the letter in the middle of a name, and `more` after it. */
const atMiddle = (name: string, change: (letter: string, next: string) => string): string => {
  const letters = [...name];
  const at = Math.floor(letters.length / 2);
  return [
    ...letters.slice(0, at),
    change(letters[at] ?? '', letters[at + 1] ?? ''),
    ...letters.slice(at + 2),
  ].join('');
};

const nextLetter = (letter: string): string => String.fromCodePoint((letter.codePointAt(0) ?? 0x60) + 1);

/** How a name is made to look like a brand. */
const TRICKS: Readonly<Record<string, (name: string) => string>> = {
  'Cyrillic letters': (name) =>
    swapped(name, { a: 'а', e: 'е', o: 'о', c: 'с', p: 'р', x: 'х', i: 'і', s: 'ѕ' }),
  'I for l, l for i': (name) => swapped(name, { l: 'I', i: 'l' }),
  'digits for letters': (name) => swapped(name, { o: '0', i: '1', l: '1', e: '3', a: '4', s: '5' }),
  'fullwidth letters': (name) => styled(name, 0xff41, 0xff21),
  'squared letters': (name) => styled(name.toUpperCase(), 0, 0x1f130),
  accents: (name) => name.replace(/[aeiou]/, '$&\u0301'),
  'a hidden character': (name) => atMiddle(name, (letter, next) => `${letter}\u200b${next}`),
  'a doubled letter': (name) => atMiddle(name, (letter, next) => letter + letter + next),
  'a dropped letter': (name) => atMiddle(name, (_, next) => next),
  'two letters swapped': (name) => atMiddle(name, (letter, next) => next + letter),
  'another letter': (name) => atMiddle(name, (letter, next) => nextLetter(letter) + next),
  plural: (name) => `${name}s`,
  'spaces between letters': (name) => [...name].join(' '),
  'dots between letters': (name) => [...name].join('.'),
  'a hyphen': (name) => atMiddle(name, (letter, next) => `${letter}-${next}`),
  Official: (name) => `${name} Official`,
  'pairs of letters': (name) => swapped(name, { m: 'rn', M: 'Rn', w: 'vv', W: 'Vv', d: 'cl', D: 'Cl' }),
  'The … App': (name) => `The ${name} App`,
  AI: (name) => `${name} AI`,
  'for Teams': (name) => `${name} for Teams`,
};

/** Whether such a name is refused for hidden characters, or waits for a moderator. */
const isCaught = (name: string): boolean => hiddenIn(name) !== null || brandLike(name) !== undefined;

/** The pairs of names that look alike. Those that do share one of their looks. */
function alikePairs(names: readonly string[]): [string, string][] {
  const byLook = new Map<string, string[]>();
  const pairs = new Map<string, [string, string]>();
  for (const name of names) {
    for (const look of looksOf(name)) {
      const others = byLook.get(look) ?? [];
      for (const other of others)
        if (other !== name && areAlike(name, other)) pairs.set(JSON.stringify([other, name]), [other, name]);
      byLook.set(look, [...others, name]);
    }
  }
  return [...pairs.values()];
}

/** The pairs of names of which the first begins with the second. */
function beginningPairs(names: readonly string[]): [string, string][] {
  const byLook = new Map(names.flatMap((name) => looksOf(name).map((look) => [look, name])));
  return names.flatMap((name) =>
    beginningsOf(name).flatMap((look): [string, string][] => {
      const other = byLook.get(look);
      return other !== undefined && beginsWith(name, other) ? [[name, other]] : [];
    }),
  );
}

/** Measures `lookalike.name`: tricks on brands that are caught, and real names that look like each other. */
export function measureAlike() {
  const names = [...new Set([...namesIn('app-names.txt'), ...namesIn('product-names.txt')])];
  const brands = names.filter((name) => brandLike(name)?.name === name).slice(0, BRANDS);
  const tried = brands.flatMap((of) =>
    Object.entries(TRICKS).map(([trick, make]) => ({ of, trick, name: make(of) })),
  );
  const missed = tried.filter(({ name }) => !isCaught(name));
  return {
    brands: brands.length,
    tried: tried.length,
    missed,
    names: names.length,
    pairs: alikePairs(names),
    beginnings: beginningPairs(names),
  };
}

/** The figures as the table of docs/project/text-figures.md. */
export function alikeTable(figures: ReturnType<typeof measureAlike>): string {
  const { brands, tried, missed, names, pairs, beginnings } = figures;
  const perTrick = Map.groupBy(missed, ({ trick }) => trick);
  const missedText = [...perTrick].map(([trick, of]) => `${trick} ${of.length}`).join(', ');
  const share = (100 * (tried - missed.length)) / tried;
  return [
    '| names | how many | result |',
    '|---|---|---|',
    `| ${brands} brands, each with ${Object.keys(TRICKS).length} tricks | ${tried} | ${share.toFixed(1)} % caught; missed: ${missedText} |`,
    `| names of apps and products, each against each | ${names} | ${pairs.length} pairs look alike: ${new Set(pairs.flat()).size} names would wait for a moderator |`,
    `| the same, of which one begins with the whole of another | ${names} | ${beginnings.length} pairs |`,
  ].join('\n');
}
