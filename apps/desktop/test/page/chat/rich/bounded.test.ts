import { DEEP, numbersFrom } from '@svc/testkit';
import type { Page } from 'playwright-core';
import { describe, expect, it as plainTest } from 'vitest';
import { bounded } from '../../../../page/src/chat/rich/bounded.ts';
import { NEEDS_BROWSER } from '../../support/browser.ts';
import type { openFakeDesktop } from '../../support/fake-desktop.ts';
import { pageTest as it } from '../../support/page-test.ts';
import { CHAT, message, text } from '../../support/sample-chats.ts';

type Node = { type: string; value?: string; children?: Node[] };

describe('the depth of what is drawn', () => {
  plainTest('is bounded, and keeps the text in its order', () => {
    let deep: Node = { type: 'text', value: 'innermost' };
    for (let n = 0; n < 200_000; n += 1)
      deep = { type: 'element', children: [{ type: 'text', value: n < 3 ? `${n}` : '' }, deep] };
    const root: Node = { type: 'root', children: [deep, { type: 'text', value: 'after' }] };
    bounded()(root);
    let depth = 0;
    let said = '';
    const walk = (node: Node, level: number): void => {
      depth = Math.max(depth, level);
      said += node.value ?? '';
      for (const child of node.children ?? []) walk(child, level + 1);
    };
    walk(root, 0);
    expect(depth).toBeLessThan(70);
    expect(said).toBe('210innermostafter');
  });
});

/** Code of three languages whose highlighting nests once for each of these. */
const NESTED = [
  `\`\`\`js\n${'${`'.repeat(2_000)}`,
  `\`\`\`ruby\n${'"#{'.repeat(3_000)}`,
  `\`\`\`bash\n${'"$('.repeat(3_000)}`,
];

const PIECES = [
  ...[
    'a ',
    'word ',
    '*',
    '**',
    '_',
    '~~',
    '`',
    '``',
    '[',
    '](',
    '![',
    ']',
    '<',
    '<a>',
    '</',
    '<!--',
    '&amp;',
    '&#x202e;',
  ],
  ...[
    '> ',
    '- ',
    '1. ',
    '# ',
    '| ',
    '|-|-|\n',
    '- [ ] ',
    '  ',
    '    ',
    '\t',
    '\n',
    '\n\n',
    '---\n',
    '[^a]',
    '[^a]: ',
    '[a]: x\n',
  ],
  ...[
    '$',
    '$$',
    '\\(',
    '\\[',
    '\\frac{',
    '\\sqrt{',
    '^{',
    '_{',
    '}',
    '\\left(',
    '\\begin{matrix}',
    '\\text{',
    '\\def\\a{\\a\\a}',
  ],
  ...[
    '```js\n',
    '```ruby\n',
    '```bash\n',
    '```html\n',
    '```json\n',
    '```css\n',
    '```php\n',
    '```\n',
    '~~~\n',
    '${`',
    '"#{',
    '"$(',
    '{',
    '(',
    '"',
    "'",
  ],
  ...['https://a.example/ ', 'a@b.example ', '\u202e', '\u0000', '\ud800', '😀', 'é', 'שלום ', '\\', '\\*'],
];

/** An answer of at most 20 kB: pieces, each alone, many times, or between others. */
function answerOf(random: () => number): string {
  const below = (end: number) => Math.floor(random() * end);
  const size = 1 + below(20_000) ** (1 - random() / 2);
  let said = '';
  while (said.length < size) {
    const piece = PIECES[below(PIECES.length)] ?? '';
    said += below(4) === 0 ? piece.repeat(1 + below(below(2) === 0 ? 20 : 3_000)) : piece;
  }
  const whole = said.slice(0, size);
  // Mutated: a part is moved.
  const [from, to] = [below(whole.length), below(whole.length)];
  return below(2) === 0 ? whole : whole.slice(from) + whole.slice(to, from) + whole.slice(0, to);
}

/** Shows answers one after the other. @returns the longest task of the page, in milliseconds */
async function show(
  desk: Awaited<ReturnType<typeof openFakeDesktop>>,
  page: Page,
  answers: Iterable<string>,
): Promise<number> {
  await page.evaluate(() => {
    const longest = { ms: 0 };
    Object.assign(window, { longest });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) longest.ms = Math.max(longest.ms, duration);
    }).observe({ type: 'longtask' });
  });
  let rev = 0;
  for (const answer of answers) {
    rev += 1;
    const said = `${answer}\n\nend-${rev}.`;
    desk.tell({ type: 'chat-message', chat: 'c1', rev, message: message(2, 'assistant', [text(said)]) });
    await page.waitForFunction(
      (end) => document.querySelector('.message.assistant')?.textContent.includes(end) === true,
      `end-${rev}.`,
    );
    const state = await page.evaluate(() => ({
      undrawn: document.querySelectorAll('.not-drawn, .error-state').length,
      composers: document.querySelectorAll('.composer textarea').length,
    }));
    expect([state, answer.slice(0, 200)]).toEqual([{ undrawn: 0, composers: 1 }, answer.slice(0, 200)]);
  }
  return page.evaluate(() => (window as unknown as { longest: { ms: number } }).longest.ms);
}

describe('hostile answers, in a real browser', NEEDS_BROWSER, () => {
  it('never take the page away: templates within templates, and fifty that are generated', async ({
    desk,
    page,
    visit,
  }) => {
    const messages = [message(1, 'user', [text('Go')]), message(2, 'assistant', [text('first')])];
    desk.answers['chats.open'] = () => ({ chat: CHAT, messages, more: false, rev: 0 });
    await visit('chat/c1', 'Chat');
    await page.getByText('first').waitFor();
    const random = numbersFrom(7);
    await show(desk, page, [...NESTED, ...Array.from({ length: 50 }, () => answerOf(random))]);
    await page.getByLabel('Message', { exact: true }).fill('still here');
  });

  it.for(Array.from({ length: 40 }, (_, part) => part))(
    'never take the page away: 20,000 that are generated and mutated, part %i',
    DEEP,
    async (part, { desk, page, visit }) => {
      const messages = [message(1, 'user', [text('Go')]), message(2, 'assistant', [text('first')])];
      desk.answers['chats.open'] = () => ({ chat: CHAT, messages, more: false, rev: 0 });
      await visit('chat/c1', 'Chat');
      await page.getByText('first').waitFor();
      const random = numbersFrom(100 + part);
      const longest = await show(
        desk,
        page,
        Array.from({ length: 500 }, () => answerOf(random)),
      );
      process.stdout.write(`500 answers, longest task ${Math.round(longest)} ms\n`);
    },
  );
});
