import { describe, expect, it } from 'vitest';
import { readProperty, readStyle, StyleRules } from '../../src/pictures/svg-styles.ts';

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
  ])('read the selector %j as a rule for %s', (selector, key) => {
    expect(rulesOf(`${selector} { fill: red; mask: url(#m) }`).of(key)).toEqual(once);
  });

  it('assign a declaration to all selectors of the innermost rule', () => {
    const rules = rulesOf(
      '.a { mask: url(#m); .b, .c { fill: red; clip-path: url("#n") } filter: url(#o) } .d {}',
    );
    const ids = (key: string) => rules.of(key).map(({ id }) => id);
    expect([ids('.a'), ids('.b'), ids('.c'), ids('.d')]).toEqual([['m', 'o'], ['n'], ['n'], []]);
  });

  it('assign a declaration after an extra brace to every element, and one in an unclosed rule to its selector', () => {
    expect(rulesOf('} mask: url(#m)').of('*')).toEqual(once);
    expect(rulesOf('.a { mask: url(#m)').of('.a')).toEqual(once);
  });

  it('are empty without references, and report the value inherit', () => {
    expect(rulesOf('.a { fill: rgb(1, 2, 3); content: "url(#m)" } /* url(#m) */').isEmpty).toBe(true);
    expect(rulesOf('.a { mask: inherit }').saysInherit).toBe(true);
  });

  it('are unclear for unbalanced brackets and deep nesting', () => {
    expect(rulesOf('.a { x: [ } .b { ]; mask: url(#m) }').unclear).toBe('CSS with a brace between brackets');
    expect(rulesOf('.a { x: ((1) } .b { ); mask: url(#m) }').unclear).toBe(
      'CSS with a brace between brackets',
    );
    expect(rulesOf(`${'a{'.repeat(20)}mask:url(#m)`).unclear).toBeUndefined();
    expect(rulesOf(`${'a{'.repeat(21)}mask:url(#m)`).unclear).toBe('more than 20 nested CSS rules');
  });
});

describe('references', () => {
  it('are returned with the manner in which they are drawn', () => {
    const style =
      'fill:url(#a);marker-mid:url( "#b" );MASK:URL(\'#c;}\');--x:url(#d);filter:blur(1px) url(#e) url(#f)';
    expect(readStyle(style).references).toEqual([
      { id: 'a', manner: 'inherited' },
      { id: 'b', manner: 'points' },
      { id: 'c;}', manner: 'once' },
      { id: 'd', manner: 'unknown' },
      { id: 'e', manner: 'once' },
      { id: 'f', manner: 'once' },
    ]);
    expect(readProperty('stroke', 'url(#a) none').references).toEqual([{ id: 'a', manner: 'inherited' }]);
    expect(readProperty('transform', 'rotate(1)').references).toEqual([]);
  });
});

describe('a declaration', () => {
  it.each([
    'fill:red;stroke:none',
    '-inkscape-stroke:none;font-variant-ligatures:normal',
    'mix-blend-mode:multiply;isolation:isolate',
    '--colour:rgb(0,0,0);fill:var(--colour)',
    ';;',
  ])('is accepted: %s', (style) => expect(readStyle(style).why).toBeUndefined());

  it.each([
    'animation:turn 1s infinite',
    'animation-name:turn',
    'transition:fill 1s',
    'backdrop-filter:blur(9px)',
    '-webkit-filter:blur(9px)',
    'will-change:transform',
    'text-shadow:0 0 9px red',
    'box-shadow:0 0 9px red',
    'offset-path:none',
    'd:path("M0 0")',
    'new-in-css:1',
    '--f:blur(9px)',
    '--a:var(--b) var(--b)',
    `--a:${'a'.repeat(201)}`,
  ])('is refused: %s', (style) => expect(readStyle(style).why).toMatch(/CSS/));
});
