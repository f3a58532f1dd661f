import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anyText } from '../src/any-text.ts';

const texts = fc.sample(anyText({ minLength: 3, maxLength: 20 }), { numRuns: 2000, seed: 1 });

it('has a length within the limits, in code points, and no lone surrogate', () => {
  for (const text of texts) {
    expect(text.isWellFormed()).toBe(true);
    expect([...text].length).toBeGreaterThanOrEqual(3);
    expect([...text].length).toBeLessThanOrEqual(20);
  }
});

it.each([
  ['control characters', /\p{Cc}/u],
  ['ASCII', /[a-z]/],
  ['characters after the surrogates', /[\ue000-\uffff]/],
  ['supplementary planes', /[\u{10000}-\u{10ffff}]/u],
])('has %s', (_what, expression) => {
  expect(texts.some((text) => expression.test(text))).toBe(true);
});

it('shrinks a text to the one failing character', () => {
  const { counterexample } = fc.check(
    fc.property(anyText(), (text) => !text.includes('\u{1f600}')),
    { examples: [['ab\u{1f600}cd']] },
  );
  expect(counterexample).toEqual(['\u{1f600}']);
});
