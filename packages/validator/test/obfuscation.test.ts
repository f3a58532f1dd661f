import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEEP, runs } from '@svc/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { A_WORD, FEATURES, FLAGGED, obfuscationOf, reasonsFor, WORDS } from '../src/obfuscation.ts';
import { KIN, obfuscate } from './disguises.ts';
import { cpuMs } from './support.ts';

const ROOT = join(import.meta.dirname, '../../..');
const MODULES = join(ROOT, 'node_modules');
/** Published bundles, minified by uglify, terser, rollup and esbuild, that are installed with other packages. */
const LIBRARIES = [
  'acorn/dist/acorn.js',
  'chance/dist/chance.min.js',
  'class-validator/bundles/class-validator.umd.min.js',
  'fflate/umd/index.js',
  'json5/dist/index.min.js',
  'libphonenumber-js/bundle/libphonenumber-max.js',
  'pako/dist/pako.min.js',
  'reflect-metadata/Reflect.js',
  'validator/validator.min.js',
  'zod/v3/types.js',
].filter((name) => existsSync(join(MODULES, name)));
const library = (name: string): string => readFileSync(join(MODULES, name), 'utf8');

/** A typical panel script, with strings, members, numbers and conditions. */
const PANEL = `
function greet(name, times) {
  const greeting = 'hello ' + name;
  for (let count = 0; count < times; count += 1) {
    console.log(greeting, count * 16);
    document.getElementById('notes').textContent = greeting.toUpperCase();
  }
  return { greeting: greeting, done: true, at: Date.now() };
}
const button = document.querySelector('#start');
button.addEventListener('click', function () {
  const result = greet(window.location.hash.slice(1), 3);
  if (result.done === true && result.greeting.length > 5) {
    fetch('/api/notes', { method: 'POST', body: JSON.stringify(result) });
  } else {
    button.setAttribute('title', 'nothing to do');
  }
});
`;

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const check = (text: string, name = 'ui/app.js') => obfuscationOf({ name, bytes: encode(text) });

/** One setting for each technique of javascript-obfuscator. */
const TRIED = [
  'default',
  'high',
  'without a table',
  'short names alone',
  'table, shuffled names',
  'rc4',
  'table as it is',
  'wrapped in functions',
  'flattened control flow',
  'dead code',
  'self-defending',
  'split strings',
  'unicode escapes',
  'numbers as sums',
  'not compact',
];

describe('obfuscationOf', () => {
  it.each(TRIED)('detects javascript-obfuscator: %s', (setting) => {
    expect(check(obfuscate(PANEL, setting, 7))?.points).toBeGreaterThanOrEqual(FLAGGED);
  });

  it.each(Object.entries(KIN))('detects a similar tool: %s', (_name, disguise) => {
    expect(check(disguise(PANEL))?.points).toBeGreaterThanOrEqual(FLAGGED);
  });

  it.each(LIBRARIES)('accepts a published library: %s', (name) => {
    expect(check(library(name))).toBeUndefined();
  });

  it('is tested with at least 7 libraries', () => expect(LIBRARIES.length).toBeGreaterThanOrEqual(7));

  it.each([
    ['an empty script', ''],
    ['plain script', PANEL],
    ['a queue', 'const names = ["a", "b"]; names.push(names.shift());'.repeat(40)],
    ['hexadecimal numbers', 'const mask = 0xdeadbeef ^ 0x1f; const low = bytes[0] & 0x0f;'.repeat(40)],
    ['big integers', 'const _0x71n = /* @__PURE__ */ BigInt(0x71);'.repeat(40)],
    ['control characters and ranges', 'const r = /[\\x00-\\x1f\\x7f-\\x9f\\u200b-\\u200f]/;'.repeat(40)],
    ['decoding without running', `const wasm = atob("${'AGFzbQEAAAAB'.repeat(400)}");`],
    ['an evaluated expression', 'const f = new Function("a", "return a + 1"); f(eval("1 + 1"));'],
    ['modules of a development build', `eval("${'const a = require(\\"./a.js\\");\\n'.repeat(40)}");`],
    ['a table of texts', `const words = [${Array.from({ length: 500 }, (_, at) => `"word${at}"`)}];`],
    ['a table of half-width kana', `const kana = "${'ｱｲｳｴｵﾞﾟ'.repeat(300)}";`],
    ['an enumeration', 'E[E["Left"] = 0] = "Left"; E[E["Right"] = 1] = "Right";'.repeat(60)],
    ['names that are quoted for a compiler', 'exports["default"] = a["then"](b["x-y"]);'.repeat(5)],
  ])('accepts %s', (_what, text) => expect(check(text)).toBeUndefined());

  it('detects obfuscated code inside a large plain script', () => {
    const innocent = library('acorn/dist/acorn.js').repeat(5);
    for (const setting of ['short names alone', 'table, short names', 'default']) {
      const hidden = obfuscate(PANEL, setting, 3);
      for (const before of [0, 8_000, 100_003, 700_001]) {
        const text = `${innocent.slice(0, before)}\n;${hidden};\n${innocent.slice(before)}`;
        expect(check(text)?.points, `${setting} at ${before}`).toBeGreaterThanOrEqual(FLAGGED);
      }
    }
  });

  it('detects a long text that is decoded far from where it is run', () => {
    expect(check(`var d=atob("${'QUJD'.repeat(20_000)}");eval(d)`)).toBeDefined();
  });

  it('reads pages and SVGs, in which characters can be references', () => {
    const hidden = "eval(atob('YWxlcnQoMSk='));";
    expect(check(`<p>a</p><script>${hidden}</script>`, 'ui/a.html')).toBeDefined();
    expect(check(`<svg><script><![CDATA[${hidden}]]></script></svg>`, 'ui/a.svg')).toBeDefined();
    for (const reference of [(code: number) => `&#${code};`, (code: number) => `&#x${code.toString(16)};`]) {
      const references = [...hidden].map((letter) => reference(letter.charCodeAt(0))).join('');
      expect(check(`<svg><script>${references}</script></svg>`, 'ui/a.svg')).toBeDefined();
      expect(check(`<p onclick="${references}">a</p>`, 'ui/a.html')).toBeDefined();
      expect(check(references, 'ui/a.js')).toBeUndefined();
    }
  });

  it('reads UTF-16 after a byte order mark, as browsers do', () => {
    const text = `\ufeff${obfuscate(PANEL, 'default', 3)}`;
    const little = new Uint8Array(Uint16Array.from(text, (letter) => letter.charCodeAt(0)).buffer);
    expect(obfuscationOf({ name: 'a.js', bytes: little })).toBeDefined();
    const big = Uint8Array.from(little, (_, at) => little[at ^ 1] ?? 0);
    expect(obfuscationOf({ name: 'a.js', bytes: big })).toBeDefined();
  });

  it('gives three reasons, and the sum of all evidence as its points', () => {
    const score = check(obfuscate(PANEL, 'default', 3));
    if (score === undefined) throw new Error('not seen');
    expect(reasonsFor(score).split('; ')).toHaveLength(3);
    expect(reasonsFor(score)).toMatch(/names like `_0x1a2b` \(\d+\)/);
    expect(score.points).toBeCloseTo(score.evidence.reduce((sum, { points }) => sum + points, 0));
  });
});

