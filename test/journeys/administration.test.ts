import { apiRequest } from '@svc/contracts/client';
import { DEEP, LOOKS } from '@svc/testkit';
import axe from 'axe-core';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  closeContexts,
  NEEDS_BROWSER,
  type openPage,
  shareBrowser,
} from '../../apps/web/test/support/real-browser.ts';
import { openRealStore } from '../../apps/web/test/support/real-store.ts';
import { publishApp } from '../../apps/web/test/support/seed.ts';
import { asAutomation, findPeople, openAs } from '../../apps/web/test/support/staff.ts';

const EVIL = '<img src=x onerror=alert(1)>';

const row = (page: Page, text: string) =>
  page.locator('ul.rows > li, .data-table tbody tr', { hasText: text });

describe('the administration, in a real browser', { ...NEEDS_BROWSER, ...DEEP }, () => {
  let browser: Browser;
  let store: Awaited<ReturnType<typeof openRealStore>>;
  let opened: Awaited<ReturnType<typeof openPage>>;

  beforeAll(async () => {
    [browser, store] = await Promise.all([shareBrowser(), openRealStore()]);
    await asAutomation(
      store,
      apiRequest('POST /api/admin/publishers', { json: { slug: 'example', name: EVIL } }),
    );
    await publishApp(store, { publisher: 'example' });
    await openAs(browser, store, { name: 'Ben', role: 'moderator', path: '/moderation/versions' });
    opened = await openAs(browser, store, { name: 'Anna', role: 'administrator', path: '/admin' });
  });
  afterAll(async () => {
    await closeContexts(browser);
    await store?.close();
  });

  const go = (path: string) => opened.page.goto(store.url + path);

  /** Opens the menu of a row, and the dialog of one of its acts. */
  const act = async (subject: Locator, name: string) => {
    await subject.getByRole('button', { name: /^Actions on/ }).click();
    await opened.page.getByRole('button', { name: `${name}…`, exact: true }).click();
    return opened.page.getByRole('dialog');
  };

  /** Suspends with a reason, which the dialog requires, and ends the suspension. */
  const suspendAndEnd = async (subject: Locator, whileSuspended?: () => Promise<void>) => {
    const dialog = await act(subject, 'Suspend');
    await dialog.getByText('Installed copies').waitFor();
    await dialog.getByText('Who is notified').waitFor();
    await dialog.getByLabel(/^Reason/).fill('Spam.');
    // A user is suspended for what they did with an account, not by a rule for apps.
    const rule = dialog.getByLabel(/^Rule of the policy/);
    if ((await rule.count()) > 0) await rule.selectOption({ index: 1 });
    await dialog.getByRole('button', { name: 'Suspend' }).click();
    await subject.getByText('suspended', { exact: true }).waitFor();
    await whileSuspended?.();
    await (await act(subject, 'Unsuspend')).getByRole('button', { name: 'Unsuspend' }).click();
    await expect.poll(() => subject.getByText('suspended', { exact: true }).count()).toBe(0);
  };

  it('shows the health of the store', async () => {
    const { page } = opened;
    await page.getByRole('heading', { name: 'Health', level: 1 }).waitFor();
    await expect.poll(() => page.locator('.tile:not(.bad)').count()).toBe(6);
    await page.getByText('Background jobs of this process').click();
    await page.getByRole('row', { name: /Sweeping/ }).waitFor();
  });

  it('finds a user, and changes their role after a confirmation', async () => {
    const { page } = opened;
    await go('/admin/people');
    await page.getByLabel('Search by name, email or id').fill('EN@exam');
    await page.waitForURL('**/admin/people?q=EN%40exam');
    const ben = row(page, 'ben@example.com');
    const dialog = await act(ben, 'Change role');
    await dialog.getByRole('combobox', { name: 'Role of Ben' }).selectOption('person');
    await dialog.getByRole('button', { name: 'Change role' }).click();
    await expect.poll(async () => (await findPeople(store, 'ben'))[0]?.role).toBe('person');
    await suspendAndEnd(ben);
    await ben.getByRole('link', { name: 'Ben' }).click();
    await page.getByRole('heading', { name: 'Ben', level: 1 }).waitFor();
    await page.getByRole('heading', { name: 'What they did' }).waitFor();
  });

  it('verifies and suspends a publisher', async () => {
    const { page } = opened;
    await go('/admin/publishers');
    const publisher = row(page, EVIL);
    await (await act(publisher, 'Verify')).getByRole('button', { name: 'Verify' }).click();
    await publisher.getByText(/^Verified/).waitFor();
    await suspendAndEnd(publisher, async () => {
      expect((await fetch(`${store.url}/api/apps/com.example.notes`)).status).toBe(410);
    });
    await publisher.getByRole('link', { name: EVIL }).click();
    await page.getByRole('table', { name: 'Apps' }).getByText('com.example.notes').waitFor();
    await page.getByRole('heading', { name: 'Members' }).waitFor();
  });

  it('suspends an app, and undoes a yank', async () => {
    const { page } = opened;
    await go('/admin/apps');
    const app = row(page, 'com.example.notes').first();
    await app.getByText('Notes', { exact: true }).waitFor();
    await suspendAndEnd(app);
    const params = { appId: 'com.example.notes', version: '1.0.0' };
    const endpoint = 'POST /api/apps/:appId/versions/:version/yank';
    await asAutomation(store, apiRequest(endpoint, { params, json: { reason: EVIL } }));
    await page.reload();
    await page.getByLabel('State').selectOption('not published');
    await app.getByText('not published').waitFor();
    await expect.poll(() => row(page, 'com.example.tasks').count()).toBe(0);
    const yanked = page.locator('ul.rows > li', { hasText: '1.0.0' });
    await yanked.getByText(EVIL).waitFor();
    const dialog = await act(yanked, 'Undo yank');
    await dialog.getByLabel(/^Reason/).fill('It was the wrong one.');
    await dialog.getByRole('button', { name: 'Undo yank' }).click();
    await page.getByText('No versions are yanked.').waitFor();
    const { path } = apiRequest('GET /api/apps/:appId/versions/:version/status', { params });
    expect(await (await fetch(store.url + path)).json()).toMatchObject({
      status: 'published',
      notes: 'It was the wrong one.',
    });
  });

  /** A link would lose what is not saved: the page asks, `openPage` declines, and the page stays. */
  const staysAfter = async (link: string, path: string) => {
    await opened.page.getByRole('link', { name: link, exact: true }).click();
    expect(opened.incidents.splice(0)).toEqual([expect.stringContaining('Leave this page?')]);
    expect(new URL(opened.page.url()).pathname).toBe(path);
  };

  it('changes the policy, says so, and does not lose what is being written', async () => {
    const { page } = opened;
    await go('/admin/policy');
    await page
      .locator('ul.rows > li', { hasText: 'Other reasons' })
      .getByRole('button', { name: /^Edit/ })
      .click();
    const dialog = page.getByRole('dialog');
    // What decisions cite does not change.
    expect(await dialog.getByLabel('Id').count()).toBe(0);
    await dialog.getByLabel('Rule').fill('What no other rule is about.');
    await dialog.getByRole('button', { name: 'Keep' }).click();
    await page.locator('ul.rows > li', { hasText: 'What no other rule is about.' }).waitFor();
    await page.getByLabel('What changes, for publishers').fill('The words of one rule.');
    await staysAfter('Keys', '/admin/policy');
    await page.getByRole('button', { name: 'Publish new version' }).click();
    await page.getByText('The new version is published.').waitFor();
    await page.getByRole('heading', { name: 'Rules of version 2' }).waitFor();
    await page.locator('ul.rows > li', { hasText: 'What no other rule is about.' }).waitFor();
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    await page.getByRole('heading', { name: 'Keys and revocations' }).waitFor();
  });

  it('features apps, which are found by name and ordered by keyboard alone', async () => {
    const { page } = opened;
    await publishApp(store, { id: 'com.example.tasks', name: 'Tasks', publisher: 'example' });
    await go('/admin/featured');
    await page.getByText('No app is featured').waitFor();
    const add = async (name: string) => {
      await page.getByLabel('Find an app').focus();
      await page.keyboard.press('Control+A');
      await page.keyboard.type(name);
      const button = page.getByRole('button', { name: `Add ${name}` });
      await button.focus();
      await page.keyboard.press('Enter');
      await page.getByText(`${name} added. Not saved yet.`).waitFor();
    };
    await add('Notes');
    await add('Tasks');
    await expect.poll(() => page.locator('.featured h3').allInnerTexts()).toEqual(['Notes', 'Tasks']);
    await page.getByRole('button', { name: 'Move Tasks', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Move up' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Tasks is now 1 of 2. Not saved yet.').waitFor();
    // The focus stays on the handle, also at the end of the list.
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Move Tasks');
    await staysAfter('Keys', '/admin/featured');
    await page.getByRole('button', { name: 'Save', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Saved. The catalogue is up to date.').waitFor();
    await page.reload();
    await page.locator('ol.rows > li').first().waitFor();
    expect(await page.locator('ol.rows > li strong').allInnerTexts()).toEqual(['Tasks', 'Notes']);
    await go('/');
    await page.getByRole('heading', { name: 'Featured', level: 2 }).waitFor();
    expect(await page.locator('.featured h3').allInnerTexts()).toEqual(['Tasks', 'Notes']);
    const suspend = (suspended: boolean) =>
      apiRequest('PATCH /api/admin/apps/:appId', {
        params: { appId: 'com.example.tasks' },
        json: { suspended },
      });
    await asAutomation(store, suspend(true));
    await go('/admin/featured');
    await page.locator('ol.rows > li', { hasText: 'Tasks' }).getByText('not shown').waitFor();
    await asAutomation(store, suspend(false));
    await page.getByRole('button', { name: 'Remove Tasks' }).focus();
    await page.keyboard.press('Enter');
    await expect
      .poll(() => page.evaluate('document.activeElement.getAttribute("aria-label")'))
      .toBe('Remove Notes');
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await page.getByText('Changes discarded.').waitFor();
    expect(await page.locator('ol.rows > li').count()).toBe(2);
  });

  it('sets what desktops may do, after a preview, and keeps a change of another administrator', async () => {
    const page = await opened.page.context().newPage();
    await page.goto(`${store.url}/admin/managed`);
    await page.getByText('Nothing is set: users choose everything.').waitFor();
    const preview = () => page.getByRole('button', { name: 'Preview' }).click();
    const sign = () => page.getByRole('button', { name: 'Sign and publish' }).click();
    await page.getByLabel('Required apps').fill('com.example.notes\ncom.example.later');
    await page.getByLabel('Export of conversations').selectOption('Not allowed');
    await page.getByRole('combobox', { name: 'Only these agents' }).selectOption('Only those of a list');
    await preview();
    await page.getByText('This store lists no app com.example.later').waitFor();
    const facts = page.locator('.facts').first();
    expect(await facts.innerText()).toMatch(
      /Export of conversations\s+not allowed \(now: the user chooses\)/,
    );
    // A change after the preview is not signed unseen.
    await page.getByLabel('Required apps').fill('com.example.notes');
    expect(await page.getByRole('button', { name: 'Sign and publish' }).count()).toBe(0);
    await preview();
    await sign();
    await page.getByText('Signed. Desktops have the settings within 15 minutes.').waitFor();
    const kept = await asAutomation(store, apiRequest('GET /api/admin/managed-settings'));
    expect(kept.settings).toEqual({
      requiredApps: ['com.example.notes'],
      allowedAgents: [],
      exportChats: false,
    });
    await page.getByLabel('Refused apps').fill('com.example.notes');
    await preview();
    await page.getByText('com.example.notes is required, and refused by refusedApps: remove one.').waitFor();
    await page.getByLabel('Refused apps').fill('');
    const others = { ...kept.settings, developerMode: false };
    await asAutomation(store, apiRequest('PUT /api/admin/managed-settings', { json: { settings: others } }));
    await page.getByLabel('Export of conversations').selectOption('Allowed');
    await preview();
    await page.getByText('The settings of all desktops have changed: reload them and try again.').waitFor();
    // A page that is closed does not ask about what was not saved.
    await page.close();
  });

  it('sorts and filters tables by keyboard, and keeps both over a reload', async () => {
    const { page } = opened;
    const headings = () => page.locator('.data-table thead th[aria-sort]');
    const firsts = () => page.locator('.data-table tbody th code').allInnerTexts();
    await go('/admin/apps');
    await page.getByRole('button', { name: 'App', exact: false }).first().waitFor();
    await expect.poll(firsts).toEqual(['com.example.notes', 'com.example.tasks']);
    expect(await headings().getAttribute('aria-sort')).toBe('ascending');
    const byId = page.getByRole('columnheader', { name: /^App/ }).getByRole('button');
    await byId.focus();
    await page.keyboard.press('Enter');
    await expect.poll(firsts).toEqual(['com.example.tasks', 'com.example.notes']);
    expect(await headings().getAttribute('aria-sort')).toBe('descending');
    // The focus stays on the heading, so that the order can be reversed again.
    expect(await page.evaluate('document.activeElement.closest("th")?.getAttribute("aria-sort")')).toBe(
      'descending',
    );
    await page.getByLabel('Search by name, id or publisher').fill('ample.n');
    await page.keyboard.press('Enter');
    await expect.poll(firsts).toEqual(['com.example.notes']);
    await page.reload();
    await expect.poll(firsts).toEqual(['com.example.notes']);
    expect(await headings().getAttribute('aria-sort')).toBe('descending');
    expect(await page.getByLabel('Search by name, id or publisher').inputValue()).toBe('ample.n');
    await page.goBack();
    await expect.poll(firsts).toEqual(['com.example.tasks', 'com.example.notes']);
    expect(await page.getByLabel('Search by name, id or publisher').inputValue()).toBe('');
    await go('/admin/people?sort=name&direction=desc');
    const names = () => page.locator('.data-table tbody th bdi').allInnerTexts();
    await expect.poll(names).toEqual(['Ben', 'Anna']);
    await asAutomation(
      store,
      apiRequest('POST /api/admin/publishers', { json: { slug: 'zebra', name: 'Aardvark' } }),
    );
    await go('/admin/publishers?sort=created&direction=desc');
    const slugs = () => page.locator('.data-table tbody td code').allInnerTexts();
    await expect.poll(slugs).toEqual(['zebra', 'example']);
    await page
      .getByRole('columnheader', { name: /^Short name/ })
      .getByRole('button')
      .press('Enter');
    await page.waitForURL('**/admin/publishers?sort=slug&direction=asc');
    await expect.poll(slugs).toEqual(['example', 'zebra']);
    await go('/admin/publishers?q=nothing-like-it');
    await page.getByText('No results').waitFor();
    await go('/admin/publishers/zebra?sort=id');
    await page.getByText('No apps yet').waitFor();
    await go('/admin/settings?q=svc_store_');
    const shown = page.locator('ul.rows > li > div > code');
    await expect
      .poll(() => shown.allInnerTexts())
      .toEqual(['SVC_STORE_NAME', 'SVC_STORE_LOGO', 'SVC_STORE_ACCENT']);
    await go('/admin/audit?direction=asc');
    const times = () =>
      page.locator('.log time').evaluateAll((all) => all.map((one) => one.getAttribute('datetime') ?? ''));
    await expect.poll(async () => (await times()).length).toBeGreaterThan(3);
    await expect.poll(async () => (await times()).join() === (await times()).toSorted().join()).toBe(true);
  });

  it('reports that another administrator changed the row in the meantime', async () => {
    const { page } = opened;
    await go('/admin/featured');
    await page.getByRole('button', { name: 'Remove Notes' }).click();
    await asAutomation(
      store,
      apiRequest('PUT /api/admin/featured', { json: { apps: ['com.example.notes'] } }),
    );
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The featured apps have changed').waitFor();
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await expect.poll(() => page.locator('ol.rows > li strong').allInnerTexts()).toEqual(['Notes']);
    // The browser logs the refused request, as expected.
    expect(opened.incidents.splice(0)).toEqual([expect.stringContaining('409')]);
  });

  it('shows the settings without secrets, the keys and the audit log', async () => {
    const { page } = opened;
    await go('/admin/settings');
    await page
      .locator('ul.rows > li', { hasText: 'SVC_ADMIN_TOKEN' })
      .getByText('set', { exact: true })
      .waitFor();
    expect(await page.content()).not.toContain(store.adminToken);
    await go('/admin/keys');
    await page.getByText('the first key').waitFor();
    await go('/admin/audit?action=version.unyank');
    const unyank = page.locator('.log > li');
    await expect
      .poll(() => unyank.locator('p').innerText())
      .toBe(`Anna published Notes 1.0.0 again for ${EVIL}`);
    await unyank.locator('summary').click();
    await unyank.getByText('It was the wrong one.').waitFor();
    expect(await unyank.count()).toBe(1);
    await go('/admin/audit?action=person.change');
    await page.locator('.log p', { hasText: 'Anna' }).first().waitFor();
    const ids = page.locator('.log p', { hasText: 'person:' });
    await expect.poll(() => ids.count()).toBe(0);
    expect(await page.title()).toBe('Audit log · Administration · svc app store');
  });

  it('adds a webhook of the store for chosen events by keyboard, and removes it', async () => {
    const { page } = opened;
    await go('/admin/webhooks');
    await page.getByRole('button', { name: 'Add a webhook' }).press('Enter');
    await page.getByLabel('Address').fill('https://hooks.example.com/svc');
    await page.getByLabel(/^All events/).press('Space');
    for (const title of ['Versions', 'Apps and publishers', 'This store'])
      await page.getByRole('group', { name: title }).waitFor();
    await page.getByLabel('store.key-changed').press('Space');
    await page.getByRole('button', { name: 'Add webhook' }).press('Enter');
    await page.getByText('Copy the secret of this webhook now').waitFor();
    const added = page.locator('ul.rows > li', { hasText: 'https://hooks.example.com/svc' });
    await added.getByText(/^store\.key-changed; added/).waitFor();
    await added.locator('summary', { hasText: 'Deliveries' }).press('Enter');
    await added.getByText('No events yet.').waitFor();
    await added.locator('summary').press('Enter');
    await added.getByRole('button', { name: 'Remove' }).press('Enter');
    await added.getByRole('group').getByRole('button', { name: 'Remove' }).press('Enter');
    await expect.poll(() => added.count()).toBe(0);
  });

  describe.each(LOOKS)('in %s, %d wide', (colorScheme, width, options) => {
    it.each([
      '',
      '/people',
      '/publishers',
      '/apps',
      '/featured',
      '/keys',
      '/settings',
      '/webhooks',
      '/audit',
      '/apps/com.example.notes',
    ])('has no axe violations at /admin%s, and fires nothing', options, async (place) => {
      const { page, incidents, requests } = opened;
      await go(`/admin${place}`);
      await page.locator('main .card :is(dl, li, table, button)').first().waitFor();
      await page.evaluate(axe.source);
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      const { violations } = await page.evaluate(() =>
        (globalThis as unknown as { axe: typeof axe }).axe.run(),
      );
      const found = violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
      const overflow = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      expect([width, colorScheme, found, overflow]).toEqual([width, colorScheme, [], 0]);
      expect(await page.locator('main img:not(.app-icon), [onerror]').count()).toBe(0);
      expect(incidents).toEqual([]);
      expect(requests.filter((address) => !address.startsWith(store.url))).toEqual([]);
    });
  });
});
