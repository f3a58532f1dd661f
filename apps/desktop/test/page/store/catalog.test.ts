import { describe, expect } from 'vitest';
import { NEEDS_BROWSER } from '../support/browser.ts';
import { pageTest as it } from '../support/page-test.ts';
import { entry } from '../support/sample-data.ts';

const apps = ['One', 'Two', 'Three'].map(entry);

/** The answer to a search: some of the apps. */
const pageOf = (some: typeof apps, total = some.length) => ({ apps: some, nextCursor: null, total });

describe('the store, in a real browser', NEEDS_BROWSER, () => {
  it('shows the featured apps first, each once, until the user searches', async ({
    desk,
    page,
    startWith,
  }) => {
    desk.answers['store.search'] = ({ featured }) => pageOf(featured === undefined ? apps : apps.slice(1, 2));
    await startWith({});
    const row = page.getByRole('region', { name: 'Featured' });
    await row.getByRole('link', { name: 'Two' }).waitFor();
    expect(await page.getByRole('link', { name: 'Two' }).count()).toBe(1);
    expect(await page.locator('ul.apps h2').allInnerTexts()).toEqual(['One', 'Three']);
    await page.getByLabel('Search apps').fill('t');
    await expect.poll(() => row.count()).toBe(0);
    expect(await page.locator('ul.apps h2').allInnerTexts()).toEqual(['One', 'Two', 'Three']);
  });

  it('features nothing where the store answers with its whole list', async ({ desk, page, startWith }) => {
    desk.answers['store.search'] = () => pageOf(apps, 300);
    await startWith({});
    await page.getByText('300 apps').waitFor();
    expect(await page.getByRole('region', { name: 'Featured' }).count()).toBe(0);
  });
});
