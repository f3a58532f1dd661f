import { DEEP, LOOKS } from '@svc/testkit';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { NEEDS_BROWSER } from '../support/browser.ts';
import { pageTest as it, NOTES } from '../support/page-test.ts';
import { CARDS, waiting } from '../support/sample-data.ts';

const box = (page: Page) => page.getByRole('combobox', { name: 'Find a page, an app or an action' });

/** The option that Enter would choose. */
const chosen = (page: Page) => page.locator('.palette [role=option][aria-selected=true]').innerText();

const atHash = (page: Page, hash: string) => expect.poll(() => new URL(page.url()).hash).toBe(hash);

/** Opens the palette, types, and presses Enter on the first result. */
async function choose(page: Page, query: string, label: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await box(page).fill(query);
  await expect.poll(() => chosen(page)).toContain(label);
  await page.keyboard.press('Enter');
  await page.locator('.palette').waitFor({ state: 'detached' });
}

describe('the command palette, in a real browser', NEEDS_BROWSER, () => {
  it.for([
    ['updates', 'Updates', '#/updates'],
    ['map room', 'Map Room', '#/apps/com.example.maps'],
    ['board', 'Board', `#/panels/${NOTES}/board`],
    ['add a note', 'Add a note', `#/tools/${NOTES}/add_note`],
    ['weigh', 'Weigh a parcel', '#/tools/connector.mcp-example-com/weigh'],
    ['plan the', 'Plan the garden', '#/chat/c1'],
    // This word is in the conversation, but not in its title.
    ['maple', 'Plan the garden', '#/chat/c1'],
    ['new chat', 'New chat', '#/chat'],
    ['add a model', 'Add a model provider', '#/settings/models'],
    ['appearance', 'Appearance', '#/settings/appearance'],
  ] as const)('opens a page by keyboard only: %s', DEEP, async ([query, label, hash], { page }) => {
    await choose(page, query, label);
    await atHash(page, hash);
  });

  it('switches the project and the model, and exports a conversation', async ({ page, visit, askedFor }) => {
    await choose(page, 'quite a long name', 'A project with quite a long name');
    expect(await page.getByLabel('Project').inputValue()).toBe('p2');
    await choose(page, 'large', 'large-model');
    await expect.poll(() => askedFor('models.choose')).toEqual([{ provider: 'local', model: 'large-model' }]);
    await visit('chat/c1', 'Chat');
    await page.getByText('maple').waitFor();
    await page.keyboard.press('Control+/');
    await page.keyboard.type('large');
    await page.keyboard.press('Enter');
    await expect
      .poll(() => askedFor('chats.change'))
      .toEqual([{ chat: 'c1', model: { provider: 'local', model: 'large-model' } }]);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      choose(page, 'export', 'Export this conversation'),
    ]);
    expect(download.suggestedFilename()).toBe('Plan the garden.md');
  });

  it('closes on Escape, on its shortcut and on a click outside, and returns the focus', async ({
    page,
    visit,
  }) => {
    await visit('chat/c1', 'Chat');
    await page.getByText('maple').waitFor();
    const focused = () => page.evaluate('document.activeElement?.getAttribute("aria-label")');
    await expect.poll(focused).toBe('Message');
    for (const leave of [
      () => page.keyboard.press('Escape'),
      () => page.keyboard.press('Control+k'),
      () => page.mouse.click(2, 2),
    ]) {
      await page.keyboard.press('Control+k');
      await box(page).waitFor();
      await leave();
      await page.locator('.palette').waitFor({ state: 'detached' });
      expect(await focused()).toBe('Message');
    }
  });

  it('moves with arrow keys, wraps around, and shows untrusted text as text', async ({ page }) => {
    await page.keyboard.press('Meta+k');
    await box(page).waitFor();
    const first = await chosen(page);
    await page.keyboard.press('ArrowDown');
    expect(await chosen(page)).not.toBe(first);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    const options = page.locator('.palette [role=option]');
    expect(await chosen(page)).toBe(await options.last().innerText());
    expect(await box(page).getAttribute('aria-activedescendant')).toBe(
      await options.last().getAttribute('id'),
    );
    await box(page).fill('onerror');
    await expect.poll(() => chosen(page)).toContain('⟨U+202E⟩');
    expect(await page.locator('.palette :is(img, script)').count()).toBe(0);
    await box(page).fill('nothing is called like that');
    await page.getByText('No results.').waitFor();
    await page.keyboard.press('Enter');
    expect(await page.title()).toBe('Store: svc desktop');
  });

  it('opens nothing that was found for an earlier text', async ({ page }) => {
    await page.keyboard.press('Control+k');
    await box(page).fill('maple');
    await expect.poll(() => chosen(page)).toContain('Plan the garden');
    // Typed and chosen before the search for the new text begins.
    await page.keyboard.type(' and nothing like it');
    await page.keyboard.press('Enter');
    expect(await page.title()).toBe('Store: svc desktop');
    await page.getByText('No results.').waitFor();
  });

  it('does not open while a card is shown', async ({ desk, page, dialog, gone, pressEscape }) => {
    desk.tell({ type: 'card', card: waiting('card', CARDS.save) });
    await dialog().getByText('A file with this name already exists.').waitFor();
    await page.keyboard.press('Control+k');
    expect(await page.locator('.palette').count()).toBe(0);
    await pressEscape();
    await gone();
    await page.keyboard.press('Control+k');
    await box(page).waitFor();
  });

  it('starts a new chat by shortcut from another page, and lists all shortcuts', async ({
    page,
    visit,
    dialog,
  }) => {
    await visit('updates', 'Updates');
    await page.keyboard.press('Control+Shift+O');
    await atHash(page, '#/chat');
    await page.keyboard.press('Control+?');
    for (const said of ['Keyboard shortcuts', 'Switch model', 'Edit your last message', 'New line'])
      await dialog().getByText(said).first().waitFor();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
  });

  for (const [colorScheme, width, options] of LOOKS)
    it(`has no axe violations, in ${colorScheme}, ${width} wide`, options, async ({ enter }) => {
      const viewport = { width, height: 800 };
      const { page } = await enter({ colorScheme, viewport, bypassCSP: true });
      await page.addScriptTag({ content: axe.source });
      await page.getByRole('button', { name: 'Find' }).click();
      for (const query of ['', 'note', 'nothing is called like that']) {
        await box(page).fill(query);
        const faults = await page.evaluate(async () => {
          const { axe: checker } = window as unknown as { axe: typeof axe };
          const { violations } = await checker.run();
          const wide = document.documentElement.scrollWidth > innerWidth ? ['too wide'] : [];
          return [...wide, ...violations.map(({ id, nodes }) => `${id} ${nodes[0]?.html}`)];
        });
        expect(faults).toEqual([]);
        const { x = -1, width: wide = 9_999 } = (await page.locator('.palette').boundingBox()) ?? {};
        expect(x).toBeGreaterThanOrEqual(0);
        expect(x + wide).toBeLessThanOrEqual(width);
      }
    });
});
