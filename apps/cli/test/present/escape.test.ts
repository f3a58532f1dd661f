import { expect, it } from 'vitest';
import { escapeLines, escapeText, jsonLine } from '../../src/present/escape.ts';

it.each([
  ['\u001b[31m', '\\u001b[31m'],
  ['a\r\nb\tc', 'a\\r\\nb\\tc'],
  ['\u009b2J\u007f', '\\u009b2J\\u007f'],
  ['\u202e\u2066\u200b\ufeff', '\\u202e\\u2066\\u200b\\ufeff'],
  ['\u2028\u2029', '\\u2028\\u2029'],
  ['\ud800x', '\\ud800x'],
  ['\u{e0041}', '\\u{e0041}'],
  ['Grüße, 世界 🎉', 'Grüße, 世界 🎉'],
])('shows %j as %s', (text, shown) => {
  expect(escapeText(text)).toBe(shown);
});

it('cuts what is endless', () => {
  expect(escapeText('a'.repeat(100_000)).length).toBeLessThan(5_000);
});

it('indents each line', () => {
  expect(escapeLines('a\n\u0007b\n', '  ')).toBe('  a\n  \\u0007b\n');
});

it('writes JSON that reads back the same', () => {
  const value = { text: '\u001b\u009b\u202e\u2028\ud800\u{e0041}\n🎉' };
  const line = jsonLine(value);
  expect(JSON.parse(line)).toEqual(value);
  expect(line).not.toMatch(/[^\n\P{C}]|\p{Zl}/u);
  expect(line.match(/\n/g)).toHaveLength(1);
});
