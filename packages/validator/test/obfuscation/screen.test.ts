import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { oddParts } from '../../src/obfuscation/screen.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const partsOf = (text: string) => oddParts(encode(text), { start: 0, end: encode(text).length });
const PLAIN = 'const sum = (list) => list.reduce((a, b) => a + b, 0);\n';

describe('oddParts', () => {
  it('finds nothing in a plain script', () => expect(partsOf(PLAIN.repeat(1_000))).toEqual([]));

  it.each([
    ['made-up names', 'var _0x1a2b=_0x3c4d(_0x5e6f);'],
    ['numbers as indexes', 'a(0x1f);b(0x2f);c("0x3f")'],
    ['short numbers', '0x1,0x2,0x3,0x4,0x5,0x6;'],
    ['words in brackets', "a['b'];".repeat(8)],
    ['joined words', "a['b'+'c'];".repeat(4)],
    ['computed keys', "{['b']:1,['c']:2,".repeat(4)],
    ['empty arrays', '!![],![]'],
    ['escapes', '\\x61\\u0062'.repeat(5)],
    ['spaces', '\\x20'.repeat(4)],
    ['signs', '$.__$+$._$_'.repeat(5)],
    ['emoticons', 'ﾟДﾟ'.repeat(5)],
    ['look-alikes', 'lIlIlIlIlIlIlIlIlIlIlIlI'],
    ['references', '&#101;'.repeat(10)],
    ['evaluation', 'eval(a)'],
    ['a decoded text', 'atob("aaaa")'],
    ['a hidden evaluator', "window['eval']"],
    ['a constructor of decoded text', 'a.constructor(decodeURIComponent(b))'],
  ])('finds %s at any position', (_what, trace) => {
    for (const before of [0, 2_040, 4_090, 100_000]) {
      const text = ' '.repeat(before) + trace + PLAIN.repeat(200);
      const [part, ...others] = partsOf(text);
      expect(others).toEqual([]);
      expect(part?.start).toBeLessThanOrEqual(before);
      expect(part?.end).toBeGreaterThanOrEqual(before + trace.length);
      expect((part?.end ?? 0) - (part?.start ?? 0)).toBeLessThan(10_000);
    }
  });

  it('includes a long text between two traces, but not one before the first trace', () => {
    const [part, ...others] = partsOf(`a=atob("${'A'.repeat(20_000)}");eval(a)`);
    expect(others).toEqual([]);
    expect(part).toEqual({ start: 0, end: 20_018 });
    const text = `a="${'/'.repeat(30_000)}";eval(a)`;
    expect(text.slice(partsOf(text)[0]?.start)).toBe(';eval(a)');
  });

  it('returns ordered, disjoint parts inside the range, of 64 KiB at most', () => {
    const stretch = fc.tuple(fc.boolean(), fc.nat(100_000));
    fc.assert(
      fc.property(fc.array(stretch, { maxLength: 6 }), fc.nat(5_000), (stretches, start) => {
        const text = stretches
          .map(([isOdd, length]) => (isOdd ? '![] ' : 'abc ').repeat(length / 4))
          .join('');
        const bytes = encode(text);
        const end = Math.max(start, bytes.length - 100);
        let last = start;
        for (const part of oddParts(bytes, { start, end })) {
          expect(part.start).toBeGreaterThanOrEqual(last);
          expect(part.end).toBeGreaterThan(part.start);
          expect(part.end - part.start).toBeLessThanOrEqual(65_536);
          last = part.end;
        }
        expect(last).toBeLessThanOrEqual(end);
      }),
      { numRuns: 50 },
    );
  });
});
