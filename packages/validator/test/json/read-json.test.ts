import { runs } from '@svc/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { locateIn, MAX_MANIFEST_BYTES, readJson } from '../../src/json/read-json.ts';
import { bytesOf } from '../support.ts';

const read = (text: string) => readJson(bytesOf(text));
const problemOf = (bytes: Uint8Array) => {
  const reading = readJson(bytes);
  return reading.ok ? undefined : reading.problem;
};

describe('readJson', () => {
  it('reads what JSON.parse reads, to the same value', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 20 }), (text) => {
        expect(read(text)).toEqual({ ok: true, value: JSON.parse(text), text });
      }),
      { numRuns: runs(300) },
    );
  });

  it('refuses every damaged text that JSON.parse refuses', () => {
    const damaged = fc
      .tuple(fc.json(), fc.nat(200), fc.string({ maxLength: 3 }))
      .map(([text, at, piece]) => (text.slice(0, at) + piece + text.slice(at + 1)).toWellFormed());
    fc.assert(
      fc.property(damaged, (text) => {
        const reading = read(text);
        if (reading.ok) expect(reading.value).toEqual(JSON.parse(text));
      }),
      { numRuns: runs(500) },
    );
  });

  it('never throws for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        readJson(bytes);
      }),
      { numRuns: runs(500) },
    );
  });

  it.each([
    ['', 'line 1, column 1: expected a value, not the end of the file'],
    ['{"a":1,"a":2}', 'line 1, column 8: the key "a" is a duplicate'],
    ['{"a":1,"\\u0061":2}', 'line 1, column 8: the key "a" is a duplicate'],
    ['{"__proto__":1,"__proto__":2}', 'line 1, column 16: the key "__proto__" is a duplicate'],
    [
      '{\n  "a": 1,\n}',
      'line 3, column 1: expected a key in double quotes, not "}": remove the comma before it, JSON has no trailing commas',
    ],
    [
      '[1,]',
      'line 1, column 4: expected a value, not "]": remove the comma before it, JSON has no trailing commas',
    ],
    ['{\n// name\n"a":1}', 'line 2, column 1: JSON has no comments: remove this one'],
    ['{"a":/* x */1}', 'line 1, column 6: JSON has no comments: remove this one'],
    ['{"a":1} // end', 'line 1, column 9: JSON has no comments: remove this one'],
    ['{"a" 1}', 'line 1, column 6: ":" is due after a key, not "1"'],
    ['{} x', 'line 1, column 4: unexpected "x" after the end of the document'],
    ['{}{}', 'line 1, column 3: unexpected "{" after the end of the document'],
    ['[1 2]', 'line 1, column 4: expected "," or "]", not "2"'],
    ['["a\nb"]', 'line 1, column 4: expected the closing quote of a string, not "\\n"'],
    ['"\\x"', 'line 1, column 3: unknown escape sequence: "x" after a backslash'],
    ['"\\u12"', 'line 1, column 4: expected four hexadecimal digits after \\u, not "1"'],
    ['"\\ud800"', 'line 1, column 1: this string contains a lone surrogate'],
    ['{"\\udc00":1}', 'line 1, column 2: this string contains a lone surrogate'],
    ['1e999', 'line 1, column 1: this number is too large'],
    ['01', 'line 1, column 2: unexpected "1" after the end of the document'],
    ['NaN', 'line 1, column 1: expected a value, not "N"'],
    ["{'a':1}", 'line 1, column 2: expected a key in double quotes, not "\'"'],
    ['// x\n{}', 'line 1, column 1: JSON has no comments: remove this one'],
    ['\u00a0{}', 'line 1, column 1: expected a value, not "\u00a0"'],
    ['\ufeff{}', 'it begins with a byte order mark; save it as UTF-8 without one'],
  ])('refuses %j', (text, problem) => expect(problemOf(bytesOf(text))).toBe(problem));

  it('finds the first byte that is not UTF-8', () => {
    const before = bytesOf('{\n "ü": "');
    for (const bad of [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80]]) {
      const bytes = Uint8Array.from([...before, ...bad, 0x22, 0x7d]);
      expect(problemOf(bytes)).toMatch(/^line 2, column 8: these bytes are not UTF-8/);
    }
    expect(problemOf(Uint8Array.from([0xff, 0xfe, 0x7b, 0]))).toMatch(/^line 1, column 1: /);
    expect(problemOf(Uint8Array.from([0x22, 0xc3]))).toMatch(/not UTF-8/);
  });

  it('accepts 64 levels of nesting and no more', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(read(nested(64)).ok).toBe(true);
    expect(problemOf(bytesOf(nested(65)))).toBe('line 1, column 65: the nesting is deeper than 64 levels');
    expect(problemOf(bytesOf('['.repeat(10_000)))).toMatch(/nesting is deeper/);
    expect(problemOf(bytesOf('{"a":'.repeat(100_000)))).toMatch(/nesting is deeper/);
    expect(read(`[${'[[]],'.repeat(1_000)}[]]`).ok).toBe(true);
  });

  it('treats __proto__ as an ordinary key', () => {
    const reading = read('{"__proto__":{"polluted":true},"constructor":1}');
    expect(reading.ok && Object.keys(reading.value as object)).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(reading.ok && (reading.value as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('reads huge strings, white space and lists up to MAX_MANIFEST_BYTES', () => {
    const size = MAX_MANIFEST_BYTES - 2;
    expect(read(`"${'n'.repeat(size)}"`).ok).toBe(true);
    expect(read(`${' '.repeat(size)}{}`).ok).toBe(true);
    expect(read(`[${'0,'.repeat(size / 2 - 1)}0]`).ok).toBe(true);
    expect(problemOf(bytesOf(`"${'n'.repeat(size + 1)}"`))).toBe(
      `it has ${MAX_MANIFEST_BYTES + 1} bytes; a manifest may have at most ${MAX_MANIFEST_BYTES}`,
    );
    expect(problemOf(bytesOf('1'.repeat(1_000_000)))).toMatch(/too large/);
  });
});

describe('locateIn', () => {
  const text = '{\r\n  "id": "x",\n  "a/b": [1, {"~": true}],\n  "id2": {}\n}\n';

  it.each([
    ['/id', { line: 2, column: 9, length: 3 }],
    ['/a~1b/0', { line: 3, column: 11, length: 1 }],
    ['/a~1b/1/~0', { line: 3, column: 20, length: 4 }],
    ['/id2', { line: 4, column: 10, length: 2 }],
    ['/id2/x/y', { line: 4, column: 10, length: 1 }],
    ['/none', { line: 1, column: 1, length: 1 }],
    ['/a~1b/7', { line: 3, column: 10, length: 1 }],
    ['/__proto__', { line: 1, column: 1, length: 1 }],
  ])('%s', (pointer, location) => expect(locateIn(text, pointer)).toEqual(location));

  it('locates the whole document, and no bundle path', () => {
    expect(locateIn('  {}', '')).toEqual({ line: 1, column: 3, length: 2 });
    expect(locateIn(text, 'ui/index.html')).toBeUndefined();
  });
});
