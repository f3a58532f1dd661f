import { DEEP, LOOKS } from '@svc/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { faultsOf } from '../../apps/web/test/support/faults-of.ts';
import {
  closeContexts,
  NEEDS_BROWSER,
  openPage,
  shareBrowser,
} from '../../apps/web/test/support/real-browser.ts';
import { openRealStore } from '../../apps/web/test/support/real-store.ts';
import { publishApp } from '../../apps/web/test/support/seed.ts';
import { openAs } from '../../apps/web/test/support/staff.ts';

const APP = 'com.acme.notes';
const PUBLIC = `/apps/${APP}`;
const RATE = `/account/apps/${APP}/review`;
const OWN = `/account/publishers/acme/apps/${APP}`;
const DESK = '/moderation/reviews';
const INSTALL = 'rita-installed-this-1';

/** Markup that opens a dialog when it is interpreted, with Markdown links and pictures. */
const evil = (n: number) =>
  `"><script>alert(${n})</script><svg onload=alert(${n})><a href="javascript:alert(${n})">x</a> [y](javascript:alert(${n})) ![z](//evil.example/${n}.png)`;
const TITLE = '<img src=x onerror=alert(0)>';
const MARKUP = 'main :is(script, iframe, svg[onload], img[src="x"], [onerror], [href^="javascript:"])';

const card = (page: Page, title: string) =>
  page.locator('section.card', { has: page.getByRole('heading', { name: title, exact: true }) });

