import { describe, expect, it } from 'vitest';
import { unsafeCssReason, unsafeDeclarationsReason } from '../../src/pictures/svg-css.ts';
import { cpuMs } from '../support.ts';

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

describe('unsafeCssReason', () => {
  it.each([
    '',
    '.st0{fill:#231F20;stroke:none}',
    '.a { fill: url(#SVGID_1_) } .b { filter: url( "#f" ); mask: URL(\'#m\') }',
    '/* url(https://example.com) @import expression( */ path { d: none }',
    '/***/a{}/**/',
    '.a::after { content: "url(x) /* @import" }',
    "text { font-family: 'Open Sans', sans-serif }",
    '@media (prefers-color-scheme: dark) { path { fill: rgb(0, 0, 0) } }',
    '.image:not(.a, #b) { x: y } .url:hover { x: y }',
    '@media screen and (min-width: 1px) { a { x: calc(1px + 2%) } }',
    'transform: rotate(1) translate(1px, 2px) matrix(1 0 0 1 0 0)',
    'fill: rgba(0, 0, 0, .5)',
    'fill:color(display-p3 1 0 0);--expression:1',
  ])('accepts %j', (css) => expect(unsafeCssReason(css)).toBeUndefined());

  it.each([
    '@import "https://example.com/a.css";',
    '@keyframes turn { to { transform: rotate(1turn) } }',
    '@-webkit-keyframes turn {}',
    '@property --a {}',
    'src: local(Arial)',
    'background: linear-gradient(red, blue)',
    'transform: rotate3d(1, 1, 1, 1turn)',
    'animation-timing-function: cubic-bezier(0, 0, 1, 1)',
    '@IMPORT url(a.css);',
    '@namespace url(http://www.w3.org/1999/xhtml);',
    '@font-face { src: url(https://example.com/a.woff) }',
    '@document url-prefix("") {}',
    'fill: url(https://example.com/#a)',
    'fill: url("https://example.com/")',
    "fill: URL( '//example.com' )",
    'fill: url(javascript:alert(1))',
    'fill: url(data:image/svg+xml,%3Csvg/%3E)',
    'fill: url( a.svg#b)',
    'fill: url(#a b)',
    'fill: url(#a',
    'fill: url("#a" b)',
    'fill: url(#a(b)',
    'fill: url()',
    'fill: \\75rl(https://example.com)',
    'fill: u\\rl(https://example.com)',
    '@\\69mport "a"',
    'width: expression(alert(1))',
    'width: EXPRESSION (alert(1))',
    'width: exp/**/ression(alert(1)); background: url/**/(x); x: url(//x)',
    'cursor: image-set("https://example.com/a" 1x)',
    'cursor: -webkit-image-set(url(#a) 1x)',
    'mask: -webkit-cross-fade(#a, #b)',
    'mask: image("https://example.com/a.png")',
    'background: src("https://example.com/a.png")',
    'background: -moz-element(#a)',
    'background: paint(worklet)',
    'behavior: url(#default#time2)',
    'content: "/*"; fill: url(//example.com); content: "*/"',
    '/* "*/ fill: url(//example.com) /*" */',
    'content: "\n"; fill: none',
    'content: "a',
    "content: 'a",
    '/* a',
    '/*/',
    'a{} </style><script>alert(1)</script>',
    '<!-- a{} -->',
  ])('refuses %j', (css) => expect(unsafeCssReason(css)).toMatch(/^\S/));

  it.each([
    '/*',
    '/**',
    '"',
    "'",
    'a',
    '-',
    '@',
    'a(',
    'url(#',
    'url( ',
    ' ',
    'url(#a)',
    'a (',
    '/*a*/',
    '"" ',
  ])('reads a megabyte of %j in bounded time', (piece) => {
    const start = cpuMs();
    unsafeCssReason(piece.repeat(1_000_000 / piece.length));
    expect(cpuMs() - start).toBeLessThan(10_000);
  });
});
