import { Issue } from '@svc/contracts';
import { expect, test } from 'vitest';
import { quote, Refusal } from '../src/refusal.ts';

test('a refusal converts to a valid issue', () => {
  const issue = new Refusal('ui/a.js', 'Why.').toIssue();
  expect(issue).toEqual({ code: 'invalid_bundle', level: 'error', path: 'ui/a.js', message: 'Why.' });
  expect(Issue.parse(issue)).toEqual(issue);
});

test('a quoted name is escaped and cut', () => {
  expect(quote('a"\n')).toBe('"a\\"\\n"');
  expect(quote('x'.repeat(500))).toHaveLength(83);
  expect(quote(`${'x'.repeat(79)}😀`).isWellFormed()).toBe(true);
});

test('a quoted name has no control, bidirectional or invisible characters', () => {
  // A C1 control sequence, a right-to-left override, a line separator, a zero-width joiner and a tag character.
  expect(quote('\x9b2J')).toBe('"\\u009b2J"');
  expect(quote('a\u202egpj.exe')).toBe('"a\\u202egpj.exe"');
  expect(quote('\u2028\u200d\u{e0041}')).toBe('"\\u2028\\u200d\\u{e0041}"');
});
