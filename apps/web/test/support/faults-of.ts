import { FINISH_TRANSITIONS } from '@svc/testkit';
import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** What is wrong with a page for those who cannot see it, and how much wider it is than its window. */
export async function faultsOf(page: Page) {
  await page.evaluate(axe.source);
  // Colours that change with the theme are on their way for a moment.
  await page.evaluate(FINISH_TRANSITIONS);
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
  const overflow = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  return [
    ...violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
    ...(overflow > 0 ? [overflow] : []),
  ];
}
