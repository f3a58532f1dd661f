import { readSvg } from '../../packages/validator/src/pictures/svg.ts';

// Small SVGs that are expensive to render: each recipe repeats an element as often as the validator accepts.

/** Creates the content of an SVG of 512 by 512 units; `amount` is from 0 to 1, `id` makes its definitions unique. */
type Recipe = (times: number, amount: number, id: string) => string;

const RECT = '<rect width="512" height="512" fill="red"/>';
const SMALL = '<rect x="200" y="200" width="99" height="99" fill="blue"/>';
const REGION = 'filterUnits="userSpaceOnUse" x="0" y="0" width="512" height="512"';

/** The maximum filter region beyond the image. */
const WIDE = 'x="-3" y="-3" width="7" height="7"';

const side = (amount: number, most: number): number => Math.round(1 + amount * (most - 1));
const nest = (times: number, attributes: string, inside: string): string =>
  `<g ${attributes}>`.repeat(times) + inside + '</g>'.repeat(times);
/** A filter, applied repeatedly. */
const filters =
  (steps: (amount: number) => string, region = REGION): Recipe =>
  (times, amount, id) =>
    `<filter id="${id}" ${region}>${steps(amount)}</filter>${`<g filter="url(#${id})">${RECT}</g>`.repeat(times)}`;
/** A filter of many steps. */
const chain =
  (step: (amount: number) => string): Recipe =>
  (times, amount, id) =>
    `<filter id="${id}" ${REGION}>${step(amount).repeat(times)}</filter><g filter="url(#${id})">${RECT}</g>`;
const blur = (amount: number): string => `<feGaussianBlur stdDeviation="${side(amount, 150)}"/>`;
const gradient = (kind: string, attributes: string, id: string): string =>
  `<${kind} id="${id}" ${attributes}><stop stop-color="red"/><stop offset="1" stop-color="blue" stop-opacity=".3"/></${kind}>`;
const zigzag = (times: number, step: number): string =>
  `M0 0${Array.from({ length: times }, (_, n) => `L${(n * step) % 512} ${n % 2 === 0 ? 512 : 0}`).join('')}`;
/** Edges as high as the picture, or as one unit, that cross each other. */
const crossing = (times: number, height = 512): string =>
  `M0 0${Array.from({ length: times }, (_, n) => `L${(((n * n * 79) % 512) * height) / 512} ${n % 2 === 0 ? height : 0}`).join('')}`;

/** A tiny shape, each time in another place. */
const tiny = (times: number, use: (shape: string) => string): string =>
  Array.from({ length: times }, (_, n) => use(`<path d="M${(n * 37) % 500} ${(n * 91) % 500}h3v3z"/>`)).join(
    '',
  );

