import { apiRequest } from '@svc/contracts/client';
import { DEEP } from '@svc/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeContexts, NEEDS_BROWSER, openPage, shareBrowser } from '../../support/real-browser.ts';
import { openRealStore } from '../../support/real-store.ts';
import { asAutomation, findPeople, openAs } from '../../support/staff.ts';

describe('the page of a recovered account, in a real browser', NEEDS_BROWSER, () => {
  let browser: Browser;
  let store: Awaited<ReturnType<typeof openRealStore>>;

  beforeAll(async () => {
    [browser, store] = await Promise.all([shareBrowser(), openRealStore()]);
  });
  afterAll(async () => {
    await closeContexts(browser);
    await store?.close();
  });

  const members = (page: Page) => page.goto(`${store.url}/account/publishers/acme/members`);
  const rowOf = (page: Page, words: string) => page.locator('ul.rows > li', { hasText: words });

  /** What a thief with Anna's session does: Carl becomes a member by an invitation, and an owner. */
  async function bringIn(anna: Page) {
    await anna.getByLabel('Name', { exact: false }).first().fill('Acme');
    await anna.getByLabel('Short name').fill('acme');
    await anna.getByRole('button', { name: 'Create publisher' }).click();
    await anna.waitForURL('**/account/publishers/acme');
    await members(anna);
    await anna.getByRole('button', { name: 'Invite a member' }).click();
    const dialog = anna.getByRole('dialog', { name: 'Invite a member' });
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
    const link = (await dialog.locator('.secret code').textContent()) ?? '';
    const path = new URL(link).pathname;
    const carl = (await openAs(browser, store, { name: 'Carl', role: 'person', path })).page;
    const accepted = carl.waitForResponse((response) => response.request().method() === 'POST');
    await carl.locator('button.main').click();
    await accepted;
    await members(anna);
    await anna.getByRole('button', { name: 'Make an owner' }).click();
    await anna.getByRole('button', { name: 'Make a member' }).waitFor();
    return carl;
  }

  /** The doors that a thief with Anna's session leaves open: a CI workflow, and a webhook. */
  async function leaveDoors(anna: Page) {
    await anna.goto(`${store.url}/account/publishers/acme/tokens`);
    await anna.getByText('Trust a workflow').click();
    const form = anna.locator('form', { has: anna.getByRole('button', { name: 'Trust workflow' }) });
    for (const [label, value] of [
      ['App id', 'com.acme.notes'],
      ['Repository', 'thief/notes'],
      ['Workflow file', 'release.yml'],
      ['Repository id', '1'],
      ['Owner id', '2'],
    ] as const)
      await form.getByLabel(label, { exact: true }).fill(value);
    await anna.getByRole('button', { name: 'Trust workflow' }).click();
    await anna.getByText('thief/notes').first().waitFor();
    await anna.goto(`${store.url}/account/publishers/acme/settings`);
    await anna.getByText('Add a webhook').click();
    await anna.getByLabel('Address').fill('https://thief.example/hook');
    await anna.getByRole('button', { name: 'Add webhook' }).click();
    await anna.getByText('Copy the secret').waitFor();
  }

  /** Anna follows a link to set a new password. @returns the page that she is led to */
  async function recover(): Promise<Page> {
    const [anna] = await findPeople(store, 'anna@example.com');
    const params = { id: anna?.id ?? '' };
    const { url } = await asAutomation(
      store,
      apiRequest('POST /api/admin/people/:id/reset-link', { params }),
    );
    const { page } = await openPage(browser, url);
    await page.getByLabel('New password').fill('four new words of anna');
    await page.locator('button.main').click();
    await page.waitForURL('**/account/recovery');
    return page;
  }

  it(
    'lists what was done in its name, undoes it, and an accomplice could not take the publisher meanwhile',
    DEEP,
    async () => {
      await openAs(browser, store, { name: 'Anna', role: 'person', path: '/account' });
      // It also proves her address: who has not proved theirs loses by a recovery all members that they brought in.
      const anna = await recover();
      await anna.goto(`${store.url}/account/publishers`);
      const carl = await bringIn(anna);
      await leaveDoors(anna);
      await members(carl);
      const row = rowOf(carl, 'Anna');
      await row.getByRole('button', { name: 'Remove' }).click();
      await row.getByRole('group').getByRole('button', { name: 'Remove' }).click();
      await row.getByText('You became an owner of acme less than 14 days ago').waitFor();

      const page = await recover();
      for (const words of ['Let the CI workflow GitHub thief/notes', 'Added a webhook to thief.example'])
        await rowOf(page, words).getByText('no longer in effect').waitFor();
      const joined = rowOf(page, 'Made "Carl" a member');
      await rowOf(page, 'Made "Carl" an owner').getByRole('button', { name: 'Undo' }).waitFor();
      await joined.getByRole('button', { name: 'Undo' }).click();
      await joined.getByRole('group').getByRole('button', { name: 'Undo' }).click();
      await joined.getByText('no longer in effect').waitFor();
      expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0);
      await members(page);
      await rowOf(page, 'Anna').waitFor();
      expect(await rowOf(page, 'Carl').count()).toBe(0);
      await members(carl);
      for (const [tab, none] of [
        ['tokens', 'No workflow is trusted yet.'],
        ['settings', 'Add a webhook'],
      ] as const) {
        await page.goto(`${store.url}/account/publishers/acme/${tab}`);
        await page.getByText(none).waitFor();
        expect(await page.getByText(/thief/).count()).toBe(0);
      }
      await carl.getByText('Only members').or(carl.getByText('not a member')).first().waitFor();
    },
  );
});
