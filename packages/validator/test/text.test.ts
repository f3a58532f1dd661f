import { describe, expect, it } from 'vitest';
import { isText, show, textFault } from '../src/text.ts';

describe('show', () => {
  it.each([
    ['plain', '"plain"'],
    ['say "hi" \\', '"say \\"hi\\" \\\\"'],
    ['a\nb\u0000', '"a\\nb\\u0000"'],
    ['\u202egpj.exe', '"\\u202egpj.exe"'],
    ['a\u200bb', '"a\\u200bb"'],
    ['\ud800', '"\\ud800"'],
    ['\u{e0001}', '"\\u{e0001}"'],
    [undefined, 'nothing'],
    [null, 'null'],
    [-0.5, '-0.5'],
    [true, 'true'],
    [[1], 'a list'],
    [{ a: 1 }, 'an object'],
    [() => 1, 'a function'],
  ])('%j', (value, shown) => expect(show(value)).toBe(shown));

  it('cuts long text, and never splits a surrogate pair', () => {
    expect(show('n'.repeat(61))).toBe(`"${'n'.repeat(60)}…"`);
    expect(show('n'.repeat(60))).toBe(`"${'n'.repeat(60)}"`);
    expect(show('😀'.repeat(10_000)).isWellFormed()).toBe(true);
    expect(show(`n${'😀'.repeat(10_000)}`).isWellFormed()).toBe(true);
  });
});

describe('isText', () => {
  it.each(['a', ' a ', '名前', '😀', '?'])('accepts %j', (text) => expect(isText(text, 40)).toBe(true));
  it.each([
    '',
    ' ',
    '\t\n',
    '\u00a0',
    '\u200b',
    '\u3164',
    '\u2800',
    '\u0301',
    '\u202e',
    '\ud800',
    7,
    null,
    undefined,
    ['a'],
  ])('refuses %j', (text) => expect(isText(text, 40)).toBe(false));
  it('counts UTF-16 code units', () => {
    expect(isText('😀', 2)).toBe(true);
    expect(isText('😀', 1)).toBe(false);
  });
});

it('textFault says whether a text is missing, no string, too long or blank', () => {
  expect(textFault('"x"', undefined, 3)).toBe('"x" is missing: write 1 to 3 characters.');
  expect(textFault('"x"', 7, 3)).toBe('"x" must be a string, not 7.');
  expect(textFault('"x"', 'abcd', 3)).toBe('"x" has 4 characters: shorten it to 3 or fewer.');
  expect(textFault('"x"', ' ', 3)).toMatch(/blank/);
});
