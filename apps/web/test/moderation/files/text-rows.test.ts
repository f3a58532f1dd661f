import { cpuMs } from '@svc/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffLines, linesOf, textRows } from '../../../src/moderation/files/text-rows.ts';

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => `line ${from + i}`);

describe('the rows of a file', () => {
  it('show a change with the lines around it, and count the skipped lines', () => {
    const before = numbers(1, 20);
    const after = before.with(9, 'other');
    const { rows } = textRows(diffLines(before, after), false);
    expect(rows.map(({ sign, text }) => `${sign} ${text}`)).toEqual([
      'gap 6',
      '  line 7',
      '  line 8',
      '  line 9',
      '- line 10',
      '+ other',
      '  line 11',
      '  line 12',
      '  line 13',
      'gap 7',
    ]);
    expect(textRows(diffLines(before, after), true).rows).toHaveLength(21);
  });

  it('show a long line to its end, and number it once', () => {
    const line = `${'x'.repeat(999)}!`;
    const { rows } = textRows(diffLines([], [line]), true);
    expect(rows.map(({ text }) => text).join('')).toBe(line);
    expect(rows.map(({ after }) => after)).toEqual([1, null, null]);
  });

  it('make hidden characters visible', () => {
    expect(textRows(diffLines([], ['a\u202e']), true).rows[0]?.text).toBe('a⟨U+202E⟩');
  });

  it('stop at the maximum number of rows, and report the cut', () => {
    const lines = Array.from({ length: 100_001 }, () => '');
    const { rows, cut } = textRows(diffLines(lines, lines), true);
    expect([rows.length, cut]).toEqual([100_000, true]);
  });

  it('accept every kind of line ending', () => {
    expect(linesOf('a\r\nb\rc\nd')).toEqual(['a', 'b', 'c', 'd']);
  });
});

const signsOf = (before: string, after: string): string =>
  diffLines([...before], [...after])
    .map(({ sign, text }) => `${sign}${text}`)
    .join('');

const LINES = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 30 });

describe('the difference of two texts', () => {
  it.each([
    ['abc', 'abc', ' a b c'],
    ['abc', 'axc', ' a-b+x c'],
    ['', 'ab', '+a+b'],
    ['ab', '', '-a-b'],
    ['abcabba', 'cbabac', '-a-b c+b a b-b a+c'],
  ])('of %j and %j', (before, after, signs) => {
    expect(signsOf(before, after)).toBe(signs);
  });

  it('contains every line of both texts, in order', () => {
    fc.assert(
      fc.property(LINES, LINES, (before, after) => {
        const changes = diffLines(before, after);
        const side = (without: string) => changes.filter(({ sign }) => sign !== without);
        expect(side('+').map(({ text }) => text)).toEqual(before);
        expect(side('-').map(({ text }) => text)).toEqual(after);
        expect(side('+').map((change) => change.before)).toEqual(before.map((_, i) => i + 1));
        expect(side('-').map((change) => change.after)).toEqual(after.map((_, i) => i + 1));
      }),
    );
  });

  it('is the shortest', () => {
    const changed = diffLines([...'abcabba'], [...'cbabac']).filter(({ sign }) => sign !== ' ');
    // The example of Myers (1986): five changes.
    expect(changed).toHaveLength(5);
  });

  it('hides nothing of completely different files, and terminates', () => {
    const [before, after] = ['a', 'b'].map((letter) =>
      Array.from({ length: 20_000 }, (_, i) => `${letter}${i}`),
    ) as [string[], string[]];
    const started = cpuMs();
    const changes = diffLines(before, after);
    expect(changes).toHaveLength(40_000);
    expect(cpuMs() - started).toBeLessThan(5_000);
  });
});
