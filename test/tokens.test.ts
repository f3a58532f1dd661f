import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const TOKENS = 'packages/ui/static/tokens.css';

/** Lengths that are no part of the scales: hairlines, and what follows from the text or the window. */
const SPACE = /(?<![\w.])\d*\.?\d+(?:rem|px)\b/g;
const isHairline = (length: string): boolean => /^[012](?:\.5)?px$/.test(length);

const RULES: readonly { property: RegExp; raw(value: string): boolean; say: string }[] = [
  {
    property: /^(?:padding|margin|(?:row-|column-)?gap)(?:-|$)/,
    raw: (value) =>
      !value.includes('clamp(') && (value.match(SPACE) ?? []).some((length) => !isHairline(length)),
    say: 'a --space token',
  },
  {
    property: /^font-size$/,
    raw: (value) => !/^(?:var\(--text-\w+\)|inherit|[\d.]+em)$/.test(value),
    say: 'a --text token',
  },
  {
    property: /^font-weight$/,
    raw: (value) => !/^(?:var\(--weight[\w-]*\)|inherit)$/.test(value),
    say: 'a --weight token',
  },
  {
    property: /radius$/,
    raw: (value) => (value.match(SPACE) ?? []).length > 0,
    say: 'a --radius token',
  },
  {
    property: /color$|^background|^border|^(?:box-)?shadow|^outline/,
    raw: (value) => /#[\da-f]{3,8}\b|\brgba?\(|\bhsla?\(/i.test(value),
    say: 'a colour token',
  },
];

/** The widths at which pages change. */
const WIDTHS = new Set(['30rem', '48rem', '64rem']);

/** What in a style sheet is not from the tokens. */
function rawIn(css: string): string[] {
  const declared = [...css.matchAll(/(?<=[{;]|^)\s*([a-z-]+):\s*([^;{}]+);/gm)].flatMap(
    ([, name = '', value = '']) =>
      RULES.filter(({ property, raw }) => property.test(name) && raw(value.trim())).map(
        ({ say }) => `${name}: ${value.trim()}: use ${say}`,
      ),
  );
  const widths = [...css.matchAll(/@(?:media|container) [^{]*?width: ([^)]+)\)/g)].flatMap(
    ([, width = '']) => (WIDTHS.has(width) ? [] : [`width ${width}: use one of ${[...WIDTHS].join(', ')}`]),
  );
  return [...declared, ...widths];
}

const sheets = execFileSync('git', ['ls-files', 'apps/*.css', 'packages/ui/static/*.css'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && file !== TOKENS);

it('style sheets take spaces, type, corners, colours and widths from the tokens', () => {
  expect(sheets.length).toBeGreaterThan(20);
  const raw = sheets.flatMap((file) => rawIn(readFileSync(file, 'utf8')).map((one) => `${file}: ${one}`));
  expect(raw).toEqual([]);
});

it('no other sheet gives a token another value', () => {
  const declared = (file: string) => readFileSync(file, 'utf8').match(/^\s*--[\w-]+(?=:)/gm) ?? [];
  const tokens = new Set(declared(TOKENS).map((name) => name.trim()));
  const again = sheets.flatMap((file) => declared(file).filter((name) => tokens.has(name.trim())));
  expect(tokens.size).toBeGreaterThan(40);
  expect(again).toEqual([]);
});

it.each([
  'a { padding: 3px 0.4rem; }',
  'a { margin-inline-start: -0.3rem; }',
  'a { font-size: 0.9rem; }',
  'a { font-weight: 600; }',
  'a { border-radius: 4px; }',
  'a { color: #123456; }',
  '@media (max-width: 44rem) {}',
])('detects %s', (css) => expect(rawIn(css)).toHaveLength(1));

it('accepts hairlines, the unit of the text, and tokens', () => {
  const css =
    'a { border: 1px solid var(--line); padding: 1px var(--space-1); font-size: 0.9em; border-radius: 50%; }';
  expect(rawIn(css)).toEqual([]);
});

it('has eight spaces, six sizes, three weights and four corners', () => {
  const tokens = readFileSync(TOKENS, 'utf8');
  const named = (begin: string) => new Set(tokens.match(new RegExp(`--${begin}[\\w-]*(?=:)`, 'g'))).size;
  expect([named('space-\\d'), named('text-'), named('weight')]).toEqual([8, 6, 3]);
});
