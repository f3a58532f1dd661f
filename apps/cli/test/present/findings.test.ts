import type { Issue } from '@svc/contracts';
import { cpuMs } from '@svc/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CheckedApp } from '../../src/check-app.ts';
import { cellOf } from '../../src/present/cells.ts';
import { findingsText, frame } from '../../src/present/findings.ts';
import { memoryTerminal } from '../support/command-context.ts';

const { terminal } = memoryTerminal();
const NAMES = { shown: 'app', isManifest: false };

const checked = (issues: Issue[], source?: string): CheckedApp => ({
  issues,
  manifest: undefined,
  entries: undefined,
  source: source === undefined ? undefined : Buffer.from(source),
});

const issue = (code: string, path: string, level: Issue['level'] = 'error'): Issue => ({
  code,
  level,
  path,
  message: `About ${path}.`,
});

const whereLines = (text: string) => text.split('\n').filter((line) => line.startsWith('  -->'));

it('names the file of each finding', () => {
  const issues = [
    issue('name.missing', '/name'),
    issue('manifest.format', ''),
    issue('bundle.unexpected', 'evil.txt'),
    issue('bundle.size', ''),
  ];
  const source = '{\n  "name": ""\n}';
  expect(whereLines(findingsText(terminal, NAMES, checked(issues, source)))).toEqual([
    '  --> app/plugin.json:2:11  /name',
    '  --> app/plugin.json:1:1',
    '  --> app/evil.txt',
    '  --> app',
  ]);
  const alone = { shown: 'x/plugin.json', isManifest: true };
  expect(whereLines(findingsText(terminal, alone, checked(issues.slice(0, 1), source)))).toEqual([
    '  --> x/plugin.json:2:11  /name',
  ]);
});

it('marks the object that lacks a field', () => {
  const text = findingsText(
    terminal,
    NAMES,
    checked([issue('remote.url', '/remote/mcpUrl')], '{\n  "remote": {}\n}'),
  );
  expect(text).toContain('  > 2 |   "remote": {}\n      |             ^\n');
});

it('keeps the order of the checks, and limits findings per code', () => {
  const many = Array.from({ length: 47 }, (_, index) => issue('remote.domain', `/remote/domains/${index}`));
  const text = findingsText(terminal, NAMES, checked([...many, issue('tools.id', '/x', 'warning')]));
  expect(text.match(/^error remote\.domain/gm)).toHaveLength(10);
  expect(text).toMatch(/\/remote\/domains\/9\n\nand 37 more remote\.domain\n\nwarning tools\.id/);
  expect(text).toMatch(/app: 47 errors, 1 warning\n$/);
});

it('suggests svc explain when a code has a page', () => {
  expect(findingsText(terminal, NAMES, checked([issue('version.format', '/version')]))).toContain(
    'svc explain version.format\n',
  );
  expect(findingsText(terminal, NAMES, checked([issue('invalid_bundle', '')]))).not.toContain('explain');
});

it('escapes control characters', () => {
  const evil = '\u001b]0;owned\u0007\u202e\r';
  const text = findingsText(
    terminal,
    { shown: evil, isManifest: false },
    checked(
      [{ code: 'a', level: 'error', path: evil, message: evil }, issue('id.format', '/id')],
      `{"id":"${evil}"}`,
    ),
  );
  expect(text).not.toMatch(/[^\n\P{C}]|\p{Default_Ignorable_Code_Point}/u);
});

const plain = memoryTerminal().terminal;

const show = (text: string, line: number, column: number, length: number, columns = 80) =>
  frame({ ...plain, columns }, text.split('\n'), { line, column, length }, 'error')
    .split('\n')
    .slice(0, -1);

