import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BuiltPage, buildPage, showBuilt } from '../../support/build-page.ts';
import { closeContexts, NEEDS_BROWSER, openPage, shareBrowser } from '../../support/real-browser.ts';

describe('evidence in tabs, in a real browser', NEEDS_BROWSER, () => {
  let browser: Browser;
  let parts: BuiltPage;

  beforeAll(async () => {
    const entry = `${import.meta.dirname}/../../support/tabs-page.tsx`;
    [browser, parts] = await Promise.all([shareBrowser(), buildPage(entry)]);
  });
  afterAll(() => closeContexts(browser));

  async function openTabs() {
    const { page } = await openPage(browser, 'about:blank');
    await showBuilt(page, parts, 'Tabs');
    await page.getByRole('tab').first().waitFor();
    return page;
  }

  it('is found in a closed tab by the search of the browser, which opens that tab', async () => {
    const page = await openTabs();
    const text = page.getByText('What is in Three.');
    expect(await text.isVisible()).toBe(false);
    // As a search does, a link to a part of the page reveals it (HTML, "ancestor revealing algorithm").
    await page.evaluate(`location.hash = 'in-three'`);
    await page.getByRole('tab', { name: 'Three', selected: true }).waitFor();
    await text.waitFor();
    expect(await page.getByRole('tabpanel').count()).toBe(1);
    expect(await page.getByText('What is in One.').isVisible()).toBe(false);
  });

  it('is reached by keyboard in the chosen tab alone, and takes no place in others', async () => {
    const page = await openTabs();
    await page.getByRole('tab', { name: 'Two' }).click();
    await page.getByText('What is in Two.').waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('What is in Two.');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.getAttribute("role")')).not.toBe('tabpanel');
    const heights = await page
      .locator('[role=tabpanel]')
      .evaluateAll((all) => all.map((one) => one.clientHeight > 0));
    expect(heights).toEqual([false, true, false]);
  });
});
