import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findChromium, needs, pathOfProgram, TIMEOUT_MS } from '@svc/testkit';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';

/** Name of the browser to use; undefined when there is none. */
export const BROWSER = findChromium();

/** Options of tests that need one. */
export const NEEDS_BROWSER = needs(
  BROWSER !== undefined,
  'needs Chromium: install it, or name the program in CHROMIUM',
);

/**
 * Launches a headless browser, without its own sandbox, which does not work for root in a container.
 * @param args further command-line arguments
 */
export const openBrowser = (args: readonly string[] = []): Promise<Browser> =>
  chromium.launch({
    executablePath: pathOfProgram(BROWSER ?? ''),
    args: ['--no-sandbox', '--disable-gpu', ...args],
  });

let shared: Promise<Browser> | undefined;

/**
 * The browser of this worker, launched for its first test file and used by all of them: a launch takes longer than most tests. It ends
 * with the worker. Close what a file opened with `closeContexts`.
 */
export async function shareBrowser(): Promise<Browser> {
  const browser = await shared?.catch(() => undefined);
  if (!browser?.isConnected()) shared = openBrowser();
  return shared as Promise<Browser>;
}

/** Closes all that a test file opened in the browser of its worker. */
export async function closeContexts(browser: Browser | undefined): Promise<void> {
  await Promise.all((browser?.contexts() ?? []).map((context) => context.close()));
}

/**
 * Launches a browser with a profile that allows third-party cookies and storage, as some clients do.
 * @param folder where the profile is created; the caller removes it
 */
export async function openProfile(folder: string, args: readonly string[] = []): Promise<BrowserContext> {
  await mkdir(join(folder, 'Default'));
  const preferences = { profile: { cookie_controls_mode: 0, block_third_party_cookies: false } };
  await writeFile(join(folder, 'Default', 'Preferences'), JSON.stringify(preferences));
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: pathOfProgram(BROWSER ?? ''),
    args: ['--no-sandbox', '--disable-gpu', ...args],
  });
  context.setDefaultTimeout(TIMEOUT_MS);
  return context;
}

/** Opens a page that records console errors, dialogs and page errors as incidents. */
export async function openPage(browser: Browser, url: string, options: BrowserContextOptions = {}) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(TIMEOUT_MS);
  const page = await context.newPage();
  const incidents: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      incidents.push(`${message.text()} ${message.location().url}`.trim());
  });
  // A listener keeps the native file dialog closed, which the next key press would otherwise go to.
  page.on('filechooser', () => {});
  page.on('pageerror', (error) => incidents.push(String(error)));
  page.on('dialog', (dialog) => {
    incidents.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(url);
  return { page, incidents, requests };
}
