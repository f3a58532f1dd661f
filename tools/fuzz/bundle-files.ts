import { packBundle } from '@svc/bundle';
import { png, pngChunk, sampleFiles, sampleManifest } from '@svc/testkit';
import { validateBundle } from '@svc/validator';
import fc from 'fast-check';
import { edited, joined } from './edits.ts';
import { type Part, promiseSoundIssues } from './promise.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

const SVGS = [
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M4 4h16v16H4z"/></svg>\n',
  `<?xml version="1.0"?><!-- c --><svg xmlns="http://www.w3.org/2000/svg" width="512" height="512px"><style>
   .a { fill: url(#g); } /* c */ @media (x) { b { color: red } }</style><defs><linearGradient id="g"><stop offset="0"/>
   </linearGradient></defs><g style="fill: red"><use href="#g"/><text x="1">&lt;a&#65;</text></g></svg>`,
].map(encode);
const SVG_TOKENS = [
  ...[
    '<',
    '>',
    '/>',
    '</g>',
    '<g>',
    '"',
    "'",
    '=',
    '&',
    '&#',
    '&#x110000;',
    '&lol;',
    '<!--',
    '-->',
    '<![CDATA[',
    ']]>',
  ],
  ...[
    '<!DOCTYPE svg [<!ENTITY a "b">]>',
    '<?',
    '?>',
    ' onload="x"',
    '<script>',
    ' href="javascript:a"',
    'xlink:href=',
  ],
  ...[
    '<foreignObject>',
    'url(//a)',
    '@import',
    '\\75rl(',
    'data:image/svg+xml,',
    '\ufeff',
    '\0',
    'xmlns="x"',
    '{',
    '}',
    ';',
  ],
  ...[
    '<g>'.repeat(300),
    'a="b" '.repeat(300),
    '<a '.repeat(300),
    '&amp;'.repeat(300),
    '{'.repeat(300),
    '('.repeat(300),
  ],
];

const RASTERS = [
  png(512),
  png(256, 100),
  Uint8Array.from(
    Buffer.from(
      'ffd8ffe000104a46494600010100000100010000ffc0000b080200020001011100ffda0008010100003f00d2cfffd9',
      'hex',
    ),
  ),
  Uint8Array.from(Buffer.from('524946461a000000574542505650384c0d0000002fff81ff0000000000000000', 'hex')),
  Uint8Array.from(
    Buffer.from('52494646160000005745425056503858 0a00000010000000ff0100ff0100'.replace(' ', ''), 'hex'),
  ),
];
const RASTER_TOKENS = [
  ...['IHDR', 'IEND', 'acTL', 'VP8X', 'VP8 ', 'ANIM', 'RIFF'],
  ...[
    [0xff, 0xc0],
    [0xff, 0xd8],
    [0xff, 0xd9],
    [0xff, 0xff, 0xff, 0xff],
    [0, 0, 0, 0],
    [0x7f, 0xff, 0xff, 0xff],
    [0xff, 0xc2, 0, 2],
  ].map((bytes) => Uint8Array.from(bytes)),
  pngChunk('tEXt', encode('a\0b')),
  pngChunk('IDAT'),
];

const SCRIPTS = [
  'export function add(a, b) {\n  // adds\n  return a + b;\n}\nconst text = `a`;\nconst re = /[/\\]]+/g;\n',
  `const _0x1a2b=['\\x61','\\x62'];(function(_0x3c,_0x4d){while(!![]){_0x3c.push(_0x3c.shift());}}(_0x1a2b,0x1f));`.repeat(
    9,
  ),
].map(encode);
const SCRIPT_TOKENS = [
  ...[
    '(',
    ')',
    '{',
    '}',
    '[',
    ']',
    '`',
    '${',
    "'",
    '"',
    '/',
    '//',
    '/*',
    '*/',
    '\\',
    '\\u{110000}',
    '#!',
    '<!--',
    '=>',
    '...',
  ],
  ...[
    'eval(',
    'atob("',
    'Function(',
    '_0x1f',
    '\\x41',
    'A'.repeat(5_000),
    '('.repeat(2_000),
    '`${'.repeat(500),
    '/'.repeat(2_000),
  ],
  ...[
    '[]'.repeat(1_000),
    '!![]+'.repeat(500),
    '\\'.repeat(2_000),
    ';'.repeat(5_000),
    '\u2028',
    '\0',
    '\ufeff',
  ],
];

const PAGES = [
  '<!doctype html><html><head><script src="a.js"></script><style>b{}</style></head><body onload="x()">a</body></html>',
].map(encode);
const STYLES = [
  'a { color: red; background: url("a.png") } @media print { b::after { content: "\\201c" } }',
].map(encode);

/** A file of a bundle that the validator reads, with its path. */
const file: fc.Arbitrary<[string, Uint8Array]> = fc.oneof(
  fc.tuple(fc.constantFrom('assets/mark.svg', 'assets/icon.svg'), edited(SVGS, SVG_TOKENS)),
  fc.tuple(
    fc.constantFrom('assets/icon.png', 'assets/1.png', 'assets/1.jpg', 'assets/1.webp'),
    edited(RASTERS, RASTER_TOKENS),
  ),
  fc.tuple(fc.constantFrom('ui/a.js', 'ui/b.mjs'), edited(SCRIPTS, SCRIPT_TOKENS)),
  fc.tuple(fc.constant('ui/index.html'), edited([...PAGES, ...SCRIPTS], [...SVG_TOKENS, ...SCRIPT_TOKENS])),
  fc.tuple(fc.constant('ui/a.css'), edited(STYLES, SVG_TOKENS)),
  fc.tuple(
    fc.constantFrom('README.md', 'CHANGELOG.md', 'a.exe', 'ui/x.wasm'),
    edited([...RASTERS, ...PAGES], RASTER_TOKENS),
  ),
);

/** A bundle that refers to images of every kind, with one or two files replaced. */
function bundleWith(files: readonly [string, Uint8Array][]): Map<string, Uint8Array> {
  const icon = files.some(([path]) => path === 'assets/icon.svg') ? 'assets/icon.svg' : 'assets/icon.png';
  const screenshots = files.map(([path]) => path).filter((path) => path.startsWith('assets/1.'));
  const manifest = sampleManifest({
    branding: { icon, mark: 'assets/mark.svg', accent: '#336699', screenshots },
  });
  return new Map([...sampleFiles(manifest), ...files]);
}

/** Files of a bundle: images, scripts, pages, styles. */
export const bundleFiles: Part<[string, Uint8Array][]> = {
  name: 'files',
  inputs: fc.array(file, { minLength: 1, maxLength: 2 }),
  check: (files) => {
    const { issues } = validateBundle(bundleWith(files), { mode: 'store', size: 1_000 });
    promiseSoundIssues(issues);
  },
  toFile: (files) => joined(packBundle(bundleWith(files))),
};
