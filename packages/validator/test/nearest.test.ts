import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldSpelling, nearest, sameSpelling } from '../src/nearest.ts';

const GRANTS = ['storage', 'files:receive', 'files:return', 'host:media', 'project:write'];

describe('nearest', () => {
  it.each([
    ['files:recieve', 'files:receive', 'two letters swapped'],
    ['files:recive', 'files:receive', 'one missing'],
    ['filess:receive', 'files:receive', 'one too many'],
    ['host:medai', 'host:media', 'two swapped at the end'],
    ['hots:medai', 'host:media', 'two edits'],
    ['File_S : Receive', 'files:receive', 'another spelling'],
    ['sstorag', 'storage', 'one added and one removed'],
  ])('reads %j as %s (%s)', (value, name) => expect(nearest(value, GRANTS)).toBe(name));

  it.each([
    '',
    ' ',
    '--',
    'files:rec',
    'exec',
    'constructor',
    '__proto__',
    7,
    null,
    undefined,
    ['storage'],
    {},
  ])('finds nothing for %j', (value) => expect(nearest(value, GRANTS)).toBeUndefined());

  it('allows one edit for each three letters, and two at most', () => {
    expect(nearest('mcq', ['mcp'])).toBe('mcp');
    expect(nearest('mc', ['mcp'])).toBeUndefined();
    expect(nearest('armx', ['arm64'])).toBeUndefined();
    expect(nearest('abcdef', ['abcxyf'])).toBe('abcxyf');
    expect(nearest('abcdefghijkl', ['abcdefghixyz'])).toBeUndefined();
  });

  it('finds nothing when two candidates are equally near', () => {
    expect(nearest('shot3', ['shot1', 'shot2'])).toBeUndefined();
    expect(nearest('shot3', ['shot1', 'shot2', 'Shot_3'])).toBe('Shot_3');
    expect(nearest('a_b', ['ab', 'a-b'])).toBeUndefined();
    expect(nearest('shot3', ['shot1', 'shot1'])).toBe('shot1');
  });

  it('does not suggest the value itself', () => expect(nearest('codex', ['codex'])).toBeUndefined());

  it('ignores long texts and long lists', () => {
    const long = 'n'.repeat(61);
    expect(nearest(long, [`${long.slice(1)}m`])).toBeUndefined();
    expect(nearest('n'.repeat(60), ['m'.repeat(1_000_000), `${'n'.repeat(59)}m`])).toBe(`${'n'.repeat(59)}m`);
    function* endless() {
      for (let number = 0; ; number += 1) yield `shot${number}`;
    }
    expect(nearest('shot', endless())).toBeUndefined();
  });

  it('is symmetric, returns only a candidate, and never throws', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', '-', 'C', '😀'), maxLength: 12 });
    fc.assert(
      fc.property(word, word, (one, other) => {
        const answer = nearest(one, [other]);
        expect([undefined, other]).toContain(answer);
        expect(nearest(other, [one]) === undefined).toBe(answer === undefined);
      }),
    );
  });

  it('finds a name after a small edit at any position', () => {
    const edit = fc.tuple(fc.nat(), fc.constantFrom('', 'q', 'qq'), fc.constantFrom(0, 1));
    fc.assert(
      fc.property(fc.constantFrom(...GRANTS), edit, (name, [place, put, gone]) => {
        const at = place % name.length;
        const value = name.slice(0, at) + put + name.slice(at + gone);
        expect(nearest(value, GRANTS)).toBe(value === name ? undefined : name);
      }),
    );
  });
});

describe('sameSpelling', () => {
  it('ignores only letter case and word separators', () => {
    expect(sameSpelling(' Browser_Use', ['browser-use'])).toBe('browser-use');
    expect(sameSpelling('browser-uses', ['browser-use'])).toBeUndefined();
    expect(sameSpelling('BrowserUse', ['browser-use', 'browser_use'])).toBeUndefined();
  });
});

it('foldSpelling removes letter case, spaces and separators', () => {
  expect(foldSpelling(' mac OS_x-\n')).toBe('macosx');
});
