import { LOOKS } from '@svc/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BuiltPage, buildPage, showBuilt } from '../support/build-page.ts';
import { faultsOf } from '../support/faults-of.ts';
import { closeContexts, NEEDS_BROWSER, openPage, shareBrowser } from '../support/real-browser.ts';

const PAGE = `${import.meta.dirname}/../support/chart-page.tsx`;

describe('the chart of days, in a real browser', NEEDS_BROWSER, () => {
  let browser: Browser;
  let parts: BuiltPage;

  beforeAll(async () => {
    [browser, parts] = await Promise.all([shareBrowser(), buildPage(PAGE)]);
  });
  afterAll(() => closeContexts(browser));

  async function openChart(options: Parameters<typeof openPage>[2] = {}): Promise<Page> {
    const { page, incidents } = await openPage(browser, 'about:blank', options);
    await showBuilt(page, parts, 'Chart');
    expect(incidents).toEqual([]);
    await page.locator('.plot').waitFor();
    return page;
  }

  it('reacts to the pointer, and has the same numbers in a table', async () => {
    // In this time zone, midnight UTC is on the previous day.
    const page = await openChart({ timezoneId: 'America/Los_Angeles' });
    await page.locator('rect.column').first().hover();
    await page.getByText('Jan 1, 2026: 40').waitFor();
    expect(await page.locator('.axis').innerText()).toBe('100\n50\n0');
    await page.getByText('Show as a table').click();
    expect(await page.getByRole('row').count()).toBe(61);
    await page.getByRole('row', { name: 'Jan 5, 2026 0', exact: true }).waitFor();
    const drawn = page.getByRole('img', { name: 'Installs per day. From Jan 1, 2026 to Mar 1, 2026' });
    expect(await drawn.locator('rect').count()).toBe(120);
  });

  for (const [colorScheme, width, options] of LOOKS)
    it(`has no axe violations, in ${colorScheme}, ${width} wide`, options, async () => {
      const page = await openChart({ colorScheme, viewport: { width, height: 800 } });
      expect(await faultsOf(page)).toEqual([]);
      await page.context().close();
    });
});
