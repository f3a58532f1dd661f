import { FINISH_TRANSITIONS } from '@svc/testkit';
import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** The axe violations of a page, and by how many pixels it is wider than its window. */
export async function faultsOf(page: Page) {
  await page.evaluate(axe.source);
  // Wait for the colour transitions of a theme change.
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
