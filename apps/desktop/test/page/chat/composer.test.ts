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

  it('ignores the Enter that confirms a candidate of an input method, also as Safari reports it', async ({
    page,
    visit,
    askedFor,
  }) => {
    await visit('chat/c1', 'Chat');
    const field = page.getByLabel('Message', { exact: true });
    await field.fill('今日は');
    const press = (init: object) =>
      field.evaluate((area, more) => {
        const event = { key: 'Enter', code: 'Enter', bubbles: true, cancelable: true, ...more };
        return area.dispatchEvent(new KeyboardEvent('keydown', event));
      }, init);
    expect(await press({ isComposing: true, keyCode: 229 })).toBe(true);
    expect(await press({ isComposing: false, keyCode: 229 })).toBe(true);
    expect(await field.inputValue()).toBe('今日は');
    expect(askedFor('chats.send')).toEqual([]);
    expect(await press({ keyCode: 13 })).toBe(false);
    await expect.poll(() => askedFor('chats.send').length).toBe(1);
  });

  it('sends no form of one line by such an Enter', async ({ page, visit }) => {
    await visit('chat/c1', 'Chat');
    const sent = await page.evaluate(() => {
      const form = document.createElement('form');
      const input = form.appendChild(document.createElement('input'));
      document.body.append(form);
      const press = (keyCode: number) =>
        input.dispatchEvent(
          new KeyboardEvent('keydown', { key: 'Enter', keyCode, bubbles: true, cancelable: true }),
        );
      // A form is sent by the default action of the key, unless the event is cancelled.
      return { confirmed: press(229), typed: press(13) };
    });
    expect(sent).toEqual({ confirmed: false, typed: true });
  });
});
