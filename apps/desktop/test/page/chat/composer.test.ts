import { describe, expect } from 'vitest';
import { NEEDS_BROWSER } from '../support/browser.ts';
import { pageTest as it } from '../support/page-test.ts';

describe('the message field, in a real browser', NEEDS_BROWSER, () => {
  it('edits the last message with ArrowUp, cancels with Escape, and sends the edit as a branch', async ({
    page,
    visit,
    askedFor,
  }) => {
    await visit('chat/c1', 'Chat');
    await page.getByText('maple').waitFor();
    const field = page.getByLabel('Message', { exact: true });
    await expect.poll(() => field.evaluate((one) => one === document.activeElement)).toBe(true);
    await page.keyboard.press('ArrowUp');
    expect(await field.inputValue()).toBe('Which leaf is this?');
    await page.getByText('Editing an earlier message.').waitFor();
    await page.keyboard.press('Escape');
    expect(await field.inputValue()).toBe('');
    expect(await page.getByText('Editing an earlier message.').count()).toBe(0);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.type(' And this?');
    await page.keyboard.press('Enter');
    await expect
      .poll(() => askedFor('chats.send'))
      .toEqual([{ chat: 'c1', text: 'Which leaf is this? And this?', files: [], show: false, after: null }]);
    // In a field with text, the key moves the cursor.
    await field.fill('one');
    await page.keyboard.press('ArrowUp');
    expect(await field.inputValue()).toBe('one');
  });
});