/** Every feature with a cost. */
export const RECIPES: Readonly<Record<string, Recipe>> = {
  blurs: filters(blur),
  'blurs in a default region': filters(blur, ''),
  'blurs in a wide region': filters(blur, WIDE),
  'tiles in a wide region': filters(() => '<feTurbulence baseFrequency=".7"/><feTile/>', WIDE),
  'blurs behind each other': chain(blur),
  'blurs within each other': (times, amount, id) =>
    `<filter id="${id}">${blur(amount)}</filter>${nest(times, `filter="url(#${id})"`, RECT)}`,
  'blurs of CSS within each other': (times, amount) =>
    nest(times, `style="filter:blur(${side(amount, 60)}px)"`, RECT),
  'shadows of CSS': (times, amount) =>
    `<g style="filter:${`drop-shadow(1px 1px ${side(amount, 30)}px red) `.repeat(times)}">${SMALL}</g>`,
  shadows: filters((amount) => `<feDropShadow stdDeviation="${side(amount, 60)}"/>`),
  'shadows behind each other': chain((amount) => `<feDropShadow stdDeviation="${side(amount, 20)}"/>`),
  'inner shadows': filters(
    (amount) =>
      `<feFlood flood-opacity="0" result="b"/><feBlend in="SourceGraphic" in2="b" result="s"/>` +
      `<feColorMatrix in="SourceAlpha" values="0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 127 0" result="h"/><feOffset dx="4"/>` +
      `<feGaussianBlur stdDeviation="${side(amount, 40)}"/><feComposite in2="h" operator="arithmetic" k2="-1" k3="1"/><feBlend in2="s"/>`,
  ),
  noise: filters((amount) => `<feTurbulence baseFrequency=".7" numOctaves="${side(amount, 9)}"/>`),
  lights: filters(() => '<feSpecularLighting><fePointLight x="9" y="9" z="9"/></feSpecularLighting>'),
  brushes: filters((amount) => `<feMorphology operator="dilate" radius="${side(amount, 15)}"/>`),
  matrices: filters(() => '<feConvolveMatrix order="3" kernelMatrix="1 2 1 2 4 2 1 2 1"/>'),
  displacements: filters(() => '<feDisplacementMap in2="SourceGraphic" scale="40"/>'),
  'blends behind each other': chain(() => '<feBlend in2="SourceGraphic" mode="hue"/>'),
  'colours behind each other': chain(() => '<feColorMatrix type="hueRotate" values="40"/>'),
  'colours of CSS within each other': (times) => nest(times, 'style="filter:hue-rotate(40deg)"', RECT),
  rects: (times) => RECT.replace('/>', ' fill-opacity=".5"/>').repeat(times),
  gradients: (times, amount, id) =>
    gradient(amount < 0.5 ? 'radialGradient' : 'linearGradient', 'spreadMethod="reflect"', id) +
    `<rect width="512" height="512" fill="url(#${id})"/>`.repeat(times),
  masks: (times, _amount, id) =>
    `<mask id="${id}">${RECT}</mask>${`<g mask="url(#${id})">${RECT}</g>`.repeat(times)}`,
  'clips of circles': (times, _amount, id) =>
    `<clipPath id="${id}"><circle cx="256" cy="256" r="255"/></clipPath>${`<g clip-path="url(#${id})">${RECT}</g>`.repeat(times)}`,
  'layers within each other': (times) =>
    nest(Math.min(times, 60), 'opacity=".9"', RECT).repeat(Math.ceil(times / 60)),
  'blends within each other': (times) =>
    nest(Math.min(times, 60), 'style="mix-blend-mode:luminosity"', RECT).repeat(Math.ceil(times / 60)),
  'masks within each other': (times, _amount, id) =>
    `<mask id="${id}">${RECT}</mask>${nest(Math.min(times, 60), `mask="url(#${id})"`, RECT).repeat(Math.ceil(times / 60))}`,
  layers: (times) => `<g opacity=".5">${RECT}${SMALL}</g>`.repeat(times),
  'blended layers': (times) => `<g style="mix-blend-mode:luminosity">${RECT}</g>`.repeat(times),
  patterns: (times, amount, id) =>
    `<pattern id="${id}" width="${side(amount, 64)}" height="3" patternUnits="userSpaceOnUse"><circle r="2"/></pattern>` +
    `<rect width="512" height="512" fill="url(#${id})"/>`.repeat(times),
  'edges from top to bottom': (times, amount) => `<path d="${zigzag(times, side(amount, 30))}"/>`,
  'edges that cross': (times) => `<path d="${crossing(times)}"/>`,
  'edges that cross, many times': (times, amount) =>
    `<path d="${crossing(side(amount, 300))}"/>`.repeat(times),
  'edges that cross, even-odd': (times) => `<path fill-rule="evenodd" d="${crossing(times)}"/>`,
  'edges that cross, even-odd, many times': (times, amount) =>
    `<path fill-rule="evenodd" d="${crossing(side(amount, 300))}"/>`.repeat(times),
  'strokes that cross': (times, amount) =>
    `<path fill="none" stroke="red" stroke-linejoin="round" stroke-width="${side(amount, 40)}" d="${crossing(times)}"/>`,
  'a symbol made larger': (times, _amount, id) =>
    `<symbol id="${id}" viewBox="0 0 1 1"><path d="${crossing(times, 1)}"/></symbol><use href="#${id}" width="512" height="512"/>`,
  'a copy made larger': (times, _amount, id) =>
    `<defs><path id="${id}" d="${crossing(times, 1)}"/></defs><use href="#${id}" transform="scale(512)"/>`,
  'a clip in units of what it clips': (times, _amount, id) =>
    `<clipPath id="${id}" clipPathUnits="objectBoundingBox"><path d="${crossing(times, 1)}"/></clipPath><g clip-path="url(#${id})">${RECT}</g>`,
  'strokes from top to bottom': (times, amount) =>
    `<path fill="none" stroke="red" stroke-width="${side(amount, 40)}" d="${zigzag(times, 7)}"/>`,
  circles: (times, amount) =>
    `<circle cx="256" cy="256" r="${side(amount, 256)}" fill-opacity=".4"/>`.repeat(times),
  'circles with strokes': (times, amount) =>
    `<circle cx="256" cy="256" r="${side(amount, 256)}" fill="none" stroke="red"/>`.repeat(times),
  dashes: (times, amount) =>
    `<path fill="none" stroke="red" stroke-dasharray="${(0.1 + amount).toFixed(2)}" d="${zigzag(times, 7)}"/>`,
  letters: (times) => `<text y="400" font-size="400">${'W'.repeat(times)}</text>`,
  'tiny blurs': (times, amount, id) =>
    `<filter id="${id}">${blur(amount / 20)}</filter>${tiny(times, (shape) => `<g filter="url(#${id})">${shape}</g>`)}`,
  'tiny filters of many steps': (times, _amount, id) =>
    `<filter id="${id}">${'<feOffset dx="1"/>'.repeat(20)}</filter>${tiny(times, (shape) => `<g filter="url(#${id})">${shape}</g>`)}`,
  'tiny masks': (times, amount, id) =>
    `<mask id="${id}">${RECT.repeat(side(amount, 5))}</mask>${tiny(times, (shape) => `<g mask="url(#${id})">${shape}</g>`)}`,
  'tiny clips': (times, _amount, id) =>
    `<clipPath id="${id}"><circle r="400"/></clipPath>${tiny(times, (shape) => `<g clip-path="url(#${id})">${shape}</g>`)}`,
  'tiny layers': (times) => tiny(times, (shape) => `<g opacity=".5">${shape}${SMALL}</g>`),
  'layers of two corners': (times) =>
    '<g opacity=".5"><path d="M0 0h3v3z"/><path d="M500 500h3v3z"/></g>'.repeat(times),
  'layers of a wide line': (times) =>
    `<g stroke="red" stroke-width="512">${'<g opacity=".5"><path d="M0 256h512"/><path d="M0 256h512"/></g>'.repeat(times)}</g>`,
  'patterns of large tiles': (times, amount, id) =>
    `<pattern id="${id}" width="${side(amount, 2000)}" height="${side(amount, 2000)}" patternUnits="userSpaceOnUse"><rect width="2000" height="2000"/></pattern>` +
    tiny(times, (shape) => shape.replace('/>', ` fill="url(#${id})"/>`)),
  'blurs of what is larger than the picture': (times, amount, id) =>
    `<filter id="${id}" ${REGION}>${blur(amount)}</filter>${`<g filter="url(#${id})"><rect x="-500" y="-500" width="1512" height="1512"/></g>`.repeat(times)}`,
  'blurs of a part': (times, amount, id) =>
    `<filter id="${id}" ${WIDE}>${blur(amount / 2)}</filter>${`<g filter="url(#${id})"><rect width="330" height="512"/></g>`.repeat(times)}`,
  'small blurs with a large region': (times, amount, id) =>
    `<filter id="${id}" x="-20" y="-20" width="41" height="41">${blur(amount)}</filter>${`<g filter="url(#${id})">${SMALL}</g>`.repeat(times)}`,
  'masks of blurs': (times, amount, id) =>
    `<filter id="b${id}">${blur(amount)}</filter><mask id="${id}"><g filter="url(#b${id})">${RECT}</g></mask>${`<g mask="url(#${id})">${RECT}</g>`.repeat(times)}`,
  'copies of blurs, made larger': (times, amount, id) =>
    `<filter id="b${id}">${blur(amount / 50)}</filter><defs><g id="${id}"><g filter="url(#b${id})"><rect width="10" height="10"/></g></g></defs>` +
    `<use href="#${id}" transform="scale(50)"/>`.repeat(times),
  'copies within copies': (times, amount, id) =>
    `<defs><path id="${id}" d="${crossing(side(amount, 300), 2)}"/><g id="g${id}" transform="scale(16)"><use href="#${id}" transform="scale(16)"/></g></defs>` +
    `<use href="#g${id}"/>`.repeat(times),
  'a mask that says it is small': (times, amount, id) =>
    `<g transform="scale(.001)"><mask id="${id}" transform="scale(.001)"><path fill="#fff" d="${crossing(side(amount, 300))}"/></mask></g>${`<g mask="url(#${id})">${RECT}</g>`.repeat(times)}`,
  'thin strokes that cross': (times, amount) =>
    `<path fill="none" stroke="red" stroke-width="${(amount * 3).toFixed(1)}" d="${crossing(times)}"/>`,
  copies: (times, _amount, id) =>
    `<g id="${id}"><circle r="200" fill-opacity=".5"/></g>${`<use href="#${id}"/>`.repeat(times)}`,
};

