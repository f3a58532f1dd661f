import { describe, expect, it } from 'vitest';
import { escapeJson, escapeLines, escapeText, quoteText, type Target } from '../src/escape.ts';

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
