import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineDiff } from '../../../page/src/parts/line-diff.ts';

/** The shown lines of one side of a change. */
const side = (lines: ReturnType<typeof lineDiff>, gone: 'added' | 'removed') =>
  lines.flatMap((line) => (line.kind === 'hidden' || line.kind === gone ? [] : [line.text]));

describe('the difference of two texts', () => {
  it('shows added lines with a few lines of context', () => {
    const before = ['1', '2', '3', '4', '5', '6', '7', '8'];
    const after = before.toSpliced(4, 0, 'new');
    const lines = lineDiff(`${before.join('\n')}\n`, `${after.join('\n')}\n`);
    expect(
      lines.map((line) => (line.kind === 'hidden' ? `(${line.lines})` : `${line.kind} ${line.text}`)),
    ).toEqual([...['(1)', 'same 2', 'same 3', 'same 4', 'added new', 'same 5', 'same 6', 'same 7', '(1)']]);
  });

  it('is empty for equal texts, and contains every line of a new file', () => {
    expect(lineDiff('a\nb\n', 'a\nb\n')).toEqual([]);
    expect(lineDiff('', 'a\n')).toEqual([{ kind: 'added', text: 'a', line: 1 }]);
  });

  it('hides no line that differs', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        const lines = lineDiff(a.join('\n'), b.join('\n'));
        const hidden = lines.reduce((sum, line) => sum + (line.kind === 'hidden' ? line.lines : 0), 0);
        // Equal texts have no shown and no hidden lines.
        const same = lines.length === 0 && a.join('\n') === b.join('\n');
        expect(side(lines, 'added').length + hidden).toBe(same ? 0 : a.length);
        expect(side(lines, 'removed').length + hidden).toBe(same ? 0 : b.length);
      }),
    );
  });
});
