import { describe, expect } from 'vitest';
import { NEEDS_BROWSER } from '../support/browser.ts';
import { pageTest as it } from '../support/page-test.ts';

describe('what the model may use, in a real browser', NEEDS_BROWSER, () => {
  it('is a number of tools that opens the list, in which an app is switched off for the conversation', async ({
    askedFor,
    page,
    visit,
  }) => {
    await visit('chat/c1', 'Chat');
    const chip = page.getByRole('button', { name: /what the model may use$/ });
    const before = await chip.textContent();
    expect(before).toMatch(/^[1-9]\d* tools?$/);
    await chip.click();
    const list = page.locator('.tool-list');
    await list.getByText('in this conversation.').waitFor();
    const first = list.getByRole('checkbox').first();
    expect(await first.isChecked()).toBe(true);
    // The page draws the change a moment after the press.
    await first.click();
    await expect.poll(() => first.isChecked()).toBe(false);
    await expect.poll(() => askedFor('chats.change')).toHaveLength(1);
    expect(askedFor('chats.change')[0]).toMatchObject({ chat: 'c1', off: [expect.any(String)] });
    await expect.poll(() => chip.textContent()).not.toBe(before);
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'hidden' });
  });
});
