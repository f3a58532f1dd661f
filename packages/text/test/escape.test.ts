import { describe, expect, it } from 'vitest';
import {
  escapeJson,
  escapeLines,
  escapeText,
  quoteText,
  type Target,
  visible,
  visibleLines,
} from '../src/escape.ts';

const EVIL = 'a\u001b[2J\r\n\u202eb\u2028<i>&\u{e0041}';

describe('escapeText', () => {
  it.each<[Target, string]>([
    ['terminal', 'a\\u001b[2J\\r\\n\\u202eb\\u2028<i>&\\u{e0041}'],
    ['agent', 'a\\u001b[2J\\r\\n\\u202eb\\u2028<i>&\\u{e0041}'],
    ['log', 'a\\u001b[2J\\r\\n\\u202eb\\u2028<i>&\\u{e0041}'],
    ['page', 'a⟨U+001B⟩[2J⟨U+000D⟩\n⟨U+202E⟩b⟨U+2028⟩<i>&⟨U+E0041⟩'],
    ['html', 'a⟨U+001B⟩[2J⟨U+000D⟩\n⟨U+202E⟩b⟨U+2028⟩&lt;i&gt;&amp;⟨U+E0041⟩'],
    ['mail', 'a [2J b <i>&'],
  ])('for %s', (target, shown) => expect(escapeText(EVIL, target)).toBe(shown));

  it('keeps visible characters and needed joiners', () => {
    for (const text of ['Notes', '👨\u200d👩\u200d👧', 'می\u200cخواهم', 'שלום'])
      expect(escapeText(text, 'terminal')).toBe(text);
  });

  it('cuts long text between characters', () => {
    expect(escapeText('x'.repeat(9), 'terminal', { most: 4 })).toBe('xxxx…');
    expect(escapeText('x😀', 'terminal', { most: 2 })).toBe('x\\ud83d…');
  });
});

describe('escapeLines', () => {
  it('begins each line with a mark, for all line endings', () => {
    expect(escapeLines('a\nsvc: b\r\nc\rd\u2028e', 'terminal', '| ')).toBe('| a\n| svc: b\n| c\n| d\\u2028e');
    expect(escapeLines('', 'agent', '> ')).toBe('>');
  });
});

describe('quoteText', () => {
  it('quotes, escapes and cuts', () => {
    expect(quoteText('say "hi" \\', 60)).toBe('"say \\"hi\\" \\\\"');
    expect(quoteText('a\n\u202e\u{e0041}', 60)).toBe('"a\\n\\u202e\\u{e0041}"');
    expect(quoteText('x'.repeat(61), 60)).toBe(`"${'x'.repeat(60)}…"`);
  });
});

describe('escapeJson', () => {
  it('keeps the value and has no invisible characters', () => {
    const value = { text: '\u001b\u009b\u202e\u2028\u{e0041}\ud800\n🎉', 'k\u202e': ['\u200b'] };
    for (const indent of [0, 2]) {
      const json = escapeJson(JSON.stringify(value, null, indent));
      expect(JSON.parse(json)).toEqual(value);
      expect(json).not.toMatch(/[^\n\P{C}]|\p{Default_Ignorable_Code_Point}|\p{Zl}/u);
    }
  });
});

describe('the text that a reader of a page sees', () => {
  it.each([
    ['an order that is turned around', 'safe\u202etxt.exe', 'safe⟨U+202E⟩txt.exe'],
    ['an isolate', 'if (a\u2066 // \u2069) {', 'if (a⟨U+2066⟩ // ⟨U+2069⟩) {'],
    ['a space without width', 'admin\u200B', 'admin⟨U+200B⟩'],
    ['a joiner inside a word', 'adm\u200din', 'adm⟨U+200D⟩in'],
    ['a letter that is blank', 'a\u3164b', 'a⟨U+3164⟩b'],
    ['a tag that no font shows', 'a\u{e0041}', 'a⟨U+E0041⟩'],
    ['a byte order mark', '\ufeffa', '⟨U+FEFF⟩a'],
    ['control characters', 'a\u0000\u0007\u001b[31m', 'a⟨U+0000⟩⟨U+0007⟩⟨U+001B⟩[31m'],
    ['half a character', 'a\ud800', 'a⟨U+D800⟩'],
    ['a line end of Unicode', 'a\u2028b', 'a⟨U+2028⟩b'],
  ])('names %s', (_what, hostile, shown) => expect(visible(hostile)).toBe(shown));

  it('keeps visible characters', () => {
    const text = '\tconst größe = "日本 ❤\ufe0f é שלום 👋 🌿";\nzwei';
    expect(visible(text)).toBe(text);
    expect(visibleLines('a\r\nb\rc\u202e')).toBe('a\nb\nc⟨U+202E⟩');
  });
});
