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
    expect(await on.isChecked()).toBe(true);
    await on.uncheck();
    await page.reload();
    await on.waitFor();
    expect(await on.isChecked()).toBe(false);
    expect(new URL(page.url()).hash).toBe('#/settings/notifications');
  });
});
