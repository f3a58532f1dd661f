import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEEP, runs } from '@svc/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { disguiseOf, oddParts, reasonsFor, scriptsIn } from '../../src/obfuscation/disguise.ts';
import { newBudget } from '../../src/obfuscation/feature.ts';
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

function found(text: string, extension: string): string[] {
  const { bytes, ranges } = scriptsIn(new TextEncoder().encode(text), extension);
  return Array.from(ranges, ({ start, end }) => new TextDecoder().decode(bytes.subarray(start, end)));
}

describe('scriptsIn', () => {
  it('returns a script file as one range', () => expect(found('a <script>', 'js')).toEqual(['a <script>']));

  it.each([
    ['a page without scripts', '<p>a</p>', []],
    ['several', '<script>a</script><script >b</script\n>', ['a', 'b']],
    ['any letter case', '<SCRIPT>a</sCriPt>', ['a']],
    ['attributes', '<script defer src="a>b" data-type="text/x">a</script>', ['a']],
    ['modules', '<script type=module>a</script><script type="text/javascript">b</script>', ['a', 'b']],
    ['data', '<script type="application/json">a</script><script type="importmap">b</script>', []],
    ['a template', "<script id='x' type='text/template'>a</script>", []],
    ['a slash', '<script/x>a</script/>', ['a']],
    ['no end', '<script>a', ['a']],
    ['an open tag', '<script a="', []],
    ['other names', '<scripts>a</scripts><noscript>b</noscript>', []],
    ['a comment in script', '<script><!-- a --></script>b', ['<!-- a -->']],
    ['script in script', '<script><!--<script>a</script>b--></script>c', ['<!--<script>a</script>b-->']],
    ['an end that is a text', '<script>a="<\\/script>";b</script>', ['a="<\\/script>";b']],
  ])('finds in HTML: %s', (_what, text, scripts) => expect(found(text, 'html')).toEqual(scripts));

  it.each([
    ['a prefix', '<svg:script>a</svg:script>', ['a']],
    ['an empty element', '<script href="a"/><g>b</g><script>c</script>', ['c']],
  ])('finds in SVG: %s', (_what, text, scripts) => expect(found(text, 'svg')).toEqual(scripts));

  it('converts UTF-16 with a byte order mark to single bytes', () => {
    const bytes = Uint8Array.of(0xff, 0xfe, 0x61, 0, 0x62, 0, 0x01, 0x30, 0x63);
    expect(new TextDecoder().decode(scriptsIn(bytes, 'js').bytes)).toBe('ab?');
  });
});

describe('screen', () => {
  const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
  const partsOf = (text: string) => oddParts(encode(text), { start: 0, end: encode(text).length });
  const PLAIN = 'const sum = (list) => list.reduce((a, b) => a + b, 0);\n';

  describe('oddParts', () => {
    it('finds nothing in a plain script', () => expect(partsOf(PLAIN.repeat(1_000))).toEqual([]));

    it.each([
      ['made-up names', 'var _0x1a2b=_0x3c4d(_0x5e6f);'],
      ['numbers as indexes', 'a(0x1f);b(0x2f);c("0x3f")'],
      ['short numbers', '0x1,0x2,0x3,0x4,0x5,0x6;'],
      ['words in brackets', "a['b'];".repeat(8)],
      ['joined words', "a['b'+'c'];".repeat(4)],
      ['computed keys', "{['b']:1,['c']:2,".repeat(4)],
      ['empty arrays', '!![],![]'],
      ['escapes', '\\x61\\u0062'.repeat(5)],
      ['spaces', '\\x20'.repeat(4)],
      ['signs', '$.__$+$._$_'.repeat(5)],
      ['emoticons', 'ﾟДﾟ'.repeat(5)],
      ['look-alikes', 'lIlIlIlIlIlIlIlIlIlIlIlI'],
      ['references', '&#101;'.repeat(10)],
      ['evaluation', 'eval(a)'],
      ['a decoded text', 'atob("aaaa")'],
      ['a hidden evaluator', "window['eval']"],
      ['a constructor of decoded text', 'a.constructor(decodeURIComponent(b))'],
    ])('finds %s at any position', (_what, trace) => {
      for (const before of [0, 2_040, 4_090, 100_000]) {
        const text = ' '.repeat(before) + trace + PLAIN.repeat(200);
        const [part, ...others] = partsOf(text);
        expect(others).toEqual([]);
        expect(part?.start).toBeLessThanOrEqual(before);
        expect(part?.end).toBeGreaterThanOrEqual(before + trace.length);
        expect((part?.end ?? 0) - (part?.start ?? 0)).toBeLessThan(10_000);
      }
    });

    it('includes a long text between two traces, but not one before the first trace', () => {
      const [part, ...others] = partsOf(`a=atob("${'A'.repeat(20_000)}");eval(a)`);
      expect(others).toEqual([]);
      expect(part).toEqual({ start: 0, end: 20_018 });
      const text = `a="${'/'.repeat(30_000)}";eval(a)`;
      expect(text.slice(partsOf(text)[0]?.start)).toBe(';eval(a)');
    });

    it('returns ordered, disjoint parts inside the range, of 64 KiB at most', () => {
      const stretch = fc.tuple(fc.boolean(), fc.nat(100_000));
      fc.assert(
        fc.property(fc.array(stretch, { maxLength: 6 }), fc.nat(5_000), (stretches, start) => {
          const text = stretches
            .map(([isOdd, length]) => (isOdd ? '![] ' : 'abc ').repeat(length / 4))
            .join('');
          const bytes = encode(text);
          const end = Math.max(start, bytes.length - 100);
          let last = start;
          for (const part of oddParts(bytes, { start, end })) {
            expect(part.start).toBeGreaterThanOrEqual(last);
            expect(part.end).toBeGreaterThan(part.start);
            expect(part.end - part.start).toBeLessThanOrEqual(65_536);
            last = part.end;
          }
          expect(last).toBeLessThanOrEqual(end);
        }),
        { numRuns: 50 },
      );
    });
  });
});
