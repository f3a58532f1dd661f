import { describe, expect } from 'vitest';
import type { ListedChat } from '../../../src/wire/chat.ts';
import { NEEDS_BROWSER } from '../support/browser.ts';
import { pageTest as it } from '../support/page-test.ts';
import { CHAT, message, text } from '../support/sample-chats.ts';

const listed = (n: number): ListedChat => ({
  ...CHAT,
  id: `c${n}`,
  title: `Chat ${n}`,
  at: new Date().toISOString(),
});

describe('the list of conversations, in a real browser', NEEDS_BROWSER, () => {
  it('is whole, by day with the pinned ones first, and archives in a row', async ({
    askedFor,
    desk,
    page,
    visit,
  }) => {
    const all = [{ ...listed(0), pinned: true }, ...Array.from({ length: 326 }, (_, n) => listed(n + 1))];
    desk.answers['chats.list'] = ({ limit = 0, archived = false }) =>
      archived ? { chats: [] } : { chats: all.slice(0, limit), more: limit < all.length };
    await visit('chat', 'Chat');
    const list = page.getByRole('complementary', { name: 'Conversations' });
    await list.getByRole('region', { name: 'Pinned' }).getByRole('link', { name: 'Chat 0' }).waitFor();
    const scrolled = async () => {
      await list.getByRole('listitem').last().scrollIntoViewIfNeeded();
      await list
        .getByRole('button', { name: 'Show more' })
        .scrollIntoViewIfNeeded({ timeout: 1_000 })
        .catch(() => undefined);
      return list.getByRole('listitem').count();
    };
    // A reader scrolls on, also where a busy machine draws late.
    for (const many of [200, 300, 327]) await expect.poll(scrolled).toBeGreaterThanOrEqual(many);
    await list.getByRole('region', { name: 'Today' }).getByRole('link', { name: 'Chat 326' }).waitFor();
    await list.getByRole('button', { name: 'Actions for Chat 1', exact: true }).click();
    await page.getByRole('button', { name: 'Archive', exact: true }).click();
    await expect.poll(() => askedFor('chats.change')).toEqual([{ chat: 'c1', archived: true }]);
    await list.getByRole('button', { name: 'Show archived' }).click();
    await list.getByText('No conversation is archived.').waitFor();
  });

  it('shows the words that a search found, and opens at them', async ({ askedFor, desk, page, visit }) => {
    const match = { message: 41, before: 'a leaf of a ', words: 'maple', after: ' tree' };
    desk.answers['chats.list'] = ({ q }) => ({ chats: q ? [{ ...listed(1), match }] : [listed(1)] });
    const messages = Array.from({ length: 60 }, (_, n) =>
      message(n + 1, n % 2 === 0 ? 'user' : 'assistant', [
        text(n === 40 ? 'A leaf of a Maple tree' : `Line ${n}\n\n`.repeat(9)),
      ]),
    );
    desk.answers['chats.open'] = ({ at }) => ({
      ...{ chat: listed(1), messages, more: true, rev: 0 },
      ...(at !== undefined && { newer: true }),
    });
    await visit('chat', 'Chat');
    await page.getByRole('searchbox', { name: 'Search conversations' }).fill('maple');
    await page.locator('.chats mark').getByText('maple').waitFor();
    await page.getByRole('link', { name: /^Chat 1/ }).click();
    const found = page.locator('.thread').getByText('A leaf of a Maple tree');
    await found.waitFor();
    expect(askedFor('chats.open')).toEqual([{ chat: 'c1', at: 41 }]);
    await expect.poll(() => found.evaluate((one) => one.getBoundingClientRect().top)).toBeGreaterThan(0);
    await expect
      .poll(() => found.evaluate((one) => one.getBoundingClientRect().bottom < innerHeight))
      .toBe(true);
    expect(await page.evaluate('[...CSS.highlights.get("found")].map(String)')).toEqual(['Maple']);
    await page.getByRole('button', { name: 'Jump to latest' }).click();
    await expect.poll(() => askedFor('chats.open').at(-1)).toEqual({ chat: 'c1' });
  });
});
