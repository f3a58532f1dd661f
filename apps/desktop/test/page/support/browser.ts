import { findChromium, needs, pathOfProgram, TIMEOUT_MS } from '@svc/testkit';
import { type Browser, type BrowserContextOptions, chromium } from 'playwright-core';

/** Name of the browser to use; undefined when there is none. */
const BROWSER = findChromium();

/** Options of tests that need one. */
export const NEEDS_BROWSER = needs(
  BROWSER !== undefined,
  'needs Chromium: install it, or name the program in CHROMIUM',
);

/** A headless browser. Without its own sandbox, which a container run as root does not allow. */
export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: pathOfProgram(BROWSER ?? ''), args: ['--no-sandbox', '--disable-gpu'] });

/** A page that remembers what should not have happened on it. Requests that fail are told by what the page shows. */
export async function openPage(browser: Browser, url: string, options: BrowserContextOptions = {}) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(TIMEOUT_MS);
  const page = await context.newPage();
  const incidents: string[] = [];
  page.on('console', (message) => {
    // The latter is told of a handler in a text that is parsed apart from the page, where nothing runs.
    const isExpected = /^(Failed to load resource|Executing inline event handler violates)/.test(
      message.text(),
    );
    if (message.type() === 'error' && !isExpected) incidents.push(message.text());
  });
  // While there is a listener, the browser keeps its own dialog for files closed: a key pressed right after would open that one.
  page.on('filechooser', () => {});
  page.on('pageerror', (error) => incidents.push(String(error)));
  await page.goto(url);
  return { page, incidents };
}
