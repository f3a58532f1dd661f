import { describe, expect } from 'vitest';
import { NEEDS_BROWSER } from '../support/browser.ts';
import { pageTest as it } from '../support/page-test.ts';

describe('the dialogs of agents, in a real browser', NEEDS_BROWSER, () => {
  it('return the focus to the button that opened them, or to the page when that button is gone', async ({
    desk,
    page,
    visit,
    dialog,
    gone,
  }) => {
    desk.answers['agents.apply'] = ({ agent }) => ({
      agent: { id: agent, name: 'Codex', installed: true, file: '', state: 'connected' },
    });
    await visit('agents', 'Agents');
    const focused = () =>
      page.evaluate(() => document.activeElement?.ariaLabel ?? document.activeElement?.textContent);
    const connect = page.getByRole('button', { name: 'Connect Codex' });
    for (const leave of ['Escape', 'Cancel']) {
      await connect.click();
      await dialog().waitFor();
      if (leave === 'Escape') await page.keyboard.press('Escape');
      else await page.getByRole('button', { name: 'Cancel' }).click();
      await gone();
      expect(await focused()).toBe('Connect Codex');
    }
    await connect.click();
    const write = page.getByRole('button', { name: 'Write changes' });
    await write.waitFor();
    await connect.evaluate((button) => button.remove());
    await write.click();
    await gone();
    await expect.poll(focused).toBe('Agents');
  });
});
