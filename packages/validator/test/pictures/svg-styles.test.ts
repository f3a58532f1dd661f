import { describe, expect, it } from 'vitest';
import { referencesOfProperty, referencesOfStyle, StyleRules } from '../../src/pictures/svg-styles.ts';

const rulesOf = (css: string) => {
  const rules = new StyleRules();
  rules.read(css);
  return rules;
};
const once = [{ id: 'm', manner: 'once' }];

describe('StyleRules', () => {
  it.each([
    ['.a', '.a'],
    ['g.a', '.a'],
    ['.icon.back', '.back'],
    ['b .x > g#c', '#c'],
    ['rect:hover', 'rect'],
    ['*|rect', 'rect'],
    ['.a:not(.b, #c)', '.a'],
    ['.a[x="y"]', '.a'],
    [':is(.a)', '*'],
    ['[id]', '*'],
    ['.a *', '*'],
    ['&', '*'],
    ['@media print', '*'],
    [`${'('.repeat(11)}${')'.repeat(11)}`, '*'],
  ])('read %j as what concerns %s', (selector, key) => {
    expect(rulesOf(`${selector} { x: y; mask: url(#m) }`).of(key)).toEqual(once);
  });

  it('give a declaration to the innermost rule, and to all of its selectors', () => {
    const rules = rulesOf(
      '.a { mask: url(#m); .b, .c { x: y; clip-path: url("#n") } filter: url(#o) } .d {}',
    );
    const ids = (key: string) => rules.of(key).map(({ id }) => id);
    expect([ids('.a'), ids('.b'), ids('.c'), ids('.d')]).toEqual([['m', 'o'], ['n'], ['n'], []]);
  });

  it('give what stands in no rule, or behind one closed too often, to everything', () => {
    expect(rulesOf('} mask: url(#m)').of('*')).toEqual(once);
    expect(rulesOf('.a { mask: url(#m)').of('.a')).toEqual(once);
  });

  it('are empty where nothing is referred to', () => {
    expect(rulesOf('.a { fill: rgb(1, 2, 3); content: "url(#m)" } /* url(#m) */').isEmpty).toBe(true);
    expect(rulesOf('.a { mask: inherit }').saysInherit).toBe(true);
  });

  it('are unclear rather than wrong', () => {
    expect(rulesOf('.a { x: [ } .b { ]; mask: url(#m) }').unclear).toBe('CSS with a brace between brackets');
    expect(rulesOf('.a { x: ((1) } .b { ); mask: url(#m) }').unclear).toBe(
      'CSS with a brace between brackets',
    );
    expect(rulesOf(`${'a{'.repeat(20)}mask:url(#m)`).unclear).toBeUndefined();
    expect(rulesOf(`${'a{'.repeat(21)}mask:url(#m)`).unclear).toBe(
      'more than 20 CSS rules within each other',
    );
  });
});

describe('references', () => {
  it('are told with the manner in which they are drawn', () => {
    const style =
      'fill:url(#a);marker-mid:url( "#b" );MASK:URL(\'#c;}\');--x:url(#d);filter:blur(1px) url(#e) url(#f)';
    expect(referencesOfStyle(style)).toEqual([
      { id: 'a', manner: 'inherited' },
      { id: 'b', manner: 'points' },
      { id: 'c;}', manner: 'once' },
      { id: 'd', manner: 'unknown' },
      { id: 'e', manner: 'once' },
      { id: 'f', manner: 'once' },
    ]);
    expect(referencesOfProperty('stroke', 'url(#a) none')).toEqual([{ id: 'a', manner: 'inherited' }]);
    expect(referencesOfProperty('transform', 'rotate(1)')).toEqual([]);
  });
});