describe('a frame', () => {
  it('marks the value, with two lines around it', () => {
    expect(show('{\n  "a": 1,\n  "b": "two",\n  "c": 3,\n  "d": 4,\n  "e": 5\n}', 4, 8, 1)).toEqual([
      '    2 |   "a": 1,',
      '    3 |   "b": "two",',
      '  > 4 |   "c": 3,',
      '      |        ^',
      '    5 |   "d": 4,',
      '    6 |   "e": 5',
    ]);
  });

  it('keeps the numbers in one column', () => {
    const text = Array.from({ length: 12 }, (_, index) => `line ${index + 1}`).join('\n');
    expect(show(text, 9, 1, 4)).toEqual([
      '     7 | line 7',
      '     8 | line 8',
      '  >  9 | line 9',
      '       | ^^^^',
      '    10 | line 10',
      '    11 | line 11',
    ]);
  });

  it('shows no empty line behind the last line end', () => {
    expect(show('{\n}\n', 1, 1, 1)).toEqual(['  > 1 | {', '      | ^', '    2 | }']);
  });

  it('puts the mark under the value behind tabs, wide characters and escapes', () => {
    expect(show('\t"名": "\u001b", "v": "x"', 1, 17, 3)).toEqual([
      '  > 1 |     "名": "\\u001b", "v": "x"',
      '      |                          ^^^',
    ]);
    expect(show('"😀👍", 12', 1, 9, 2)[1]).toBe('      |         ^^');
  });

  it('marks the first line of a value with several lines', () => {
    expect(show('{ "a": [\n  1,\n  2\n] }', 1, 8, 12).slice(0, 2)).toEqual([
      '  > 1 | { "a": [',
      '      |        ^',
    ]);
  });

  it('marks the place behind the last character', () => {
    expect(show('{ "a"', 1, 6, 1)).toEqual(['  > 1 | { "a"', '      |      ^']);
  });

  it('shows the part of a long line that contains the value', () => {
    const line = `{${'"k": 1, '.repeat(50)}"here": "value"${', "l": 2'.repeat(50)}}`;
    const column = line.indexOf('"value"') + 1;
    const [shown = '', mark = ''] = show(line, 1, column, 7, 60);
    expect(shown).toHaveLength(59);
    expect(shown).toMatch(/^ {2}> 1 \| ….*"here": "value", "l".*…$/);
    expect(mark.indexOf('^')).toBe(shown.indexOf('"value"'));
    expect(mark.trimEnd()).toMatch(/[^^]\^{7}$/);
  });

  it('leaves room for the mark after the end of a line that exactly fits', () => {
    const line = 'x'.repeat(31);
    const [shown = '', mark = ''] = show(line, 1, line.length + 1, 1, 40);
    expect(shown).toMatch(/^ {2}> 1 \| …x+$/);
    expect(mark.indexOf('^')).toBe(shown.length);
    expect(mark.length).toBeLessThan(40);
  });

  it('cuts a value that is longer than a line', () => {
    const [shown = '', mark = ''] = show(`{ "a": "${'x'.repeat(500)}" }`, 1, 8, 502, 40);
    expect(shown).toMatch(/^ {2}> 1 \| \{ "a": "x+…$/);
    expect(mark.trimEnd().length).toBe(shown.length - 1);
  });

  it('truncates long neighbouring lines at the right', () => {
    const [before = ''] = show(`${'x'.repeat(100)}\n{ }`, 2, 1, 1, 40);
    expect(before).toBe(`    1 | ${'x'.repeat(30)}…`);
  });

  it('colours by level', () => {
    const { terminal } = memoryTerminal(true);
    const place = { line: 1, column: 1, length: 1 };
    expect(frame(terminal, ['{'], place, 'error')).toContain('\u001b[31m^');
    expect(frame(terminal, ['{'], place, 'warning')).toContain('\u001b[33m^');
  });

  it('is fast for a line of several megabytes', () => {
    const line = `{ "a": "${'x'.repeat(4_000_000)}", "b": 1 }`;
    const start = cpuMs();
    for (let round = 0; round < 100; round += 1) show(line, 1, line.length - 2, 1);
    expect(cpuMs() - start).toBeLessThan(2_000);
  });
});

const widthOf = (text: string): number =>
  Array.from(text, (character) => cellOf(character).width).reduce((a, b) => a + b, 0);

/** Hostile lines, without line breaks. */
const hostile = fc
  .array(fc.constantFrom('a', '"', '\t', '語', '😀', '\u0301', '\u001b', '\u202e', ' ', '\ud800', '{'), {
    maxLength: 200,
  })
  .map((characters) => characters.join(''));

it('never contains control characters, always fits, and always has a mark', () => {
  fc.assert(
    fc.property(
      fc.array(hostile, { minLength: 1, maxLength: 6 }),
      fc.nat(),
      fc.nat(),
      fc.integer({ min: 1, max: 300 }),
      fc.integer({ min: 30, max: 120 }),
      (lines, line, column, length, columns) => {
        const at = line % lines.length;
        const place = { line: at + 1, column: (column % ((lines[at] ?? '').length + 1)) + 1, length };
        const text = frame({ ...plain, columns }, lines, place, 'error');
        expect(text).not.toMatch(/[^\n\P{C}]|\p{Default_Ignorable_Code_Point}/u);
        for (const row of text.split('\n')) expect(widthOf(row)).toBeLessThan(columns);
        expect(text.match(/\^/g)?.length).toBeGreaterThan(0);
      },
    ),
  );
});
