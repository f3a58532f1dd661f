import { describe, expect } from 'vitest';
import { NEEDS_BROWSER } from '../support/browser.ts';
import { RefusalError } from '../support/fake-desktop.ts';
import { pageTest as it } from '../support/page-test.ts';
import { entry } from '../support/sample-data.ts';

describe('the first minute, in a real browser', NEEDS_BROWSER, () => {
  const none = () => ({ providers: [], default: null });

  it('begins with the model that runs on this computer, and one press later with prompts', async ({
    desk,
    page,
    visit,
    askedFor,
  }) => {
    const listed = desk.answers['models.list'];
    const baseUrl = 'http://127.0.0.1:11434/v1';
    desk.answers['models.list'] = none;
    desk.answers['models.detect'] = () => ({ found: [{ name: 'Ollama', baseUrl }] });
    desk.answers['models.add'] = () => ({ provider: { id: 'local' } }) as never;
    desk.answers['models.test'] = () => {
      if (listed) desk.answers['models.list'] = listed;
      return { fault: null } as never;
    };
    await visit('chat', 'Chat');
    await page.getByRole('heading', { name: 'Choose a model to begin' }).waitFor();
    const tiles = page.getByRole('list', { name: 'Providers of models' }).getByRole('button');
    await expect.poll(() => tiles.first().innerText()).toContain('Ollama');
    // Nothing is taken that could only fail.
    const field = page.getByLabel('Message', { exact: true });
    expect([await field.isDisabled(), await field.getAttribute('placeholder')]).toEqual([
      true,
      'Choose a model first',
    ]);
    await tiles.first().click();
    await page.getByRole('button', { name: 'Can you add a note for me?' }).first().click();
    expect(await field.inputValue()).toBe('Can you add a note for me?');
    expect(askedFor('models.add')).toEqual([{ name: 'Ollama', baseUrl, key: null }]);
  });

  it('asks for the key alone of a known provider, and for all of another one', async ({
    desk,
    page,
    visit,
  }) => {
    desk.answers['models.list'] = none;
    await visit('chat', 'Chat');
    const form = page.locator('.provider-form');
    const fields = () =>
      form.locator('label:visible').evaluateAll((all) => all.map((one) => one.textContent?.split('\n')[0]));
    await page.getByRole('button', { name: /^OpenAI\b/ }).click();
    await form.getByRole('link', { name: 'Get a key' }).waitFor();
    expect(await fields()).toHaveLength(1);
    await form.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: /^Another/ }).click();
    await form.getByLabel('Base URL').waitFor();
    expect(await fields()).toHaveLength(4);
  });

  it('says that the models cannot be listed, and keeps the message field open', async ({
    desk,
    page,
    visit,
  }) => {
    const listed = desk.answers['models.list'];
    desk.answers['models.list'] = () => {
      throw new RefusalError('internal', 'The disk is full.', 500);
    };
    await visit('chat', 'Chat');
    const retry = page.locator('.conversation').getByRole('button', { name: 'Retry' });
    await retry.waitFor();
    expect(await page.getByLabel('Message', { exact: true }).isVisible()).toBe(true);
    if (listed) desk.answers['models.list'] = listed;
    await retry.click();
    await page.getByLabel('Model', { exact: true }).waitFor();
  });

  it('shows apps of the store to a user without any', async ({ desk, page, startWith, visit }) => {
    await startWith({ apps: [] });
    await visit('chat', 'Chat');
    const apps = page.getByRole('region', { name: 'Apps to begin with' });
    await apps.getByRole('link', { name: /Field Notes/ }).waitFor();
    // What the store puts first comes first, and the others after it.
    desk.answers['store.search'] = ({ featured }: { featured?: string }) => {
      const found = featured === undefined ? [entry('Abacus', 1), entry('Zither', 2)] : [entry('Zither', 2)];
      return { apps: found, nextCursor: null, total: found.length };
    };
    await page.reload();
    await apps.getByRole('link', { name: /Abacus/ }).waitFor();
    expect(await apps.locator('strong').allInnerTexts()).toEqual(['Zither', 'Abacus']);
  });
});