/** For each feature, code that has it, and similar code that people or minifiers write. */
const SAMPLES: readonly (readonly [disguised: string, plain: string])[] = [
  ['var _0x1a2b3c, a0 = _0x4d5e;', 'var _0, x1a2b3c, _0x71n;'],
  ['lIl1lI', 'ill, O0, lll'],
  ['($.___ + $._$_ + ___)', '$ + _ + $$ + __'],
  ['(ﾟДﾟ)', '"ﾟДﾟ"'],
  ["a['length']", "a['width']"],
  ["a['colour']", 'a.colour'],
  ["a['colour']", "a['x-y']"],
  ["window['al' + 'ert']", "window['al' + name]"],
  ["'hel' + 'lo'", "'hello' + name"],
  ['a[f(0x1f)]', 'a[f(31)]'],
  ['f(0x1f)', 'f(31)'],
  ["{ ['key']: 1 }", '{ [key]: 1 }'],
  ["{ 'key': 1 }", '{ key: 1 }'],
  ['!![]', '[]'],
  ['+[]', '+[1]'],
  ['f(0x1)', 'f(1)'],
  ['f(0x1f)', 'f(1)'],
  ["'\\x61\\x6c\\x65'", "'\\x1b[0m'"],
  ['"\\x61"'.replace('\\x61', '\\x61'.repeat(40)), '/[\\x61-\\x7a]/'],
  ["'a\\x20b'", '/[\\x20-\\x7e]/'],
  [
    "'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/='",
    "'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/='",
  ],
  ['parseInt(a(0x1a)) / 0x1', 'parseInt(a) / 2'],
  ["a['push'](a['shift']())", 'a.push(b)'],
  ['f = function () { return t; }; return f();', 'f = function () { return t; }; g();'],
  ["'2|0|1'.split('|')", "'a|b'.split('|')"],
  ['while (!![]) { switch (s[i++]) {', 'for (;;) { switch (kind) {'],
  ["{ 'abcde': function (a, b) { return a + b; } }", '{ add: function (a) { return a + 1; } }'],
  ["'abc' === 'def'", "a === 'def'"],
  ["'(((.+)+)+)+$'", "'(.+)$'"],
  ['var [a, b] = arguments;', 'var [a, b] = list;'],
  ["window['eval'](atob(a))", 'atob(a); JSON.parse(atob(b))'],
  ['document.write(unescape(a))', 'document.write(a)'],
  ['eval(function (p, a, c, k, e, d) { return p; }(1))', '(function (p) { return p; })(1)'],
  [`eval('${'a();'.repeat(100)}')`, "eval('a()')"],
  ["a.split('').reverse().join('')", "a.split(' ').reverse().join(' ')"],
  ['eval(a)', "eval('1 + 1'); f(a)"],
  [`atob('${'AAAA'.repeat(50)}')`, "atob('AAAA')"],
  ["'} 1 nruter { )(f noitcnuf'", "'function f() { return 1 }'"],
];

