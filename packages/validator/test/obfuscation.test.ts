import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { looksObfuscated } from '../src/obfuscation.ts';

const MODULES = join(import.meta.dirname, '../../../node_modules');

/** As an obfuscator with default settings writes it. */
const HEX_NAMES = `(function(_0x2d8f05,_0x4b81bb){var _0x4d74cb=_0x5a6b;while(!![]){try{var _0x32719f=
-parseInt(_0x4d74cb(0x1a5))/0x1+parseInt(_0x4d74cb(0x1a6))/0x2;if(_0x32719f===_0x4b81bb)break;else
_0x2d8f05['push'](_0x2d8f05['shift']());}catch(_0x2cf5ad){_0x2d8f05['push'](_0x2d8f05['shift']());}}}(_0x1f3a,0x5e13d));`;

/** The same with short names: nothing but the turning table gives it away. */
const SHORT_NAMES = `(function(a,b){const f=c,g=a();while(!![]){try{const h=-parseInt(f(0x1a4))/0x1+-parseInt(f(0x1a9))/0x2*
(parseInt(f(0x1ab))/0x3)+parseInt(f(0x1a2))/0x4;if(h===b)break;else g['push'](g['shift']());}catch(i){g['push'](g['shift']());}}}(d,0x9f2c4));`;

const ESCAPED = `var s=["${[...'alert(document.cookie);fetch(location.href)'.repeat(4)]
  .map((character) => `\\x${character.charCodeAt(0).toString(16)}`)
  .join('')}"];window[s[0]]();`;

const PACKED =
  "eval(function(p,a,c,k,e,d){while(c--){if(k[c]){p=p.replace(c,k[c])}}return p}('0(1)',2,2,'alert|1'.split('|')))";

describe('looksObfuscated', () => {
  it.each([
    ['made-up hexadecimal names', HEX_NAMES],
    ['a turning table of strings', SHORT_NAMES],
    ['text written as escapes', ESCAPED],
    ['packed code', PACKED],
    ['encoded code', 'eval(atob("YWxlcnQoMSk="))'],
    ['six characters', `[${'+!![]+([]+[])'.repeat(60)}]`],
    ['a disguise among much plain code', `${'export const a = 1;\n'.repeat(10_000)}${HEX_NAMES}`],
  ])('sees %s', (_what, source) => expect(looksObfuscated(source)).toBe(true));

  it.each([
    ['nothing', ''],
    ['plain code', 'const names = ["a", "b"]; names.push(names.shift());'],
    ['hexadecimal numbers', 'const _0x10 = 0x10, mask = 0xdeadbeef ^ 0x1f;'],
    ['control characters and ranges', 'const r = /[\\x00-\\x1f\\x7f-\\x9f\\u200b-\\u200f]/;'.repeat(30)],
    ['decoding without evaluating', 'const text = atob(data); const bytes = decodeURIComponent(text);'],
    ['an evaluated expression', 'const f = new Function("a", "return a + 1");'],
  ])('lets %s be', (_what, source) => expect(looksObfuscated(source)).toBe(false));

  it('lets published libraries be, minified or not', () => {
    const files = sampleLibraries();
    expect(files.length).toBeGreaterThan(100);
    expect(files.filter((file) => looksObfuscated(readFileSync(file, 'latin1')))).toEqual([]);
  });

  it('takes time in proportion to the text', () => {
    const hostile = [
      'eval '.repeat(400_000),
      '\\x4'.repeat(500_000),
      '_0x'.repeat(700_000),
      '['.repeat(399).concat('x').repeat(5_000),
    ];
    for (const source of hostile) {
      const start = performance.now();
      looksObfuscated(source);
      expect(performance.now() - start).toBeLessThan(2_000);
    }
  });
});

/** JavaScript of the packages installed here: bundles, minified builds, sources; at most 400 files. */
function sampleLibraries(): string[] {
  const found: string[] = [];
  for (const entry of readdirSync(MODULES, { withFileTypes: true })) {
    if (!entry.isDirectory() || entry.name.startsWith('.') || entry.name.startsWith('@')) continue;
    for (const name of readdirSync(join(MODULES, entry.name), { recursive: true, encoding: 'utf8' })) {
      if (/(?:\.min\.[cm]?js|(?:^|\/)(?:dist|build)\/[^/]+\.[cm]?js)$/.test(name))
        found.push(join(MODULES, entry.name, name));
    }
  }
  return found.slice(0, 400);
}
