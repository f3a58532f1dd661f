import { findChromium, needs, pathOfProgram, TIMEOUT_MS } from '@svc/testkit';
import { type Browser, type BrowserContextOptions, chromium } from 'playwright-core';

/** Name of the browser to use; undefined when there is none. */
const BROWSER = findChromium();

/** Options of tests that need a browser. */
export const NEEDS_BROWSER = needs(
  BROWSER !== undefined,
  'needs Chromium: install it, or name the program in CHROMIUM',
);

/** Launches a headless browser, without its own sandbox, which does not work for root in a container. */
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: pathOfProgram(BROWSER ?? ''), args: ['--no-sandbox', '--disable-gpu'] });

/** Opens a page that records console and page errors as incidents, except failed requests, whose message the page shows. */
export async function openPage(browser: Browser, url: string, options: BrowserContextOptions = {}) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(TIMEOUT_MS);
  const page = await context.newPage();
  const incidents: string[] = [];
  page.on('console', (message) => {
    // The others are about handlers and styles in a text that is parsed outside the page, where nothing runs.
    const isExpected =
      /^(Failed to load resource|Executing inline event handler violates|Applying inline style violates)/.test(
        message.text(),
      );
    if (message.type() === 'error' && !isExpected) incidents.push(message.text());
  });
  // A listener keeps the native file dialog closed, which the next key press would otherwise go to.
  page.on('filechooser', () => {});
  page.on('pageerror', (error) => incidents.push(String(error)));
  await page.goto(url);
  return { page, incidents };
}
