import { expect, test } from 'vitest';
import { byCodeUnit } from '../src/by-code-unit.ts';

test('texts are ordered by their code units, in any language', () => {
  // By code points or by a collation, the last two or the first three would change places.
  const texts = ['B', 'a', 'ä', '\u{1f600}', '\ue000'];
  for (const [at, a] of texts.entries())
    expect(texts.map((b) => byCodeUnit(a, b))).toEqual(texts.map((_, other) => Math.sign(at - other) + 0));
});
