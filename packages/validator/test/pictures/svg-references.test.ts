import { describe, expect, it } from 'vitest';
import { readSvg } from '../../src/pictures/svg.ts';
import { MAX_FILTER_STEPS, MAX_REFERENCED } from '../../src/pictures/svg-references.ts';
import { bytesOf } from '../support.ts';
import { svg } from './build.ts';

const hazardOf = (inside: string) => {
  const picture = readSvg(bytesOf(svg(inside)));
  return picture.format === 'svg' ? picture.hazard : 'no SVG';
};
/** Elements with the ids a1, a2 and so on; each refers to the previous one. */
const chain = (make: (id: string, before: string) => string, length = 40) =>
  Array.from({ length }, (_, index) => make(`a${index + 1}`, `a${index}`)).join('');

const AGAIN = /^line 1 has references that repeat more than 20000 elements$/;
const ITSELF = /^line 1 has a circular reference$/;
const rects = (attributes: string) => `<rect ${attributes}/>`.repeat(3);

describe('a small drawing that takes too long to draw', () => {
  it.each([
    [
      'groups that use groups',
      chain((id, to) => `<g id="${id}"><use href="#${to}"/><use href="#${to}"/></g>`),
    ],
    [
      'symbols under another prefix',
      chain((id, to) => `<symbol id="${id}">${`<use xlink:href="#${to}"/>`.repeat(2)}</symbol>`),
    ],
    [
      'percent-encoded ids',
      chain((id, to) => `<g id="${id}">${`<use href="#${to.replace('a', '%61')}"/>`.repeat(2)}</g>`),
    ],
    ['masks', chain((id, to) => `<mask id="${id}">${rects(`mask="url(#${to})"`)}</mask>`)],
    [
      'clip paths',
      chain((id, to) => `<clipPath id="${id}">${rects(`clip-path="url('#${to}')"`)}</clipPath>`),
    ],
    [
      'patterns in styles',
      chain((id, to) => `<pattern id="${id}">${rects(`style="FILL: URL( #${to} )"`)}</pattern>`),
    ],
    [
      'inherited patterns',
      chain((id, to) => `<pattern id="${id}"><g stroke="url(#${to})">${rects('')}</g></pattern>`),
    ],
    [
      'patterns inherited by patterns',
      chain((id, to) => `<g fill="url(#${to})"><pattern id="${id}">${rects('')}</pattern></g>`),
    ],
    [
      'patterns inherited by copies',
      chain(
        (id, to) =>
          `<g id="b${id}">${rects('')}</g><pattern id="${id}"><use href="#b${id}" fill="url(#${to})"/></pattern>`,
      ),
    ],
    [
      'masks with the value inherit',
      chain((id, to) => `<mask id="${id}"><g mask="url(#${to})">${rects('mask="inherit"')}</g></mask>`),
    ],
    [
      'markers',
      chain((id, to) => `<marker id="${id}"><path d="M0 0h1v1zzz" marker-mid="url(#${to})"/></marker>`),
    ],
    [
      'classes',
      `<style>${chain((id, to) => `.${id}{mask:url(#${to})}`)}</style>${chain((id) => `<mask id="${id}">${rects(`class="${id}"`)}</mask>`)}`,
    ],
    [
      'rules after the elements',
      `${chain((id) => `<mask id="${id}">${rects(`id="b${id}" class="x ${id}"`)}</mask>`)}<style>${chain((id, to) => `b,.x:not(.y).${id}:hover{fill:red;mask:url("#${to}")}`)}</style>`,
    ],
    [
      'nested rules',
      `<style>.z{${chain((id, to) => `fill:red;&amp; .${id}{mask:url(#${to});color:red}`)}}</style>${chain((id) => `<mask id="${id}">${rects(`class="${id}"`)}</mask>`)}`,
    ],
    [
      'rules with brackets in strings',
      `<style>${chain((id, to) => `.${id}{font-family:"}";/*}*/mask:url(#${to})}`)}</style>${chain((id) => `<mask id="${id}">${rects(`class="${id}"`)}</mask>`)}`,
    ],
  ])('is refused: %s', (_, inside) =>
    expect(hazardOf(`<g id="a0"><path d="M0 0h1"/></g>${inside}`)).toMatch(AGAIN),
  );

  it.each([
    ['a group in itself', '<g id="a"><use href="#a"/></g>'],
    ['two groups in each other', '<g id="a"><use href="#b"/></g><g id="b"><use href="#a"/></g>'],
    ['a mask for every element', '<style>*{mask:url(#a)}</style><mask id="a"><g/></mask>'],
    [
      'a mask for every element with an attribute',
      '<style>[id]{mask:url(#a)}</style><mask id="a"><g id="b"/></mask>',
    ],
  ])('is refused: %s', (_, inside) => expect(hazardOf(inside)).toMatch(ITSELF));

  it.each([
    [
      'a variable',
      '<style>.a{--m:url(#m)}</style><mask id="m"/><g class="a"/>',
      'a url(…) in a CSS variable',
    ],
    [
      'a brace between brackets',
      '<style>.a{fill:(} .b{);mask:url(#m)}</style><mask id="m"/>',
      'CSS with a brace between brackets',
    ],
    ['deeply nested rules', `<style>${'a{'.repeat(21)}mask:url(#m)</style>`, 'more than 20 nested CSS rules'],
    [
      'too many rules',
      `<style>${'a{mask:url(#m)}'.repeat(20_001)}</style>`,
      'more than 20000 references in style sheets',
    ],
    [
      'too many selectors',
      `<style>${'a,'.repeat(20_000)}b{mask:url(#m)}</style>`,
      'more than 20000 references in style sheets',
    ],
    [
      'a long filter',
      `<filter>${'<feTile/>'.repeat(MAX_FILTER_STEPS + 1)}</filter><use href="#x"/>`,
      'a filter of more than 100 steps',
    ],
  ])('is refused: %s', (_, inside, why) => expect(hazardOf(inside)).toBe(`line 1 has ${why}`));

  it('is refused when references repeat too many elements', () => {
    const uses = (count: number) => `<g id="a">${'<g/>'.repeat(9)}</g>${'<use href="#a"/>'.repeat(count)}`;
    expect(hazardOf(uses(MAX_REFERENCED / 40))).toBeUndefined();
    expect(hazardOf(uses(MAX_REFERENCED / 10 + 1))).toMatch(AGAIN);
  });

  it('is refused for many filters of several steps, each of which processes all pixels', () => {
    const blurred = (count: number) =>
      `<filter id="f">${'<feFlood/>'.repeat(MAX_FILTER_STEPS)}</filter>${'<g filter="url(#f)"/>'.repeat(count)}`;
    expect(hazardOf(blurred(19))).toBeUndefined();
    expect(hazardOf(blurred(20))).toMatch(AGAIN);
  });
});

describe('a drawing as graphics programs write it', () => {
  it.each([
    ['many copies of a shape', `<symbol id="a">${rects('')}</symbol>${'<use href="#a"/>'.repeat(150)}`],
    [
      'many gradients',
      `<style>.a{fill:url(#g)}</style><linearGradient id="g" href="#h"/>${'<path class="a" d="M0 0"/>'.repeat(5_000)}`,
    ],
    [
      'gradients that refer to each other',
      '<linearGradient id="g" href="#h"/><radialGradient id="h" href="#g"/><g fill="url(#g)"/>',
    ],
    ['a gradient in a variable', '<style>.a{--m:url(#g)}</style><linearGradient id="g"/><g class="a"/>'],
    [
      'nested clip paths',
      `<clipPath id="c"><rect/></clipPath>${'<g clip-path="url(#c)">'.repeat(20)}${rects('').repeat(100)}${'</g>'.repeat(20)}`,
    ],
    [
      'a clip path inside the element that it clips',
      '<g clip-path="url(#c)"><clipPath id="c"><rect/></clipPath><path/></g>',
    ],
    ['an id that does not exist', '<use href="#nowhere"/><g mask="url(#nowhere)" filter="url(#%)"/>'],
    ['a duplicate id, of which the first is used', '<g id="a"/><g id="a"><use href="#a"/></g>'],
    ['no references', '<g/>'.repeat(9_000)],
  ])('is accepted: %s', (_, inside) => expect(hazardOf(inside)).toBeUndefined());
});
