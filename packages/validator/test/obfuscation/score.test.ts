import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runs } from '@svc/testkit';
import { anyText } from '@svc/testkit/any-text';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FEATURES, FLAGGED, scoreOf, visitSyntax } from '../../src/obfuscation/score.ts';

/** For each feature, code that has it, and similar code that people or minifiers write. */
const SAMPLES: Readonly<Record<string, readonly [disguised: string, plain: string]>> = {
  'made-up names': ['var _0x1a2b3c, a0_0x4d5e, lIl1lI;', 'var _0, x1a2b3c, ill, O0;'],
  'names of signs': ['$.___ + $._$_ + ___', '$ + _ + $$ + __'],
  'thrown-together names': ['gUBI4Xw(j7dAuma)', 'getItem(vector, e1)'],
  'built-ins in brackets': ["a['length']", "a.length; a['default']"],
  'words in brackets': [
    "a['colour']",
    "a.colour; a['x-y']; a[0]; Module['colour']; E[E['Left'] = 0] = 'Left'",
  ],
  'no dots': ["a['colour']", "a['colour'] + b.colour"],
  'joined members': ["window['al' + 'ert']", "a['x' + y]"],
  'joined texts': ["'hel'+'lo'", "'hello,\\n' +\n  'world'"],
  'looked-up members': ['a[f(0x1f)]', 'a[f(31)]'],
  'looked-up texts': ["f('0x1f'); f(-0x1 + 0x3)", 'f(31); f(0xdeadbeef)'],
  'computed keys': ["({ ['key']: 1 })", "({ key: 1, ['a-b']: 2, [key]: 3 })"],
  'quoted keys': ["({ 'key': 1 })", "({ key: 1, 'a-b': 2 })"],
  'six characters': ['!![]', '!0'],
  'empty arrays': ['!![]', '!0; a = []; ![0]'],
  'short hexadecimal numbers': ['0x1', '1; 0x01; 0x10'],
  'hexadecimal numbers': ['0x1f', '31'],
  escapes: ["'\\x61\\x62'", "'ab\\x00\\\\x61'"],
  'escaped spaces': ["'a\\x20b'", "'a b\\\\x20'"],
  'odd alphabet': [
    "'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/='",
    "'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/='",
  ],
  checksum: ['-parseInt(f(0x1a)) / 0x1', 'parseInt(f(a)) / 100; parseInt(a.b(0x1)) / 2'],
  'turned list': ["a['push'](a['shift']())", 'a.push(b.shift())'],
  'hidden table': [
    "function f() { const a = ['x']; f = function () { return a; }; return f(); }",
    'function f() { const a = load(); f = function () { return a; }; return f(); }',
  ],
  'order in a text': ["'2|0|1'.split('|')", "'a|b|c'.split('|'); '1|2|3'.split('|')"],
  'state machine': [
    'while (s !== 7) switch (s) { case 1: s = 3; break; case 3: s = 2; break; case 2: s = 7; break; }',
    'while (more()) switch (s) { case A: s = 3; break; case B: s = 2; break; }',
  ],
  proxies: ['({ abcde: function (a, b) { return a + b; } })', '({ add: function (a) { return a + 1; } })'],
  'fixed conditions': ["'abc' === 'def'", "a === 'def'"],
  'self-defence': ["'(((.+)+)+)+$'", "'(.+)$'"],
  'unpacked arguments': ['var [a, b] = arguments;', 'var [a, b] = list;'],
  'decoded and run': ["window['eval'](atob(a))", 'atob(a); JSON.parse(atob(b))'],
  'decoded and written': ['document.write(unescape(a))', 'document.write(a)'],
  packed: ['eval(function (p, a, c, k) { return p; }(1))', '(function (p) { return p; })(1)'],
  'program in a text': [`eval('${'a();'.repeat(100)}')`, "eval('a()')"],
  'run variable': ['eval(a)', "eval('1 + 1'); f(a)"],
  'reversed program': ["'} 1 nruter { )(f noitcnuf'", "'function f() { return 1 }'"],
  'encoded text': [`atob('${'AAAA'.repeat(50)}')`, "atob('AAAA')"],
};

