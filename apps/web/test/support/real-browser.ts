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
 * A headless browser. Without its own sandbox, which a container run as root does not allow.
 * @param args what else it is told as it starts
 */
export const openBrowser = (args: readonly string[] = []): Promise<Browser> =>
  chromium.launch({
    executablePath: pathOfProgram(BROWSER ?? ''),
    args: ['--no-sandbox', '--disable-gpu', ...args],
  });

/**
 * The same with a profile, in which pages of one site within pages of another may keep something, as some clients let them.
 * @param folder where the profile is made; whoever made the folder removes it
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

/** A page that remembers what should not have happened on it. */
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
  // While there is a listener, the browser keeps its own dialog for files closed: a key pressed right after would open that one.
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
