import { describe, expect } from 'vitest';
import { NEEDS_BROWSER } from '../support/browser.ts';
import { RefusalError } from '../support/fake-desktop.ts';
import { pageTest as it } from '../support/page-test.ts';

describe('the list of conversations, in a real browser', NEEDS_BROWSER, () => {
  it('renames and deletes a conversation, also one that cannot be opened', async ({
    desk,
    page,
    visit,
    askedFor,
  }) => {
    desk.answers['chats.remove'] = () => ({});
    desk.answers['chats.open'] = () => {
      throw new RefusalError('internal', 'The conversation could not be read.', 500);
    };
    await visit('chat/c1', 'Chat');
    await page.getByText('The conversation could not be read.').waitFor();
    const actions = page.getByRole('button', { name: 'Actions for Plan the garden' });
    await actions.click();
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByLabel('Title', { exact: true }).fill('Autumn');
    await page.keyboard.press('Enter');
    await expect.poll(() => askedFor('chats.change')).toEqual([{ chat: 'c1', title: 'Autumn' }]);
    // A dialog that closes gives the focus back, which closes a menu.
    await expect.poll(() => page.getByLabel('Title', { exact: true }).count()).toBe(0);
    await actions.click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('group').getByRole('button', { name: 'Delete' }).click();
    await expect.poll(() => askedFor('chats.remove')).toEqual([{ chat: 'c1' }]);
    await expect.poll(() => new URL(page.url()).hash).toBe('#/chat');
  });
});