describe('the features', () => {
  it('each have samples', () => expect(SAMPLES).toHaveLength(FEATURES.length));

  it('need what each occurrence has: their patterns are not tried in a tile without it', () => {
    const disguised = [
      ...TRIED.map((setting) => obfuscate(PANEL, setting, 5)),
      ...Object.values(KIN).map((kin) => kin(PANEL)),
    ];
    const samples = [
      ...SAMPLES.map(([sample]) => `${sample};`.repeat(3)),
      ...disguised,
      ...LIBRARIES.map(library),
    ];
    const has = (occurrence: string, needs: (typeof FEATURES)[number]['needs']) =>
      needs === A_WORD
        ? WORDS.test(occurrence)
        : needs.length === 0 ||
          needs.some((pair) => occurrence.includes(String.fromCharCode(pair >> 8, pair & 0xff)));
    for (const { pattern, needs, says } of FEATURES) {
      const occurrences = samples.flatMap(
        (text) => Buffer.from(text).toString('latin1').match(pattern) ?? [],
      );
      expect.soft(occurrences, says).not.toEqual([]);
      expect
        .soft(
          occurrences.filter((occurrence) => !has(occurrence, needs)),
          says,
        )
        .toEqual([]);
    }
  });

  it.each(
    SAMPLES.map(([disguised, plain], at) => [FEATURES[at]?.says, disguised, plain, FEATURES[at]] as const),
  )('find %s in %s, and not in %s', (_says, disguised, plain, feature) => {
    const latin = (text: string) => Buffer.from(`${text};`.repeat(3)).toString('latin1');
    const hits = (text: string) => latin(text).match(feature?.pattern ?? /^$/)?.length ?? 0;
    expect([hits(disguised) > 0, hits(plain)]).toEqual([true, 0]);
  });

  it('flag a script by their first occurrence in five cases only', () => {
    const alone = FEATURES.filter(({ weight, enough }) => weight / enough >= FLAGGED).map(({ says }) => says);
    expect(alone).toEqual([
      'a long text of escapes',
      'the order of statements in a text',
      'text that is decoded and run',
      'text that is decoded and written into the page',
      'packed code',
    ]);
  });

  it('are those of docs/project/obfuscation.md', () => {
    const page = readFileSync(join(ROOT, 'docs/project/obfuscation.md'), 'utf8');
    for (const { says, enough, weight, among } of FEATURES) {
      const least = among ? `${Math.round(100 * among[1])} %` : '';
      expect(page.split('\n')).toContain(
        `| ${says.replaceAll('|', '\\|')} | ${enough} | ${least} | ${weight} |`,
      );
    }
  });
});

describe('hostile input', () => {
  it('never throws', () => {
    const scrap = fc.constantFrom(
      ..."eval( atob( [' ![] _0x1a2b ` $ { } { ( ) \" ' / // /* <!-- <script> </script> \\x41 &#65; 0x1 => class #a ; \n , = async await yield".split(
        ' ',
      ),
    );
    const text = fc.array(fc.oneof(scrap, fc.string()), { maxLength: 200 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, fc.constantFrom('a.js', 'a.html', 'a.svg', 'a.mjs'), (source, name) => {
        check(source.repeat(3), name);
      }),
      { numRuns: runs(300) },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5_000 }), (bytes) => {
        obfuscationOf({ name: 'a.js', bytes });
        obfuscationOf({ name: 'a.html', bytes });
      }),
    );
  });

  it.each([
    ['calls that run text', 'eval('],
    ['pieces of members', "['a'+"],
    ['pieces of texts', "'a'+"],
    ['spaces before a key', `eval,{${' '.repeat(40)}`],
    ['functions that return', `eval,{abcde:function(a,b){return a${' '.repeat(40)}`],
    ['lists of numbers', `eval '1${'|2'.repeat(39)}`],
    ['long names', `eval(${'a'.repeat(59)}`],
    ['signs', `eval="${'!a'.repeat(33)}`],
    ['references', '&#101;'],
  ])('takes bounded time for a megabyte: %s', DEEP, (_what, piece) => {
    const text = encode(piece.repeat(Math.ceil(1_000_000 / piece.length)));
    const start = cpuMs();
    obfuscationOf({ name: 'a.html', bytes: text });
    obfuscationOf({ name: 'a.js', bytes: text });
    expect(cpuMs() - start).toBeLessThan(10_000);
  });
});
