import { describe, expect } from 'vitest';
import type { ChatMessage } from '../../../src/wire/chat.ts';
import { NEEDS_BROWSER } from '../support/browser.ts';
import { pageTest as it } from '../support/page-test.ts';
import { CHAT, failed, message, text } from '../support/sample-chats.ts';

const usage = (input: number, output: number) => ({ type: 'usage' as const, step: 0, input, output });

const answered = (...parts: ChatMessage['parts']) => [
  message(1, 'user', [text('Hi')]),
  message(2, 'assistant', [text('Hello'), ...parts]),
];

describe('the context of a conversation, in a real browser', NEEDS_BROWSER, () => {
  it('is shown with its limit and price, and offers a summary where it is long or too long', async ({
    askedFor,
    desk,
    page,
    visit,
  }) => {
    // What was counted before stays until more is.
    let messages = [...answered(usage(1, 1), usage(49_000, 1_000)), message(3, 'user', [text('x')])];
    const linked = { from: null, next: null };
    desk.answers['chats.open'] = ({ chat }) => ({
      ...{ chat: { ...CHAT, id: chat }, messages, more: false, rev: 0, linked },
    });
    const before = desk.answers['models.list'];
    desk.answers['models.list'] = async () => {
      const listed = await before?.({});
      if (!listed) throw new Error('There are no models.');
      const facts = { 'small-model': { context: 100_000, price: { input: 3, output: 9 } } };
      return { ...listed, providers: listed.providers.map((one) => ({ ...one, facts })) };
    };
    await visit('chat/c1', 'Chat');
    const cost = page.locator('.context-cost');
    await expect.poll(() => cost.textContent()).toBe('50,000 of 100,000 tokens, $0.15');
    const go = cost.getByRole('button', { name: 'Summarise and go on' });
    messages = answered(usage(81_000, 1));
    desk.tell({ type: 'chats' });
    await go.waitFor();
    // A first message that is too long has nothing before it.
    messages = [message(1, 'user', [text('Hi')]), failed('context', 'Too long.')];
    desk.tell({ type: 'chats' });
    await go.waitFor({ state: 'detached' });
    messages = [
      ...answered(),
      message(3, 'user', [text('Hi')]),
      { ...failed('context', 'Too long.'), id: 4 },
    ];
    desk.tell({ type: 'chats' });
    await go.waitFor();
    messages = answered({ type: 'notice', code: 'trimmed' });
    desk.tell({ type: 'chats' });
    await expect.poll(() => cost.textContent()).toBe('Summarise and go on');
    let answer: 'refuse' | 'wait' | 'go' = 'refuse';
    desk.answers['chats.summarise'] = async () => {
      if (answer === 'wait') await new Promise(() => undefined);
      if (answer === 'refuse') return { chat: null, fault: { code: 'busy', message: 'Try later.' } };
      return { chat: { ...CHAT, id: 'c9' }, fault: null };
    };
    await go.click();
    await page.getByText('Try later.').waitFor();
    answer = 'wait';
    await go.click();
    await cost.getByRole('button', { name: 'Stop' }).click();
    await go.waitFor();
    answer = 'go';
    messages = [
      message(1, 'user', [
        {
          type: 'summary',
          text: 'They chose **maple**.',
          from: { id: 'c1', title: 'Trees' },
          isShortened: true,
        },
      ]),
    ];
    linked.from = { id: 'c1', title: 'Trees' } as never;
    await go.click();
    await expect.poll(() => new URL(page.url()).hash).toBe('#/chat/c9');
    await page.getByText('Its earliest messages are not in the summary.').waitFor();
    expect(await page.locator('.summary strong').textContent()).toBe('maple');
    expect(await page.getByRole('link', { name: 'Trees' }).getAttribute('href')).toBe('#/chat/c1');
    expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0);
    expect(askedFor('chats.summarise')).toHaveLength(3);
  });
});
