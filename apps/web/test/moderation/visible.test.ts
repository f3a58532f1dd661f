import { describe, expect, it } from 'vitest';
import { visible, visibleLines } from '../../src/moderation/visible.ts';

describe('the text that a reviewer sees', () => {
  it.each([
    ['an order that is turned around', 'safe\u202etxt.exe', 'safe⟨U+202E⟩txt.exe'],
    ['an isolate', 'if (a\u2066 // \u2069) {', 'if (a⟨U+2066⟩ // ⟨U+2069⟩) {'],
    ['a joiner inside a word', 'adm\u200din', 'adm⟨U+200D⟩in'],
    ['a letter that is blank', 'a\u3164b', 'a⟨U+3164⟩b'],
    ['a tag that no font shows', 'a\u{e0041}', 'a⟨U+E0041⟩'],
    ['a byte order mark', '\ufeffa', '⟨U+FEFF⟩a'],
    ['control characters', 'a\u0000\u001b[31m', 'a⟨U+0000⟩⟨U+001B⟩[31m'],
    ['half a character', 'a\ud800', 'a⟨U+D800⟩'],
    ['a line end of Unicode', 'a\u2028b', 'a⟨U+2028⟩b'],
  ])('names %s', (_what, hostile, shown) => {
    expect(visible(hostile)).toBe(shown);
  });

  it('keeps visible characters', () => {
    const text = '\tconst größe = "日本 ❤️ שלום";';
    expect(visible(text)).toBe(text);
    expect(visibleLines('a\r\nb\rc\u202e')).toBe('a\nb\nc⟨U+202E⟩');
  });
});
