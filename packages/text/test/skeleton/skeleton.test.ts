import { anyText } from '@svc/testkit/any-text';
import fc from 'fast-check';
import confusables from 'unhomoglyph/data.json' with { type: 'json' };
import { describe, expect, it } from 'vitest';
import { loadTables, nameKeys, shapeOf, skeleton } from '../../src/skeleton/skeleton.ts';

const same = (one: string, other: string): boolean =>
  nameKeys(one).some((key) => nameKeys(other).includes(key));

describe('skeleton', () => {
  it.each([
    ['S v c', 'svc'],
    ['🆂🆅🅲', 'svc'],
    ['Ⓢ🅥🇨', 'svc'],
    ['⒮⒱⒞', 'svc'],
    ['ＳＶＣ', 'svc'],
    ['𝓈𝕧𝐜', 'svc'],
    ['ѕνϲ', 'svc'],
    ['ꮪᏙⅽ', 'svc'],
    ['ſṽč', 'svc'],
    ['s\u200bv\u00adc\u202e', 'svc'],
    ['s|v', 'slv'],
    ['Microsoft', skeleton('MICR0S0FT')],
    ['Тест', skeleton('тест')],
    ['Müller', skeleton('muller')],
    ['🎮', '🎮'],
    ['', ''],
  ])('of %j', (text, expected) => expect(skeleton(text)).toBe(expected));

  it('differs for names that only share letters', () => {
    expect(same('Notes', 'Votes')).toBe(false);
    expect(same('Clara', 'Dara')).toBe(false);
    expect(same('कला', 'कली')).toBe(false);
    expect(same('がく', 'かく')).toBe(false);
    expect(same('微信', '微博')).toBe(false);
    expect(same('🎮', '🎲')).toBe(false);
    expect(same('ΝΙΚΟΣ', 'νικος')).toBe(true);
    expect(same('Vvillow Morning', 'Willow Moming')).toBe(true);
  });

  it('covers the whole table of UTS 39: confusable characters have the same skeleton', () => {
    const pairs = Object.entries(confusables);
    expect(pairs.length).toBeGreaterThan(6_300);
    const apart = pairs.filter(([source, prototype]) => skeleton(source) !== skeleton(prototype));
    // If NFKC maps to a letter or digit, that mapping is used: a circled 1 is a 1, and a long s is an s. UTS 39 decomposes
    // before it uses its table, so lines for composed letters never apply.
    const isDecided = (source: string) =>
      source.normalize('NFD') !== source || /^[()0-9A-Za-z.,]+$/.test(source.normalize('NFKD'));
    expect(apart.filter(([source]) => !isDecided(source))).toEqual([]);
  });

  it('needs no row that it leaves out: with all of them every character has the same look', () => {
    const own = loadTables();
    const isDecided = (source: string) =>
      source.normalize('NFKD') !== source && /^[()0-9A-Za-z.,]+$/.test(source.normalize('NFKD'));
    const rows = Object.entries(confusables).filter(([source]) => !isDecided(source));
    const whole = { ...own, alike: new Map([...rows, ...own.alike]) };
    expect(whole.alike.size).toBeGreaterThan(own.alike.size + 2_000);
    const texts = rows.flatMap(([source, prototype]) => [source, prototype, `a${source}\u0301b`]);
    expect(texts.filter((text) => shapeOf(text) !== shapeOf(text, whole))).toEqual([]);
  });

  it('is idempotent', () => {
    const text = fc.string({
      unit: fc.oneof(fc.constantFrom(...Object.keys(confusables)), anyText({ maxLength: 1 })),
    });
    fc.assert(
      fc.property(text, (name) => {
        expect(skeleton(skeleton(name))).toBe(skeleton(name));
      }),
    );
  });
});
