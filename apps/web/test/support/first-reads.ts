import type { Page, Request } from 'playwright-core';
import { expect } from 'vitest';

/**
 * Opens a page whose scripts are late, and expects that all that its first view reads was asked for before they came, each once.
 * @param paths what the first view reads, sorted
 * @param shown waits until the view shows it
 */
export async function expectFirstReads(
  page: Page,
  url: string,
  paths: readonly string[],
  shown: () => Promise<unknown>,
): Promise<void> {
  const asked: string[] = [];
  const note = (request: Request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.startsWith('/api/') && request.resourceType() === 'fetch') asked.push(pathname + search);
  };
  page.on('request', note);
  const late = Promise.withResolvers<void>();
  const scripts = /\/assets\/signed-in-[^/]*\.js$/;
  await page.route(scripts, async (route) => {
    await late.promise;
    await route.continue();
  });
  const opened = page.goto(url);
  await expect.poll(() => asked.toSorted()).toEqual(paths);
  late.resolve();
  await opened;
  await shown();
  page.off('request', note);
  await page.unroute(scripts);
  expect(asked.toSorted()).toEqual(paths);
}
