import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEEP, runs } from '@svc/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newBudget } from '../../src/obfuscation/budget.ts';
import { disguiseOf, reasonsFor } from '../../src/obfuscation/disguise.ts';
import { FLAGGED } from '../../src/obfuscation/score.ts';
import { cpuMs } from '../support.ts';
import { KIN, obfuscate } from './disguises.ts';

const MODULES = join(import.meta.dirname, '../../../../node_modules');
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
const check = (text: string, name = 'ui/app.js') => disguiseOf({ name, bytes: encode(text) }, newBudget());

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

describe('disguiseOf', () => {
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
    ['control characters and ranges', 'const r = /[\\x00-\\x1f\\x7f-\\x9f\\u200b-\\u200f]/;'.repeat(40)],
    ['decoding without running', `const wasm = atob("${'AGFzbQEAAAAB'.repeat(400)}");`],
    ['an evaluated expression', 'const f = new Function("a", "return a + 1"); f(eval("1 + 1"));'],
    ['modules of a development build', `eval("${'const a = require(\\"./a.js\\");\\n'.repeat(40)}");`],
    ['a table of texts', `const words = [${Array.from({ length: 500 }, (_, at) => `"word${at}"`)}];`],
    ['an enumeration', 'E[E["Left"] = 0] = "Left"; E[E["Right"] = 1] = "Right";'.repeat(60)],
    ['names that are quoted for a compiler', 'exports["default"] = a["then"](b["x-y"]);'.repeat(5)],
  ])('accepts %s', (_what, text) => expect(check(text)).toBeUndefined());

  it('detects obfuscated code inside a large plain script', () => {
    const innocent = library('acorn/dist/acorn.js').repeat(5);
    for (const setting of ['short names alone', 'table, short names', 'default']) {
      const hidden = obfuscate(PANEL, setting, 3);
      for (const before of [0, 100_003, 700_001]) {
        const text = `${innocent.slice(0, before)}\n;${hidden};\n${innocent.slice(before)}`;
        expect(check(text)?.points, `${setting} at ${before}`).toBeGreaterThanOrEqual(FLAGGED);
      }
    }
  });

  it('detects obfuscated code after code that cannot be parsed', () => {
    const hidden = obfuscate(PANEL, 'default', 3);
    for (const mess of [`<<< ? ' ;\n`, '('.repeat(20_000), '`', '}'.repeat(1_000), 'const 1 = `$']) {
      expect(check(`${mess}\n${hidden}`)?.points, mess.slice(0, 20)).toBeGreaterThanOrEqual(FLAGGED);
    }
  });

  it('reads scripts in HTML and SVG', () => {
    const hidden = "eval(atob('YWxlcnQoMSk='));";
    expect(check(`<p>a</p><script>${hidden}</script>`, 'ui/a.html')).toBeDefined();
    expect(check(`<script type="application/json">"${hidden}"</script>`, 'ui/a.html')).toBeUndefined();
    expect(check(`<p>${hidden}</p>`, 'ui/a.html')).toBeUndefined();
    expect(check(`<svg><script><![CDATA[${hidden}]]></script></svg>`, 'ui/a.svg')).toBeDefined();
    const references = [...hidden].map((letter) => `&#${letter.charCodeAt(0)};`).join('');
    expect(check(`<svg><script>${references}</script></svg>`, 'ui/a.svg')).toBeDefined();
  });

  it('reads UTF-16 after a byte order mark, as browsers do', () => {
    const text = `\ufeff${obfuscate(PANEL, 'default', 3)}`;
    const little = new Uint8Array(Uint16Array.from(text, (letter) => letter.charCodeAt(0)).buffer);
    expect(disguiseOf({ name: 'a.js', bytes: little }, newBudget())).toBeDefined();
    const big = Uint8Array.from(little, (_, at) => little[at ^ 1] ?? 0);
    expect(disguiseOf({ name: 'a.js', bytes: big }, newBudget())).toBeDefined();
  });

  it('gives three reasons, and the sum of all evidence as its points', () => {
    const score = check(obfuscate(PANEL, 'default', 3));
    if (score === undefined) throw new Error('not seen');
    expect(reasonsFor(score).split('; ')).toHaveLength(3);
    expect(reasonsFor(score)).toMatch(/\d+ % of the names look like `_0x1a2b`/);
    expect(score.points).toBe(score.evidence.reduce((sum, { points }) => sum + points, 0));
  });

  it('reports suspicious scripts once the budget of the bundle is used up, but no plain script', () => {
    const budget = { bytes: 1_024 };
    const odd = { name: 'a.js', bytes: encode('eval(x);') };
    expect(disguiseOf(odd, budget)).toBeUndefined();
    expect(reasonsFor(disguiseOf(odd, budget) ?? { points: 0, evidence: [] })).toContain('4 MiB');
    expect(disguiseOf({ name: 'c.js', bytes: encode(PANEL) }, budget)).toBeUndefined();
  });
});

describe('hostile input', () => {
  it('never throws', () => {
    const scrap = fc.constantFrom(
      ..."eval( atob( [' ![] _0x1a2b ` $ { } { ( ) \" ' / // /* <!-- <script> </script> \\x41 0x1 => class #a ; \n , = async await yield".split(
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
        disguiseOf({ name: 'a.js', bytes }, newBudget());
        disguiseOf({ name: 'a.html', bytes }, newBudget());
      }),
    );
  });

  it.each([
    [
      'declarations',
      (size: number) => `eval(x);let a${Array.from({ length: size / 8 }, (_, at) => `,b${at}`).join('')};`,
    ],
    ['nesting', (size: number) => `eval(${'['.repeat(size)}`],
    ['open quotes', (size: number) => 'eval(x)\n`'.repeat(size / 9)],
    ['open comments', (size: number) => 'eval(x)/*'.repeat(size / 9)],
    ['closing braces', (size: number) => 'eval(x)}}'.repeat(size / 9)],
    ['sums', (size: number) => `eval(${"'a'+".repeat(size / 4)}`],
    ['script tags', (size: number) => '<script '.repeat(size / 8)],
    ['open comments in script', (size: number) => `<script>${'<!--<script>'.repeat(size / 12)}`],
    [
      'brackets',
      (size: number) =>
        '['
          .repeat(399)
          .concat('x')
          .repeat(size / 400),
    ],
  ])('takes bounded time for a megabyte: %s', DEEP, (_what, make) => {
    const time = (size: number): number => {
      const text = encode(make(size));
      const start = cpuMs();
      disguiseOf({ name: 'a.html', bytes: text }, newBudget());
      disguiseOf({ name: 'a.js', bytes: text }, newBudget());
      return cpuMs() - start;
    };
    expect(time(1_000_000)).toBeLessThan(10_000);
  });
});
