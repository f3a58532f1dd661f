import { describe, expect } from 'vitest';
import { NEEDS_BROWSER } from '../support/browser.ts';
import { RefusalError } from '../support/fake-desktop.ts';
import { pageTest as it } from '../support/page-test.ts';
import { CHAT } from '../support/sample-chats.ts';

const TEMPORARY = { ...CHAT, id: 'temporary-1', title: '', temporary: true };

describe('a temporary chat, in a real browser', NEEDS_BROWSER, () => {
  it('takes what is written with it, says what it is, is listed apart, and is closed after a question', async ({
    askedFor,
    desk,
    page,
    visit,
  }) => {
    desk.answers['chats.create'] = () => ({ chat: TEMPORARY });
    desk.answers['chats.remove'] = () => ({});
    desk.answers['chats.list'] = () => ({ chats: [TEMPORARY, { ...CHAT, pinned: true }] });
    desk.answers['chats.open'] = ({ chat }) => ({
      ...{ chat: { ...TEMPORARY, id: chat }, messages: [], more: false, rev: 0 },
      linked: { from: null, next: null },
    });
    await visit('chat', 'Chat');
    await page.getByLabel('Message', { exact: true }).fill('A secret');
    await page.getByRole('button', { name: 'Temporary', exact: true }).click();
    await page.getByText('It is not stored on disk.').waitFor();
    expect(new URL(page.url()).hash).toBe('#/chat/temporary-1');
    expect(askedFor('chats.create')).toEqual([{ project: 'p1', temporary: true }]);
    expect(
      askedFor('chats.saveDraft').filter((one) => JSON.stringify(one).includes('A secret')),
    ).toContainEqual({
      ...{ project: 'p1', chat: 'temporary-1', text: 'A secret', files: [] },
    });
    const groups = page.getByRole('complementary', { name: 'Conversations' }).getByRole('heading');
    expect(await groups.allTextContents()).toEqual(['Temporary', 'Pinned']);
    const notice = page.locator('.temporary-notice');
    await notice.getByRole('button', { name: 'Close' }).click();
    await page.getByText('Nothing of it is kept.').waitFor();
    await notice.getByRole('group').getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => askedFor('chats.remove')).toEqual([{ chat: 'temporary-1' }]);
  });

  it('writes nothing to the storage of the browser where its draft cannot be saved', async ({
    desk,
    page,
    visit,
  }) => {
    desk.answers['chats.saveDraft'] = () => {
      throw new RefusalError('internal', 'The disk is full.');
    };
    desk.answers['chats.open'] = () => ({
      ...{ chat: TEMPORARY, messages: [], more: false, rev: 0 },
      linked: { from: null, next: null },
    });
    await visit('chat/temporary-1', 'Chat');
    await page.getByText('It is not stored on disk.').waitFor();
    await page.getByLabel('Message', { exact: true }).fill('A secret');
    await expect
      .poll(() => desk.asked.filter(({ name }) => name === 'chats.saveDraft').length)
      .toBeGreaterThan(0);
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }))).not.toContain(
      'secret',
    );
  });
});
