import { describe, expect, it } from 'vitest';
import { unsafeDeclarationsReason } from '../../src/pictures/css-properties.ts';

describe('a declaration', () => {
  it.each([
    'fill:red;stroke:none',
    '-inkscape-stroke:none;font-variant-ligatures:normal',
    'mix-blend-mode:multiply;isolation:isolate',
    '--colour:rgb(0,0,0);fill:var(--colour)',
    ';;',
    'font-variant-east_asian:normal;-webkit-filter:blur(9px);new-in-css:1',
    '--animation:1',
    'fill:url( "#a:b;c" )',
    'font-family:"animation:x;";/*transition:y;*/fill:red',
    '.a:hover,b:not(.c){fill:red}@media print{.a{stroke:none}}',
    '.z{fill:red;& .a:hover{mask:url(#m)}}',
  ])('is accepted: %s', (style) => expect(unsafeDeclarationsReason(style)).toBeUndefined());

  it.each([
    'animation:turn 1s infinite',
    'animation-name:turn',
    'TRANSITION:fill 1s',
    '-webkit-animation:turn 1s',
    '-moz-transition-duration:1s',
    'fill:red;animation:turn 1s',
    '.a{animation:turn 1s}',
    '.a{fill:red;animation:turn 1s',
    '.z{& .a{fill:red;animation:turn 1s}}',
    '} animation:turn 1s',
  ])('is refused: %s', (style) => expect(unsafeDeclarationsReason(style)).toMatch(/CSS property "/));
});
