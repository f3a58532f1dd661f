import { describe, expect, it } from 'vitest';
import { codePointName, hasVisible, hiddenIn, isPlainLine, isPlainText } from '../src/hidden.ts';

describe('hiddenIn', () => {
  it.each([
    ['', null],
    ['Notes', null],
    ['é, e\u0301, ñ, 日本, שלום, العربية', null],
    ['a\u202egpj.exe', { index: 1, codePoint: 0x202e }],
    ['\u2067cvs', { index: 0, codePoint: 0x2067 }],
    ['a\u0000', { index: 1, codePoint: 0 }],
    ['\u001b[31m', { index: 0, codePoint: 0x1b }],
    ['a\u009b', { index: 1, codePoint: 0x9b }],
    ['a\u200bb', { index: 1, codePoint: 0x200b }],
    ['a\u2028', { index: 1, codePoint: 0x2028 }],
    ['😀\u{e0041}', { index: 2, codePoint: 0xe0041 }],
    ['\ue000', { index: 0, codePoint: 0xe000 }],
    ['\ud800', { index: 0, codePoint: 0xd800 }],
    ['\uffff', { index: 0, codePoint: 0xffff }],
    ['\u3164', { index: 0, codePoint: 0x3164 }],
    ['a\u00adb', { index: 1, codePoint: 0xad }],
    ['a\u061c', { index: 1, codePoint: 0x61c }],
    ['a\ufff9b', { index: 1, codePoint: 0xfff9 }],
    ['a\nb', { index: 1, codePoint: 10 }],
  ])('%j', (text, hidden) => expect(hiddenIn(text)).toEqual(hidden));

  it('allows only line feeds and tabs in a text with lines', () => {
    expect(isPlainText('a\n\tb')).toBe(true);
    expect(isPlainText('a\r\nb')).toBe(false);
    expect(isPlainText('a\vb')).toBe(false);
    expect(isPlainLine('a\tb')).toBe(false);
  });
});

describe('joiners and selectors', () => {
  it.each([
    ['a family', '👨\u200d👩\u200d👧'],
    ['the rainbow flag', '🏳\ufe0f\u200d🌈'],
    ['a skin tone', '🕵🏻\u200d♂\ufe0f'],
    ['a keycap', '1\ufe0f\u20e3'],
    ['a heart, and one in text style', '❤\ufe0f ❤\ufe0e'],
    ['the flag of Scotland', '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}'],
    ['Persian', 'می\u200cخواهم'],
    ['Sorani', 'به\u200cفره\u200c'],
    ['the Hijri abbreviation', 'ه\u200d'],
    ['Devanagari', 'क्\u200dष र्\u200cय'],
    ['Bengali', 'র\u200d্য'],
    ['Malayalam', 'ന്\u200d'],
    ['Sinhala', 'ශ්\u200dරී'],
    ['an ideographic variant', '葛\u{e0100}城'],
    ['Mongolian', '\u1820\u180b\u1828'],
  ])('are accepted in %s', (_, text) => expect(hiddenIn(text)).toBeNull());

  it.each([
    ['between Latin letters', 'ad\u200dmin'],
    ['at the end of an emoji', '👨\u200d'],
    ['between digits', '1\u200d2'],
    ['twice', '👨\u200d\u200d👩'],
    ['a selector after a letter', 'a\ufe0f'],
    ['a second selector', '❤\ufe0f\ufe0f'],
    ['bytes in selectors after an emoji', '😀\u{e0101}\u{e0102}'],
    ['two selectors after an ideograph', '葛\u{e0100}\u{e0101}'],
    ['hidden words in tags after a flag', '🏴\u{e0069}\u{e0067}\u{e006e}\u{e007f}'],
    ['after a space', 'می \u200cخواهم'],
    ['two in a row', 'می\u200c\u200cخواهم'],
  ])('are refused: %s', (_, text) => expect(hiddenIn(text)).not.toBeNull());

  it('are checked in linear time', () => {
    const time = (length: number) => {
      const text = '👨\u200da\u200d'.repeat(length);
      const from = process.cpuUsage();
      hiddenIn(text);
      for (let at = 0; at < 20; at += 1) hiddenIn(`${'👨\u200d👩 '.repeat(length)}`);
      const { user, system } = process.cpuUsage(from);
      return user + system;
    };
    time(1_000);
    expect(time(40_000)).toBeLessThan(40 * time(4_000) + 20_000);
  });
});

it('recognises visible characters', () => {
  for (const text of ['a', ' a ', '名', '😀', '?']) expect(hasVisible(text)).toBe(true);
  for (const text of ['', ' ', '\u200b', '\u3164', '\u2800', '\u0301', '\u202e'])
    expect(hasVisible(text)).toBe(false);
});

it('writes code points as Unicode does', () => {
  expect([0x9, 0x202e, 0xe0041].map(codePointName)).toEqual(['U+0009', 'U+202E', 'U+E0041']);
});