const pictureOf = (inside: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512">${inside}</svg>`;

export const isAccepted = (svg: string): boolean => {
  const picture = readSvg(new TextEncoder().encode(svg));
  return picture.format === 'svg' && picture.hazard === undefined;
};

/** The SVG of a recipe repeated as often as the validator accepts; undefined when it is never accepted. */
export function costliest(recipe: (times: number) => string): string | undefined {
  const make = (times: number): string => pictureOf(recipe(times));
  let [accepted, refused] = [0, 1];
  while (refused <= 16_384 && isAccepted(make(refused))) [accepted, refused] = [refused, refused * 2];
  while (refused - accepted > Math.max(1, accepted / 50)) {
    const middle = Math.floor((accepted + refused) / 2);
    if (isAccepted(make(middle))) accepted = middle;
    else refused = middle;
  }
  return accepted === 0 ? undefined : make(accepted);
}

/** A composition of random recipes, side by side or nested. */
export function composition(random: () => number): { what: string; svg: string | undefined } {
  const names = Object.keys(RECIPES);
  const parts = Array.from({ length: 1 + Math.floor(random() * 3) }, (_, n) => ({
    name: names[Math.floor(random() * names.length)] as string,
    share: n === 0 ? 1 : random() / 2,
    amount: random() ** 2,
  }));
  const inside = (times: number): string =>
    parts
      .map(({ name, share, amount }, n) => RECIPES[name]?.(Math.ceil(times * share), amount, `i${n}`) ?? '')
      .join('');
  const around = random();
  const wrap = (text: string): string =>
    around < 0.2
      ? `<g opacity=".7">${text}</g>`
      : around < 0.35
        ? `<g style="filter:blur(3px)">${text}</g>`
        : text;
  const what =
    parts.map(({ name }) => name).join(', ') +
    (around < 0.2 ? ', in a layer' : around < 0.35 ? ', blurred' : '');
  return { what, svg: costliest((times) => wrap(inside(times))) };
}
