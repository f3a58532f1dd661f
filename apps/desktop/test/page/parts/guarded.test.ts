import { describe, expect } from 'vitest';
import type { ChatPart } from '../../../src/wire/chat.ts';
import type { WaitingCard } from '../../../src/wire/views.ts';
import { NEEDS_BROWSER } from '../support/browser.ts';
import { pageTest as it } from '../support/page-test.ts';
import { CHAT, MESSAGES, message, text } from '../support/sample-chats.ts';
import { CARDS, waiting } from '../support/sample-data.ts';

/** What the page cannot draw, whatever it checks before: a value that the desktop never sends. */
const BROKEN = { type: 'call', step: 0, call: { text: 'kept text', cards: null } } as unknown as ChatPart;
const { kind, app, title } = CARDS.approval;
const brokenCard = { ...waiting('b1', CARDS.approval), card: { kind, app, title } } as unknown as WaitingCard;

describe('what cannot be drawn, in a real browser', NEEDS_BROWSER, () => {
  it('is one message, which can be read, copied and deleted; the others stay', async ({
    desk,
    page,
    tab,
    visit,
    askedFor,
  }) => {
    let messages = [...MESSAGES, message(3, 'user', [text('More?')]), message(4, 'assistant', [BROKEN])];
    desk.answers['chats.open'] = () => ({ chat: CHAT, messages, more: false, rev: 0 });
    desk.answers['chats.removeMessage'] = () => {
      messages = messages.with(3, message(4, 'assistant', [{ type: 'notice', code: 'removed' }]));
      desk.tell({ type: 'chat-path', chat: 'c1' });
      return {};
    };
    await visit('chat/c1', 'Chat');
    await page.getByText('This message could not be drawn.').waitFor();
    await page.getByText('maple').waitFor();
    await page.getByLabel('Message', { exact: true }).fill('still here');
    await page.getByRole('button', { name: 'Show as text' }).click();
    await page.getByText('kept text').waitFor();
    expect(await page.locator('.not-drawn').getByRole('button', { name: 'Copy' }).count()).toBe(1);
    await page.locator('.not-drawn').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('group').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('You deleted this message.').waitFor();
    expect(askedFor('chats.removeMessage')).toEqual([{ chat: 'c1', message: 4 }]);
    expect(await page.getByText('could not be drawn').count()).toBe(0);
    tab.incidents.length = 0;
  });

  it('is one card, which can only be declined, in its conversation and in a dialog', async ({
    desk,
    page,
    tab,
    visit,
    askedFor,
    dialog,
  }) => {
    desk.answers['cards.answer'] = () => ({});
    await visit('chat/c1', 'Chat');
    await page.getByText('maple').waitFor();
    desk.tell({ type: 'card', card: brokenCard });
    await dialog().getByRole('heading', { name: 'This card could not be drawn' }).waitFor();
    expect(await dialog().getByRole('button').allInnerTexts()).toEqual(['Decline']);
    await dialog().getByRole('button', { name: 'Decline' }).click();
    await dialog().waitFor({ state: 'detached' });
    expect(askedFor('cards.answer')).toEqual([{ cardId: 'b1', answer: { accepted: false } }]);
    const asks = [{ id: 'b2', card: brokenCard.card, state: 'waiting' as const }];
    const calls = message(2, 'assistant', [
      { type: 'call', step: 0, call: { ...callOf(), cards: asks, state: 'running' } },
    ]);
    desk.tell({ type: 'chat-message', chat: 'c1', rev: 1, message: { ...calls, status: 'running' } });
    desk.tell({ type: 'card', card: { ...brokenCard, id: 'b2', chat: 'c1' } });
    const card = page.locator('.not-drawn');
    await card.getByText('This card could not be drawn.').waitFor();
    expect(await page.locator('.inline-card').count()).toBe(0);
    await card.getByRole('button', { name: 'Decline' }).click();
    await card.waitFor({ state: 'detached' });
    tab.incidents.length = 0;
  });
});

function callOf() {
  const part = MESSAGES.flatMap(({ parts }) => parts).find((one) => one.type === 'call');
  return part?.type === 'call' ? part.call : expect.fail();
}
