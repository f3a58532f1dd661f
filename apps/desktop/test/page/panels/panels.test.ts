import { describe, expect } from 'vitest';
import { NEEDS_BROWSER } from '../support/browser.ts';
import { pageTest as it, NOTES } from '../support/page-test.ts';
import { CHAT, call, message, text } from '../support/sample-chats.ts';
import { CARDS, waiting } from '../support/sample-data.ts';

describe('panels, in a real browser', NEEDS_BROWSER, () => {
  it('are shown in a frame, stay open while another page is shown, and report why they were closed', async ({
    desk,
    page,
    visit,
    askedFor,
  }) => {
    let opened = 0;
    desk.answers['panels.open'] = () => {
      opened += 1;
      const frame = {
        address: `${desk.panelOrigin}/`,
        origin: desk.panelOrigin,
        sandbox: 'allow-scripts allow-same-origin',
      };
      return { panel: `panel-${opened}`, frame: { ...frame, title: 'Board' } };
    };
    await visit(`panels/${NOTES}/board`, 'Panels');
    await expect
      .poll(() => askedFor('panels.send').map((input) => (input as { text: string }).text))
      .toEqual(['message 1', 'message 2', 'message 3']);
    desk.tell({ type: 'panel-message', panel: 'panel-1', text: 'hello' });
    await page.frameLocator('iframe[title="Board"]').getByText('hello').waitFor();
    // While a field of the page is active, the frame takes neither presses nor the Tab key.
    const reach = () =>
      page.locator('iframe').evaluate((one: HTMLElement) => [one.tabIndex, one.style.pointerEvents]);
    await page.getByLabel('Project').focus();
    expect(await reach()).toEqual([-1, 'none']);
    await page.getByRole('button', { name: 'Mine' }).click();
    await expect.poll(reach).toEqual([0, '']);
    await expect
      .poll(() => askedFor('panels.change').at(-1))
      .toMatchObject({ panel: 'panel-1', view: 'mine' });
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect
      .poll(() => askedFor('panels.change').at(-1))
      .toMatchObject({ panel: 'panel-1', theme: 'dark' });
    await visit('apps', 'Apps');
    await visit(`panels/${NOTES}/board`, 'Panels');
    expect(opened).toBe(1);
    desk.tell({
      type: 'runtime',
      event: { type: 'developer-app-changed', appId: NOTES, folder: '/x', issues: 0 },
    });
    await expect.poll(() => opened).toBe(2);
    expect(askedFor('panels.close')).toContainEqual({ panel: 'panel-1', reason: 'gone' });
    await page.frameLocator('iframe[title="Board"]').getByText('waiting').waitFor();
    desk.tell({ type: 'panel-closed', panel: 'panel-2', reason: 'yanked' });
    await page.getByText('this version was yanked').waitFor();
    expect(await page.locator('iframe').count()).toBe(0);
  });

  it.for([
    [390, 800],
    [640, 430],
  ] as const)(
    'fold to their title when a question arrives, with its buttons, the message field and the tab bar in reach: %i × %i',
    async ([width, height], { desk, page, visit }) => {
      const frame = {
        address: `${desk.panelOrigin}/`,
        origin: desk.panelOrigin,
        sandbox: 'allow-scripts allow-same-origin',
      };
      desk.answers['panels.open'] = () => ({ panel: 'panel-1', frame: { ...frame, title: 'Board' } });
      const card = { ...CARDS.approval, files: [] };
      const asks = { id: 'k1', card, state: 'waiting' as const };
      desk.answers['chats.open'] = () => ({
        ...{ chat: { ...CHAT, running: true }, more: false, rev: 0 },
        messages: [
          message(1, 'user', [text('Do')]),
          message(2, 'assistant', [call({ state: 'running', text: '', ms: null, cards: [asks] })], {
            status: 'running',
          }),
        ],
      });
      await page.setViewportSize({ width, height });
      await visit('chat/c1', 'Chat');
      await page.getByRole('button', { name: 'Panels', exact: true }).click();
      await page
        .locator('.chat-apps')
        .getByRole('button', { name: /^Open / })
        .first()
        .click();
      await page.frameLocator('.dock iframe').getByText('waiting').waitFor();
      desk.tell({ type: 'card', card: { ...waiting('k1', card), chat: 'c1' } });
      await page.getByRole('button', { name: /^Unfold / }).waitFor();
      expect(await page.locator('.dock iframe').isVisible()).toBe(false);
      // Nothing covers what must be pressed now.
      const isInReach = (selector: string) =>
        page.evaluate(
          `(({ left, top, width, height }) => document.querySelector(${JSON.stringify(selector)}).contains(document.elementFromPoint(left + width / 2, top + height / 2)))(document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect())`,
        );
      for (const selector of ['.inline-card .main', '.composer textarea', '.side a'])
        await expect.poll(() => isInReach(selector), { message: selector }).toBe(true);
      // The panel is as it was.
      await page.getByRole('button', { name: /^Unfold / }).click();
      await page.frameLocator('.dock iframe').getByText('waiting').waitFor();
      await expect.poll(() => isInReach('.composer textarea')).toBe(true);
    },
  );

  it('show the mark of their app when it is their icon', async ({ page, visit, askedFor }) => {
    await visit('panels', 'Panels');
    const mark = page.locator('.mark').first();
    await mark.waitFor();
    await expect
      .poll(() => mark.evaluate((shown) => getComputedStyle(shown).maskImage))
      .toMatch(/^url\("blob:/);
    expect(askedFor('mark')).toContainEqual({ appId: NOTES });
  });

  it('show once that they get no tokens in this browser', async ({ desk, page, visit }) => {
    await visit('panels', 'Panels');
    const notice = page.getByText('Panels get no access tokens in this browser');
    expect(await notice.count()).toBe(0);
    const tell = (appId: string) =>
      desk.tell({ type: 'runtime', event: { type: 'panel-tokens-withheld', appId, panel: 'board' } });
    tell(NOTES);
    await notice.waitFor();
    tell('com.example.maps');
    expect(await notice.count()).toBe(1);
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    tell('com.example.third');
    // Events arrive in order: after this one, the page has received the previous one.
    const notes = {
      appId: NOTES,
      app: 'Field Notes',
      accountId: 'notes',
      label: 'Example Notes',
      digits: null,
    };
    desk.answers['accounts.signIns'] = () => ({ signIns: [notes] });
    desk.tell({ type: 'runtime', event: { type: 'sign-in-started', appId: NOTES, accountId: 'notes' } });
    await page.getByRole('button', { name: 'Reopen sign-in page' }).waitFor();
    expect(await notice.count()).toBe(0);
  });

  it('receive the files that the user picks, or none when the user cancels', async ({
    desk,
    page,
    askedFor,
    dialog,
    gone,
  }) => {
    desk.tell({ type: 'pick-files', pickId: 'p1', appId: NOTES, accept: ['image/*'], multiple: false });
    await dialog()
      .getByLabel('Files', { exact: true })
      .setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: Buffer.from('a') });
    await dialog().getByRole('button', { name: 'Share' }).click();
    await gone();
    desk.tell({ type: 'pick-files', pickId: 'p2', appId: NOTES, accept: [], multiple: true });
    await dialog().waitFor();
    await page.keyboard.press('Escape');
    await gone();
    const picked = askedFor('panels.picked') as { pickId: string; uploads: string[] }[];
    expect(picked.map(({ uploads }) => uploads.map((id) => desk.uploads.get(id)))).toEqual([['a'], []]);
  });
});