describe('the features', () => {
  it('each have samples', () =>
    expect(Object.keys(SAMPLES).sort()).toEqual(FEATURES.map(({ name }) => name).sort()));

  const named = (text: string): string[] => scoreOf(text).evidence.map(({ feature }) => feature);

  it.each(Object.entries(SAMPLES))('%s', (name, [disguised, plain]) => {
    expect(named(disguised.concat(';').repeat(5))).toContain(name);
    expect(named(plain)).not.toContain(name);
  });

  it('flag a script by their first trace in four cases only', () => {
    const alone = FEATURES.filter(({ weight, enough }) => weight / enough >= FLAGGED).map(({ name }) => name);
    expect(alone).toEqual(['hidden table', 'order in a text', 'decoded and run', 'packed']);
  });
});

describe('docs/project/obfuscation.md', () => {
  it('lists the current features', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../../docs/project/obfuscation.md'), 'utf8');
    for (const { name, enough, share, weight } of FEATURES) {
      const least = share === undefined ? '' : `${Math.round(100 * share)} %`;
      const row = page.split('\n').find((line) => line.startsWith(`| ${name} |`));
      expect(row, name).toMatch(new RegExp(`\\| ${enough} \\| ${least} \\| ${weight} \\|$`));
    }
  });
});

describe('scoreOf', () => {
  it('adds points for each trace, up to the weight of the feature', () => {
    const points = (times: number) => scoreOf("a = 'plain\\x20text';".repeat(times)).points;
    expect([0, 1, 2, 4, 400].map(points)).toEqual([0, 15, 30, 60, 60]);
  });

  it('explains each feature in words', () =>
    expect(scoreOf('eval(atob(a))').evidence).toEqual([
      { feature: 'decoded and run', points: 100, says: 'it decodes text and runs it' },
    ]));
});

/** The names called in a text, in the order in which the calls end. */
function callsIn(text: string): string[] {
  const names: string[] = [];
  visitSyntax(text, (node) => {
    if (node.type === 'CallExpression' && node.callee.type === 'Identifier') names.push(node.callee.name);
  });
  return names;
}

describe('visitSyntax', () => {
  it.each([
    ['scripts and modules', "import a from 'a'; with (b) c(); export default d();", ['c', 'd']],
    [
      'syntax that is only valid in functions',
      'return a(); await b(); break; new.target; super.x; this.#y; c()',
      ['a', 'b', 'c'],
    ],
    ['the body of a loop', 'a(); continue; } b();', ['a', 'b']],
    ['a module in which `<!--` is no comment', 'x <!--y, a();', ['a']],
    ['errors that a browser would refuse', 'let a; let a; a(); b(010, "\\08");', ['a', 'b']],
    ['unknown syntax', 'a(); @@ ?? ~~~> { b() } ; c()', ['a', 'b', 'c']],
    ['a start inside a string', "some words', 'next'; a('x'); b()", ['a', 'b']],
    ['an end inside a string', 'a(b("text that goes on', ['b', 'a']],
    ['an end inside a list', 'a([1, 2, 3,', ['a']],
    ['an open comment', 'a(); /* b();', ['a', 'b']],
    ['nesting too deep to follow', `a(); ${'('.repeat(50_000)} b();`, ['a', 'b']],
  ])('reads %s', (_what, text, calls) => expect(callsIn(text)).toEqual(calls));

  it('visits every node once, children first', () => {
    const types: string[] = [];
    visitSyntax('(a, b) => a[0];', ({ type }) => types.push(type));
    expect(types).toEqual([
      'Identifier',
      'Identifier',
      'Identifier',
      'Literal',
      'MemberExpression',
      'ArrowFunctionExpression',
      'ExpressionStatement',
    ]);
  });

  it('never throws, and finds a call on the line after any text', () => {
    // An open string or comment includes the rest of the text, as in a browser.
    const closed = fc.string({ maxLength: 60 }).map((text) => text.replace(/[`'"/\\<#-]/g, ' '));
    fc.assert(
      fc.property(closed, (text) => {
        expect(callsIn(`${text}\n;;found(1);`)).toContain('found');
      }),
      { numRuns: runs(500) },
    );
    fc.assert(fc.property(anyText({ maxLength: 200 }), (text) => callsIn(text).length >= 0));
  });
});
