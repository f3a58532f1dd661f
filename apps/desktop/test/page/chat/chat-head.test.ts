import { describe, expect } from 'vitest';
import { NEEDS_BROWSER } from '../support/browser.ts';
import { pageTest as it } from '../support/page-test.ts';
import { CHAT } from '../support/sample-chats.ts';

describe('the head of a conversation, in a real browser', NEEDS_BROWSER, () => {
  it('deletes the conversation after a confirmation', async ({ desk, page, visit, askedFor }) => {
    desk.answers['chats.remove'] = () => ({});
    await visit('chat/c1', 'Chat');
    await page.getByLabel('More').click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Delete this conversation?').waitFor();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    expect(askedFor('chats.remove')).toEqual([]);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Delete');
    await page.keyboard.press('Enter');
    await page.getByRole('group').getByRole('button', { name: 'Delete' }).click();
    await expect.poll(() => askedFor('chats.remove')).toEqual([{ chat: 'c1' }]);
    await expect.poll(() => new URL(page.url()).hash).toBe('#/chat');
  });

  it('offers to edit the last message only when there is one', async ({ desk, page, visit }) => {
    const offered = async () => {
      await page.keyboard.press('Control+k');
      await page.getByPlaceholder('Find pages').fill('your last message');
      await page.locator('.palette :is([role=option], .palette-empty)').first().waitFor();
      const found = await page.getByRole('option', { name: 'Edit your last message' }).count();
      await page.keyboard.press('Escape');
      return found;
    };
    await visit('chat/c1', 'Chat');
    await page.getByText('maple').waitFor();
    expect(await offered()).toBe(1);
    desk.answers['chats.open'] = () => ({ chat: { ...CHAT, id: 'c2' }, messages: [], more: false, rev: 0 });
    await visit('chat/c2', 'Chat');
    await page.getByLabel('More').waitFor();
    expect(await offered()).toBe(0);
  });

  it('sets whether the model receives the pictures that apps return', async ({ askedFor, page, visit }) => {
    await visit('chat/c1', 'Chat');
    await page.getByLabel('More').click();
    await page.getByText('Parameters of the model').click();
    await page.getByLabel('Pictures that apps return').selectOption('Do not show');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect.poll(() => askedFor('chats.change')).toEqual([{ chat: 'c1', params: { pictures: false } }]);
  });

  it('chooses the model of new conversations, and of another answer', async ({
    askedFor,
    desk,
    page,
    visit,
  }) => {
    desk.answers['chats.retry'] = () => ({});
    await visit('chat', 'Chat');
    const large = '{"provider":"local","model":"large-model"}';
    await page.getByLabel('Model', { exact: true }).selectOption(large);
    await expect.poll(() => askedFor('models.choose')).toEqual([JSON.parse(large)]);
    await visit('chat/c1', 'Chat');
    await page.getByRole('button', { name: 'Ask another model…' }).click();
    const models = page.getByLabel('Ask another model', { exact: true });
    await expect.poll(() => models.locator('option').count()).toBe(3);
    await models.selectOption(large);
    await expect
      .poll(() => askedFor('chats.retry'))
      .toEqual([{ chat: 'c1', message: 2, model: JSON.parse(large) }]);
    await page.getByRole('button', { name: 'Ask another model…' }).waitFor();
  });
});