describe('reviews, in a real browser', { ...NEEDS_BROWSER, ...DEEP }, () => {
  type Opened = Awaited<ReturnType<typeof openPage>>;
  let browser: Browser;
  let store: Awaited<ReturnType<typeof openRealStore>>;
  /** The publisher, the author of a review, the moderator, and a reader. */
  let olga: Opened;
  let rita: Opened;
  let mo: Opened;
  let reader: Opened;

  beforeAll(async () => {
    [browser, store] = await Promise.all([shareBrowser(), openRealStore()]);
    const person = (name: string) =>
      openAs(browser, store, { name, role: 'person', path: '/account/publishers' });
    const moderator = { name: 'Mo', role: 'moderator', path: DESK } as const;
    [olga, , mo] = await Promise.all([person('Olga'), person('Rita'), openAs(browser, store, moderator)]);
    await olga.page.getByLabel('Name', { exact: false }).first().fill('Acme');
    await olga.page.getByLabel('Short name').fill('acme');
    await olga.page.getByRole('button', { name: 'Create publisher' }).click();
    await olga.page.waitForURL('**/account/publishers/acme');
    await publishApp(store, { id: APP, publisher: 'acme' }, { 'CHANGELOG.md': null });
    const headers = { 'X-Svc-Install-Id': INSTALL };
    const bundle = await fetch(`${store.url}/api/apps/${APP}/versions/1.0.0/bundle`, { headers });
    expect(bundle.status).toBe(200);
    reader = await openPage(browser, store.url + PUBLIC);
  });
  afterAll(async () => {
    await closeContexts(browser);
    await store?.close();
  });

  const all = () => [olga, rita, mo, reader];

  /** Reloads the public page, which the browser may cache, until it is as expected. */
  async function publicPage(expected: (page: Page) => Promise<boolean>) {
    await reader.page.goto(store.url + PUBLIC);
    const seen = async () => {
      await reader.page.reload();
      return expected(reader.page);
    };
    await expect.poll(seen).toBe(true);
    expect(await reader.page.locator(MARKUP).count()).toBe(0);
  }

  it('are refused, with a reason, from a user who has not installed the app', async () => {
    const { page } = olga;
    await page.goto(store.url + RATE);
    await page.getByRole('heading', { name: 'Rate Notes' }).waitFor();
    const inClient = `svc://rate/${APP}?store=${encodeURIComponent(store.url)}`;
    expect(await page.getByRole('link', { name: 'Rate in your client' }).getAttribute('href')).toBe(inClient);
    expect(await page.getByRole('button', { name: 'Publish review' }).count()).toBe(0);
    // The page is open already: the client changes only its fragment.
    await page.goto(`${store.url}${RATE}#install=an-installation-made-up`);
    await page.getByLabel('5 of 5 stars').check({ force: true });
    await page.getByRole('button', { name: 'Publish review' }).click();
    await page.getByText(/You are a member of acme, the publisher of this app/).waitFor();
    await mo.page.goto(`${store.url}${RATE}#install=an-installation-made-up`);
    await mo.page.getByText('Your chat client has identified').waitFor();
    await mo.page.getByLabel('1 of 5 stars').check({ force: true });
    await mo.page.getByRole('button', { name: 'Publish review' }).click();
    await mo.page.getByText(/Install the app before you rate it/).waitFor();
  });

  it('are written by keyboard, with the installation named by the client, also after a sign-in on the way', async () => {
    rita = await openPage(browser, `${store.url}${RATE}#install=${INSTALL}`);
    const { page } = rita;
    const { keyboard } = page;
    expect(page.url()).toBe(`${store.url}/sign-in?${new URLSearchParams({ next: RATE })}`);
    const signIn = async (password: string) => {
      await page.getByLabel('Email address').fill('rita@example.com');
      await page.getByLabel('Password').fill(password);
      await keyboard.press('Enter');
    };
    await signIn('not the password');
    await page.getByText('The email address or the password is wrong.').waitFor();
    expect(page.url()).not.toContain(INSTALL);
    await signIn('correct horse battery');
    await page.getByText('Your chat client has identified your installation.').waitFor();
    expect(page.url()).toBe(store.url + RATE);
    await page.getByLabel('1 of 5 stars').focus();
    for (let presses = 0; presses < 3; presses += 1) await keyboard.press('ArrowRight');
    await keyboard.press('Tab');
    await keyboard.type(TITLE);
    await keyboard.press('Tab');
    await keyboard.insertText(`${evil(1)}\nOn two lines.`);
    await keyboard.press('Tab');
    await keyboard.press('Enter');
    await page.getByText('Saved. The review is public').waitFor();
    await publicPage((shown) => shown.getByText(TITLE).isVisible());
    await reader.page.getByRole('img', { name: '4 of 5 stars' }).first().waitFor();
    // The client need not name the installation again, and drafts survive a reload.
    await page.goto(store.url + RATE);
    await page.getByLabel('Title').fill(`${TITLE}!`);
    await page.reload();
    expect(await page.getByLabel('Title').inputValue()).toBe(`${TITLE}!`);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Saved. The review is public').waitFor();
  });

  it('and installs are shown to the publisher, who replies to a review and reports it', async () => {
    const { page } = olga;
    await page.goto(`${store.url}${OWN}/installs`);
    const installs = card(page, 'Installs');
    await installs.getByRole('row', { name: '1.0.0 1 0', exact: true }).waitFor();
    await installs.getByLabel('Period').selectOption('366');
    await installs.getByRole('img', { name: /^Installs per day\..*1 in total/ }).waitFor();
    await expect.poll(() => installs.locator('rect.column').count()).toBe(366);
    await installs.getByLabel('Metric').selectOption('updates');
    await installs.getByRole('img', { name: /^Updates per day\..*0 in total/ }).waitFor();
    const tab = (name: string) =>
      page.getByRole('navigation', { name: 'App' }).getByRole('link', { name }).click();
    await tab('Reviews');
    const ratings = card(page, 'Ratings and reviews');
    await ratings.getByText('4.0 of 5 (1 rating)').waitFor();
    await ratings.getByRole('button', { name: 'Reply' }).press('Enter');
    await page.keyboard.insertText(evil(2));
    await ratings.getByRole('button', { name: 'Publish reply' }).click();
    await ratings.getByRole('button', { name: 'Edit reply' }).waitFor();
    await publicPage((shown) => shown.getByText('Acme replies').isVisible());
    await ratings.getByRole('button', { name: 'Report', exact: true }).click();
    await ratings.getByLabel('Reason').selectOption('spam');
    await ratings.getByLabel('Details').fill(evil(3));
    await ratings.getByRole('button', { name: 'Send report' }).click();
    await ratings.getByText('The review stays public until a moderator decides.').waitFor();
    // From the public page a report is one link away.
    await mo.page.goto(store.url + PUBLIC);
    await mo.page.getByRole('link', { name: 'Report this review' }).press('Enter');
    await mo.page.getByRole('heading', { name: 'Report a review' }).waitFor();
    await mo.page.getByText(`${TITLE}!`).waitFor();
    await mo.page.getByRole('button', { name: 'Send report' }).waitFor();
    expect(await faultsOf(mo.page)).toEqual([]);
    // A flag does not hide the review.
    await publicPage((shown) => shown.getByText(`${TITLE}!`).isVisible());
    await tab('Versions');
    await page.getByRole('button', { name: 'Actions on 1.0.0' }).click();
    await page.getByRole('button', { name: 'Take down…' }).click();
    await page.getByText('1 install and 0 updates in the last 366 days.').waitFor();
  });

  for (const [colorScheme, width, options] of LOOKS)
    it(`have no axe violations, in ${colorScheme}, ${width} wide`, options, async () => {
      const shown: [Opened, string, (page: Page) => Promise<void>][] = [
        [reader, PUBLIC, (page) => page.getByText('Acme replies').waitFor()],
        [rita, RATE, (page) => page.getByText('The publisher replied').waitFor()],
        [
          olga,
          `${OWN}/reviews`,
          async (page) => {
            await page.getByRole('button', { name: 'Edit reply' }).click();
            await page.getByRole('button', { name: 'Report', exact: true }).click();
          },
        ],
        [mo, DESK, (page) => page.getByText('member of the publisher').waitFor()],
      ];
      for (const [{ page }, path, ready] of shown) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 800 });
        await page.goto(store.url + path);
        await ready(page);
        expect([path, width, await faultsOf(page)]).toEqual([path, width, []]);
      }
    });

  it('are hidden by a moderator with a note, by keyboard, and the author sees the note', async () => {
    const { page } = mo;
    await page.goto(store.url + DESK);
    await page.getByText('1 review waiting').waitFor();
    await page.keyboard.press('j');
    await page.locator('article:focus').getByText('Spam').waitFor();
    await page.keyboard.press('x');
    await page.locator('dialog[open] textarea:focus').waitFor();
    // In a field, the keys of shortcuts type letters.
    await page.keyboard.type('ax: it advertises.');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('Review hidden.').waitFor();
    await page.getByText('No reviews waiting').waitFor();
    await publicPage(async (shown) => (await shown.getByText(TITLE).count()) === 0);
    await reader.page.getByText('No ratings yet.').waitFor();
    await rita.page.goto(store.url + RATE);
    await rita.page.getByText('A moderator has hidden your review').waitFor();
    await rita.page.getByText('ax: it advertises.').waitFor();
  });

  it('are checked again after an edit, shown again, and deleted by the author', async () => {
    await rita.page.getByLabel('Review').fill('It keeps notes.');
    await rita.page.getByRole('button', { name: 'Save changes' }).click();
    await rita.page.getByText('The review stays hidden until a moderator').waitFor();
    const { page } = mo;
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByText('hidden, edited since').waitFor();
    await page.getByText(/^Updated at /).waitFor();
    await expect
      .poll(() =>
        page.locator('.flagged img').evaluate((icon: { naturalWidth: number }) => icon.naturalWidth),
      )
      .toBeGreaterThan(0);
    await page.keyboard.press('j');
    await page.keyboard.press('a');
    await page.getByRole('dialog').getByRole('button', { name: 'Keep' }).press('Enter');
    await page.getByText('Review kept.').waitFor();
    await publicPage((shown) => shown.getByText('It keeps notes.').isVisible());
    await rita.page.getByRole('button', { name: 'Delete review' }).click();
    await rita.page.getByRole('group').getByRole('button', { name: 'Delete review' }).click();
    await rita.page.getByText('Deleted.').waitFor();
    expect(await rita.page.getByLabel('Title').inputValue()).toBe('');
    await publicPage(async (shown) => (await shown.getByText('It keeps notes.').count()) === 0);
  });

  it('run no code from a title, a review, a reply or a report', async () => {
    for (const { page, incidents, requests } of all()) {
      expect(incidents.filter((line) => !line.includes('status of 4'))).toEqual([]);
      expect(requests.filter((address) => !address.startsWith(store.url))).toEqual([]);
      expect(await page.locator(MARKUP).count()).toBe(0);
    }
  });
});
