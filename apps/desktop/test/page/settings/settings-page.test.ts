import { describe, expect } from 'vitest';
import { NEEDS_BROWSER } from '../support/browser.ts';
import { pageTest as it, visit } from '../support/page-test.ts';

describe('the settings, in a real browser', NEEDS_BROWSER, () => {
  it('keep the theme over a reload', async ({ page, visit }) => {
    const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await visit('settings', 'Settings');
    const light = await back();
    await page.getByLabel('Dark').check();
    const dark = await back();
    expect(dark).not.toBe(light);
    await page.reload();
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    expect([await back(), await page.getByLabel('Dark').isChecked()]).toEqual([dark, true]);
    await page.getByLabel('System').check();
    expect(await back()).toBe(light);
    expect(await page.evaluate(() => localStorage.getItem('svc-theme'))).toBeNull();
  });

  it('have a URL for each section, and switch notifications for this browser', async ({ enter, desk }) => {
    const { page } = await enter();
    // Chromium's headless shell denies notifications even when they are granted.
    await page.addInitScript("Object.defineProperty(Notification, 'permission', { get: () => 'granted' })");
    await page.reload();
    await visit(page, desk.origin, 'settings/data', 'Settings');
    await page.getByText('/home/anna/.local/share/svc').waitFor();
    await page.getByRole('link', { name: 'Notifications' }).click();
    const on = page.getByLabel('Notify me about questions');
    // Off until the user asks for it, also where the browser allows it.
    expect(await on.isChecked()).toBe(false);
    await on.check();
    await page.reload();
    await on.waitFor();
    expect(await on.isChecked()).toBe(true);
    await on.uncheck();
    expect(await page.evaluate(() => localStorage.getItem('svc.notifications'))).toBeNull();
    expect(new URL(page.url()).hash).toBe('#/settings/notifications');
  });

  it('say which mirrors of the store are used, and why one is not', async ({ desk, page, visit }) => {
    const { 'client.show': show } = desk.answers;
    if (!show) throw new Error('The sample has no client.');
    const why = 'it is stale';
    desk.answers['client.show'] = async (input) => ({
      ...(await show(input)),
      mirrors: [
        { address: 'https://mirror.example', left: { since: '2026-03-01T12:00:00.000Z', why } },
        { address: 'https://second.example', left: null },
      ],
    });
    await visit('settings/store', 'Settings');
    const left = { store: 'https://store.example', mirror: 'https://mirror.example', why };
    desk.tell({ type: 'runtime', event: { type: 'mirror-left', ...left } });
    await page
      .getByText(/not used since .*: it is stale\. The next mirror, or the store, is asked\./)
      .waitFor();
    await page.getByRole('listitem').filter({ hasText: 'https://second.example used' }).waitFor();
  });

  it('are on one page, which opens at a section and is searched', async ({ page, visit }) => {
    await visit('settings/data', 'Settings');
    const folder = page.getByText('/home/anna/.local/share/svc');
    const isInView = () =>
      folder.evaluate((one) => {
        const { top, bottom } = one.getBoundingClientRect();
        return top >= 0 && bottom <= innerHeight;
      });
    await expect.poll(isInView).toBe(true);
    const list = page.getByRole('navigation', { name: 'Settings' });
    expect(await list.getByRole('link', { name: 'Data' }).getAttribute('aria-current')).toBe('page');
    await page.getByRole('searchbox', { name: 'Search settings' }).fill('notify finished');
    await expect.poll(() => list.getByRole('link').allTextContents()).toEqual(['Notifications']);
    expect(await folder.isVisible()).toBe(false);
    await page.getByRole('searchbox', { name: 'Search settings' }).fill('no such words');
    await page.getByText('No setting has these words.').waitFor();
  });

  it('import conversations of another client, say what was read, and undo it', async ({
    askedFor,
    desk,
    page,
    visit,
  }) => {
    desk.answers['chats.import'] = () => ({ id: 'i1', from: 'ChatGPT', added: 12, known: 3, unread: 1 });
    desk.answers['chats.undoImport'] = () => ({ removed: 12 });
    await visit('settings/data', 'Settings');
    const file = { name: 'conversations.json', mimeType: 'application/json', buffer: Buffer.from('[]') };
    await page.getByLabel('File of conversations').setInputFiles(file);
    await page
      .getByText(
        '12 conversations of ChatGPT imported. 3 were here already. 1 without a readable message left out.',
      )
      .waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('12 conversations removed.').waitFor();
    expect(askedFor('chats.undoImport')).toEqual([{ import: 'i1' }]);
  });

  it('allow a tool without asking for one agent in one project, list all that is allowed for longer, and revoke it', async ({
    desk,
    page,
    visit,
  }) => {
    const approved: { agent: string; project: string; appId: string; tool: string }[] = [];
    const times = { since: '2026-03-01T12:00:00.000Z', usedAt: null };
    const permissions: object[] = [
      {
        of: { kind: 'chat', chat: 'c1', key: 'a'.repeat(64) },
        ...{ app: 'Notes', tool: 'Add a note', chat: 'Groceries', project: 'home', changed: false, ...times },
      },
      {
        of: { kind: 'files', appId: 'com.example.notes', id: 'b'.repeat(64) },
        ...{
          app: 'Notes',
          tool: null,
          chat: null,
          project: 'home',
          changed: false,
          since: null,
          usedAt: null,
        },
      },
    ];
    Object.assign(desk.answers, {
      'agents.askingTools': () => ({
        tools: [{ appId: 'com.example.notes', app: 'Notes', tool: 'clear', name: 'Clear all' }],
      }),
      'permissions.list': () => ({ permissions }),
      'agents.preApprove': (tool: (typeof approved)[number]) => {
        approved.push(tool);
        const { project } = tool;
        const of = { kind: 'agent', ...tool };
        permissions.push({ of, app: 'Notes', tool: 'clear', chat: null, project, changed: true, ...times });
        return {};
      },
      'permissions.revoke': (of: object) => {
        const at = permissions.findIndex((one) => JSON.stringify(one).includes(JSON.stringify(of)));
        permissions.splice(at, 1);
        return {};
      },
    });
    await visit('settings/approvals', 'Settings');
    await page.getByRole('combobox', { name: 'Agent', exact: true }).selectOption({ label: 'Codex' });
    await page.getByRole('button', { name: 'Allow without asking' }).click();
    await page.getByText('Changed: asks again').waitFor();
    expect(approved).toMatchObject([{ agent: 'codex', appId: 'com.example.notes', tool: 'clear' }]);
    await page.getByRole('button', { name: 'Revoke clear, Codex' }).click();
    await expect.poll(() => page.getByText('Changed: asks again').count()).toBe(0);
    await page.getByText('Conversation “Groceries”').waitFor();
    await page.getByRole('button', { name: 'Revoke Add a note' }).click();
    await page.getByRole('button', { name: 'Revoke Files of a project' }).click();
    await page.getByText('Nothing is allowed without asking.').waitFor();
  });
});
