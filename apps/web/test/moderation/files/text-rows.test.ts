import { describe, expect, it } from 'vitest';
import { diffLines } from '../../../src/moderation/files/diff-lines.ts';
import { linesOf, textRows } from '../../../src/moderation/files/text-rows.ts';

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
