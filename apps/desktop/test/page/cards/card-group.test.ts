import type { ApprovalCard } from '@svc/runtime';
import { describe, expect } from 'vitest';
import { NEEDS_BROWSER } from '../support/browser.ts';
import { pageTest as it } from '../support/page-test.ts';
import { CHAT, call, message, text } from '../support/sample-chats.ts';
import { CARDS, waiting } from '../support/sample-data.ts';

const cardOf = (name: string, more: Partial<ApprovalCard> = {}): ApprovalCard => ({
  ...CARDS.approval,
  ...{ files: [], mayAllowInChat: true, tool: { id: name.toLowerCase(), name }, title: `Run ${name}?` },
  ...more,
});

/** A running answer whose calls wait on these cards. */
const messagesOf = (cards: readonly ApprovalCard[]) => [
  message(1, 'user', [text('All of it')]),
  message(
    2,
    'assistant',
    cards.map((card, at) =>
      call({
        ...{ id: `x${at}`, state: 'running', text: '', ms: null },
        cards: [{ id: `k${at}`, card, state: 'waiting' }],
      }),
    ),
    { status: 'running' },
  ),
];

describe('the card for several calls, in a real browser', NEEDS_BROWSER, () => {
  it('names a call that deletes, in view and not ticked, beside a long one, and grants what is ticked', async ({
    desk,
    page,
    visit,
    askedFor,
  }) => {
    const long = cardOf('List', { arguments: { lines: Array.from({ length: 60 }, (_, n) => `line ${n}`) } });
    const cards = [long, cardOf('Delete all', { effect: 'destroys', arguments: {} })];
    desk.answers['chats.open'] = () => ({
      ...{ chat: { ...CHAT, running: true }, messages: messagesOf(cards), more: false, rev: 0 },
    });
    desk.answers['cards.answer'] = () => ({});
    await page.setViewportSize({ width: 390, height: 700 });
    await visit('chat/c1', 'Chat');
    for (const [at, card] of cards.entries())
      desk.tell({ type: 'card', card: { ...waiting(`k${at}`, card), chat: 'c1' } });
    const group = page.getByRole('region', { name: 'Run 2 calls: Delete all, List?' });
    const ticks = group.getByRole('checkbox');
    await ticks.nth(1).waitFor();
    expect(await Promise.all([ticks.nth(0).isChecked(), ticks.nth(1).isChecked()])).toEqual([true, false]);
    for (const line of await group.locator('.call-line label').all())
      expect(await line.evaluate((one) => one.getBoundingClientRect().bottom < window.innerHeight)).toBe(
        true,
      );
    await group.getByText('may delete or overwrite').waitFor();
    const first = group.locator('.call-line label').first();
    expect(await first.innerText()).toMatch(/may change something · sends \d+ bytes/);
    await group.getByText('“Allow in this chat” covers List.').waitFor();
    await group.getByRole('button', { name: 'Allow in this chat', disabled: false }).click();
    const binding = 'approval-binding';
    await expect
      .poll(() => askedFor('cards.answer'))
      .toEqual([
        { cardId: 'k0', answer: { accepted: true, binding, allowInChat: true } },
        { cardId: 'k1', answer: { accepted: false } },
      ]);
  });

  it('is approved only once every ticked call was in view', async ({ desk, page, visit, askedFor }) => {
    const cards = Array.from({ length: 16 }, (_, n) => cardOf(`Tool ${n}`));
    desk.answers['chats.open'] = () => ({
      ...{ chat: { ...CHAT, running: true }, messages: messagesOf(cards), more: false, rev: 0 },
    });
    desk.answers['cards.answer'] = () => ({});
    await page.setViewportSize({ width: 390, height: 560 });
    await visit('chat/c1', 'Chat');
    for (const [at, card] of cards.entries())
      desk.tell({ type: 'card', card: { ...waiting(`k${at}`, card), chat: 'c1' } });
    const group = page.getByRole('region', {
      name: 'Run 16 calls: Tool 0, Tool 1, Tool 2 and 13 more tools?',
    });
    await group.getByText('Scroll to every ticked call first.').waitFor();
    const all = group.getByRole('button', { name: 'Allow all' });
    await all.press('Enter');
    expect(askedFor('cards.answer')).toEqual([]);
    for (const line of await group.locator('.call-line label').all()) {
      await line.scrollIntoViewIfNeeded();
      // The page learns with the next frame what is in view.
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    }
    await group.getByRole('button', { name: 'Allow all', disabled: false }).click();
    await expect.poll(() => askedFor('cards.answer').length).toBe(16);
  });
});
