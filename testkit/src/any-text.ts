import fc from 'fast-check';

/** Number of code points that are surrogates. */
const SURROGATES = { first: 0xd800, count: 0x800 };

const LAST_CODE_POINT = 0x10ffff;

/**
 * Any code point. `fc.string({ unit: 'binary' })` has the same, but first builds a map of all 1.1 million, which takes a
 * second, and 85 MB in each worker.
 */
const codePoint = fc.integer({ min: 0, max: LAST_CODE_POINT - SURROGATES.count }).map(
  (index) => String.fromCodePoint(index < SURROGATES.first ? index : index + SURROGATES.count),
  (text) => {
    if (typeof text !== 'string' || [...text].length !== 1) throw new Error('This is not one character.');
    const code = text.codePointAt(0) ?? 0;
    return code < SURROGATES.first ? code : code - SURROGATES.count;
  },
);

/**
 * Well-formed text of any characters, assigned or not.
 * @param length in code points
 */
export const anyText = (length: { minLength?: number; maxLength?: number } = {}): fc.Arbitrary<string> =>
  fc.string({ ...length, unit: codePoint });
