import { DEEP } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { readSvg } from '../../../src/pictures/svg.ts';
import { bytesOf } from '../../support.ts';

const hazardOf = (inside: string, root = 'viewBox="0 0 512 512"') => {
  const picture = readSvg(bytesOf(`<svg xmlns="http://www.w3.org/2000/svg" ${root}>${inside}</svg>`));
  return picture.format === 'svg' ? picture.hazard : 'no SVG';
};
const rect = '<rect width="512" height="512"/>';
const nested = (times: number, attributes: string, inside = rect) =>
  `<g ${attributes}>`.repeat(times) + inside + '</g>'.repeat(times);
const filtered = (steps: string, region = '') =>
  `<filter id="f" ${region}>${steps}</filter><g filter="url(#f)">${rect}</g>`;

/** Edges from top to bottom, each of which crosses many others. */
const crossing = (count: number, height: number) =>
  Array.from(
    { length: count },
    (_, n) => `L${((n * n * 79) % 512) * (height / 512)} ${(n % 2) * height}`,
  ).join('');

describe('a small drawing that is expensive to draw', () => {
  it.each([
    // 581 bytes that took Chromium 11 seconds.
    [
      'nested blurs',
      `<filter id="f"><feGaussianBlur stdDeviation="50"/></filter>${nested(12, 'filter="url(#f)"')}`,
    ],
    ['nested CSS blurs', nested(12, 'style="filter:blur(50px)"')],
    [
      'several CSS shadows of one element',
      nested(1, `style="filter:${'drop-shadow(9px 9px 9px red) '.repeat(8)}"`),
    ],
    ['several shadows in one filter', filtered('<feDropShadow/>'.repeat(12))],
    [
      'steps that each use the previous step twice',
      filtered(
        Array.from({ length: 20 }, (_, i) => `<feBlend in="r${i}" in2="r${i}" result="r${i + 1}"/>`).join(''),
      ),
    ],
    ['shadows by a class', `<style>.a{filter:drop-shadow(0 0 99px red)}</style>${nested(8, 'class="a"')}`],
    [
      'a matrix of 400 numbers',
      filtered(`<feConvolveMatrix order="20" kernelMatrix="${'1 '.repeat(400)}"/>`),
    ],
    ['a brush of 100 pixels', filtered('<feMorphology operator="dilate" radius="100"/>')],
    [
      'lights',
      `<filter id="f"><feSpecularLighting><fePointLight/></feSpecularLighting></filter>${`<g filter="url(#f)">${rect}</g>`.repeat(9)}`,
    ],
    [
      'gradients on top of each other',
      `<linearGradient id="g"/>${'<rect width="512" height="512" fill="url(#g)"/>'.repeat(1_000)}`,
    ],
    ['masks', `<mask id="m">${rect}</mask>${`<g mask="url(#m)">${rect}</g>`.repeat(200)}`],
    ['layers', `<g style="mix-blend-mode:hue">${rect}</g>`.repeat(400)],
    ['dashes of almost no length', '<path stroke="red" stroke-dasharray=".001" d="M0 0L512 512"/>'],
    ['edges from top to bottom', `<path d="M0 0${'L512 512L3 0'.repeat(20_000)}"/>`],
    ['letters', `<text>${'W'.repeat(20_000)}</text>`],
    ['a filter that is inherited', `<g style="filter:blur(9px)"><g filter="inherit">${rect}</g></g>`],
    [
      'shapes enlarged by slice',
      `<linearGradient id="g"/>${'<rect width="1" height="1" fill="url(#g)"/>'.repeat(1_000)}`,
      'width="9" height="9" viewBox="0 0 1 512" preserveAspectRatio="xMidYMid slice"',
    ],
    [
      'shapes enlarged by CSS',
      `<linearGradient id="g"/><style>rect{transform:scale(512)}</style>${'<rect width="1" height="1" fill="url(#g)"/>'.repeat(1_000)}`,
    ],
    [
      'blurs in regions far larger than the picture',
      `<filter id="f" x="-3" y="-3" width="7" height="7"><feGaussianBlur stdDeviation="150"/></filter>${`<g filter="url(#f)">${rect}</g>`.repeat(2)}`,
    ],
    [
      'noise in an invisible tile',
      filtered('<feTurbulence baseFrequency=".7"/><feTile/>', 'x="-3" y="-3" width="7" height="7"'),
    ],
    ['edges that cross', `<path d="M0 0${crossing(4_000, 512)}"/>`],
    ['edges that cross, even-odd', `<path fill-rule="evenodd" d="M0 0${crossing(1_200, 512)}"/>`],
    [
      'edges that cross, enlarged by a symbol',
      `<symbol id="s" viewBox="0 0 1 1"><path d="M0 0${crossing(4_000, 1)}"/></symbol><use href="#s" width="512" height="512"/>`,
    ],
    [
      'edges that cross, enlarged by a copy',
      `<defs><path id="s" d="M0 0${crossing(4_000, 1)}"/></defs><use href="#s" transform="scale(512)"/>`,
    ],
    [
      'edges that cross, enlarged by the element that they clip',
      `<clipPath id="s" clipPathUnits="objectBoundingBox"><path d="M0 0${crossing(4_000, 1)}"/></clipPath><g clip-path="url(#s)">${rect}</g>`,
    ],
    [
      'edges that cross, in a mask with a tiny transform',
      `<mask id="s" transform="scale(.001)"><path d="M0 0${crossing(4_000, 512)}"/></mask><g mask="url(#s)">${rect}</g>`,
    ],
    [
      'edges that cross, in a picture with a huge transform',
      `<path d="M0 0${crossing(4_000, 1)}"/>`,
      'viewBox="0 0 512 512" transform="scale(512)"',
    ],
    [
      'edges that cross, in a picture of inches',
      `<path transform="translate(20 20)" d="M0 0${crossing(4_000, 512)}"/>`,
      'width="10in" height="10in"',
    ],
    [
      'edges that cross, beside a picture of inches by pixels',
      `<path transform="translate(600 0)" d="M0 0${crossing(4_000, 512)}"/>`,
      'width="96px" height="96in" viewBox="0 0 512 512"',
    ],
    [
      'tiny blurs',
      `<filter id="f"><feGaussianBlur stdDeviation="1"/></filter>${'<g filter="url(#f)"><path d="M9 9h3v3z"/></g>'.repeat(700)}`,
    ],
    [
      'tiny masks',
      `<mask id="m">${rect}</mask>${'<g mask="url(#m)"><path d="M9 9h3v3z"/></g>'.repeat(2_000)}`,
    ],
    [
      'layers of two corners',
      '<g opacity=".5"><path d="M0 0h3v3z"/><path d="M500 500h3v3z"/></g>'.repeat(800),
    ],
    [
      'layers of a wide line',
      `<g stroke="red" stroke-width="512">${'<g opacity=".5"><path d="M0 256h512"/></g>'.repeat(300)}</g>`,
    ],
    [
      'tiny shapes of patterns with large tiles',
      `<pattern id="p" width="2000" height="2000" patternUnits="userSpaceOnUse"><rect width="2000" height="2000"/></pattern>${'<path fill="url(#p)" d="M9 9h3v3z"/>'.repeat(30)}`,
    ],
    [
      'blurs of shapes that their regions cut',
      `<filter id="f" filterUnits="userSpaceOnUse" x="0" y="0" width="512" height="512"><feGaussianBlur stdDeviation="100"/></filter>${'<g filter="url(#f)"><rect x="-500" y="-500" width="1512" height="1512"/></g>'.repeat(4)}`,
    ],
    [
      'blurs of a part of a shape whose arc only seems larger',
      `<filter id="f" x="0" width=".4"><feGaussianBlur stdDeviation="60"/></filter>${'<path filter="url(#f)" d="M0 0h512v512H0zA1000000 1000000 0 0 1 0 1"/>'.repeat(20)}`,
    ],
    ['nested layers', nested(50, 'opacity=".9"').repeat(3)],
    [
      'many selectors for many elements',
      `<style>${'a g,'.repeat(5_000)}b{fill:red}</style>${'<g/>'.repeat(9_000)}`,
    ],
  ])('is refused: %s', (_what, inside, root?: string) =>
    expect(hazardOf(inside, root)).toMatch(/^line \d+ has content that takes too long to draw/),
  );

  it.each([
    ['an animated rule', '<style>@keyframes a{to{opacity:0}}g{fill:red}</style>', 'animation'],
    ['an animated style', '<g style="animation:a 1s infinite"/>', 'the CSS property "animation"'],
    ['a backdrop filter', '<g style="backdrop-filter:blur(9px)"/>', 'the CSS property "backdrop-filter"'],
    [
      'a filter in a variable',
      '<g style="--a:blur(99px);filter:var(--a)"/>',
      'a CSS function in a CSS variable',
    ],
    ['sibling selectors', '<style>a~b~c{fill:red}</style>', 'the sibling of an element'],
  ])('is refused for %s', (_what, inside, why) => expect(hazardOf(inside)).toContain(why));

  // Parts of flags, signs and logos as graphics programs write them: each was once refused, although it draws quickly.
  it.each([
    [
      'a coat of arms with enlarged copies',
      `<path id="a" d="M9 9${'l7 6l-9 4'.repeat(60)}"/><g transform="scale(1.8 1.1)">${'<g transform="scale(1.3)"><use href="#a"/></g>'.repeat(20)}</g>`,
    ],
    [
      'copies beside each other, with a gradient and opacity',
      `<linearGradient id="g"/><g id="c" opacity=".9"><path id="b" fill="url(#g)" d="M9 500h400v4H9z"/>${[1, 2, 3].map((y) => `<use y="-${y}" href="#b"/>`).join('')}</g>${[1, 2, 3, 4, 5].map((y) => `<use y="-${y}0" href="#c"/>`).join('')}`,
    ],
    [
      'long outlines with thin strokes, in which only few strokes are wide',
      `<path stroke="red" stroke-width="40" d="M0 58h512"/>${`<path stroke="#000" stroke-width=".3" d="M40 40${'l3 9l-2-9'.repeat(120)}"/>`.repeat(9)}`,
    ],
    [
      'many small parts, each with the same mask, which has a filter',
      `<filter id="f" width="1" height="1" x="0" y="0"><feColorMatrix values="0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 0 0 0 1 0"/></filter><rect id="r" width="512" height="512"/><mask id="m"><g filter="url(#f)"><use href="#r" fill-opacity=".3"/></g></mask><clipPath id="c"><use href="#r"/></clipPath>${'<g id="p" clip-path="url(#c)"><path d="M90 90h60v9h-60z"/></g><use href="#p" mask="url(#m)"/>'.repeat(20)}`,
    ],
    [
      'blurred spots in regions much larger than the spots',
      `<filter id="f" width="4" height="4" x="-2" y="-2"><feGaussianBlur stdDeviation="4.6"/></filter><mask id="m"><path d="M0 0h62v47H0z"/></mask><g mask="url(#m)" transform="translate(16 109)scale(6.3)">${[0, 8, 16, 24, 32, 40, 48, 56, 62, 5, 12, 20].map((x) => `<g filter="url(#f)"><ellipse cx="${x}" cy="20" rx="5" ry="25" transform="rotate(38 ${x} 20)"/></g>`).join('')}</g>`,
    ],
    [
      'blurred spots in regions six times as large',
      `<filter id="f" width="6" height="6" x="-3" y="-3"><feGaussianBlur stdDeviation="4.6"/></filter><g transform="translate(16 109)scale(6.3)">${[5, 12, 20, 28, 36, 44, 50, 56, 8, 16, 24, 32].map((x) => `<g filter="url(#f)"><ellipse cx="${x}" cy="24" rx="3.7" ry="6.3" transform="rotate(-45 ${x} 24)"/></g>`).join('')}</g>`,
    ],
    [
      'a shadow coloured by feFlood',
      `<filter id="f"><feGaussianBlur in="SourceAlpha" result="b" stdDeviation="64"/><feOffset dx="2" in="b" result="o"/><feFlood flood-color="#ccc" result="c"/><feComposite in="c" in2="o" operator="in"/></filter>${[40, 200, 260, 330].map((y) => `<path filter="url(#f)" d="M100 ${y}h300v60H100z"/>`).join('')}`,
    ],
  ])('is accepted: %s', (_what, inside) => expect(hazardOf(inside)).toBeUndefined());

  it.each([
    ['the same rect a hundred times', rect.repeat(100)],
    ['many small shapes', '<path d="M1 1h3v3z" fill="red"/>'.repeat(5_000)],
    ['a shadow', filtered('<feDropShadow stdDeviation="4"/>')],
    [
      'many blurs of a small shape',
      `<filter id="f" filterUnits="userSpaceOnUse" x="0" y="0" width="40" height="40"><feGaussianBlur stdDeviation="1"/></filter>${'<g filter="url(#f)"><path d="M0 0h30v30z"/></g>'.repeat(60)}`,
    ],
    ['blend modes', nested(3, 'style="mix-blend-mode:multiply;isolation:isolate"')],
    [
      'a copy of a shape of 2,000 short edges',
      `<path id="a" d="M0 0${'l1 1l1-1'.repeat(1_000)}"/><use href="#a" y="9"/>`,
    ],
    [
      'an outline of 2,000 short arcs',
      `<path fill-rule="evenodd" d="M0 256${'a90 90 0 0 1 .3 0'.repeat(1_500)}z"/>`,
    ],
    [
      'a blurred shape in a drawing without a size',
      '<filter id="f"><feGaussianBlur stdDeviation="3"/></filter><path filter="url(#f)" d="M9 9h300v300z"/>',
      '',
    ],
    ['a dashed line', '<path stroke="red" stroke-dasharray="4 2" d="M0 0L512 512"/>'],
    ['a colour in a variable', '<g style="--a:#123;fill:var(--a)"/>'],
  ])('is accepted: %s', (_what, inside, root?: string) => expect(hazardOf(inside, root)).toBeUndefined());
});

describe('a text that is expensive to read', () => {
  const cpuMs = (work: () => void) => {
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
  const megabyte = 1_000_000;

  // 80 KB of the first took 25 seconds: quadratic reading would take more than an hour for each of these.
  it.each([
    '[',
    '[a]',
    '(',
    ':not(',
    'a[b',
    '/*',
    '"',
    'a,',
    'url(#a',
    'RL(#\u0020)/*',
    'a:b;',
    '{',
    '--a:',
    'blur(1px) ',
  ])('takes bounded time: a megabyte of %j in a style sheet, an attribute and a filter', DEEP, (piece) => {
    const text = piece.repeat(megabyte / piece.length);
    const time = cpuMs(() => {
      hazardOf(`<style>${text}{mask:url(#m)}</style>`);
      hazardOf(`<g style='${text.replaceAll("'", '')}'/>`);
      hazardOf(`<g filter='${text}' transform='${text}' d='${text}'/>`);
    });
    expect(time).toBeLessThan(10_000);
  });
});
