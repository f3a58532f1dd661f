import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shortJson } from '../../../page/src/parts/short-json.ts';

/** A list within lists. */
function nested(levels: number, innermost: unknown): unknown {
  let value = innermost;
  for (let n = 0; n < levels; n += 1) value = [value];
  return value;
}

describe('JSON of a value of any size', () => {
  it('is that of JSON.stringify where it is small', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
        expect(shortJson(value)).toBe(JSON.stringify(value, null, 2));
      }),
    );
  });

  it('has the whole value, and not much more than the value, where it is deep', () => {
    const deep = nested(
      200,
      Array.from({ length: 10_000 }, () => 1),
    );
    expect(JSON.parse(shortJson(deep))).toEqual(deep);
    expect(shortJson(deep).length).toBeLessThan(JSON.stringify(deep).length * 2);
  });

  it('is cut at a length, and reads no more of the value than that', () => {
    let read = 0;
    const endless = new Proxy(
      {},
      {
        ownKeys: () => Array.from({ length: 10_000 }, (_, n) => `key-${n}`),
        getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
        get() {
          read += 1;
          return 'x'.repeat(1_000);
        },
      },
    );
    const text = shortJson(endless, 5_000);
    expect(text).toHaveLength(5_001);
    expect(text.endsWith('…')).toBe(true);
    expect(read).toBeLessThan(10);
    expect(shortJson('x'.repeat(10_000_000), 100)).toHaveLength(101);
    expect(shortJson({ ['k'.repeat(10_000)]: 1 }, 100)).toHaveLength(101);
  });

  it('ends at a level, where the stack of the page would not', () => {
    expect(shortJson(nested(500_000, 1))).toContain('"…"');
  });
});
