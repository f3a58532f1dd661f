import { setTimeout } from 'node:timers/promises';
import { FINISH_TRANSITIONS, TIMEOUT_MS } from '@svc/testkit';
import axe from 'axe-core';
import type { openFirefox } from '../../../packages/runtime/test/support/firefox.ts';

export type Browser = Awaited<ReturnType<typeof openFirefox>>;
export type Page = Awaited<ReturnType<Browser['newPage']>>;

/** Approximately the accessible name of the focused element. */
export const FOCUSED = `(() => {
  const one = document.activeElement;
  return (one.getAttribute('aria-label') ?? one.labels?.[0]?.textContent ?? one.textContent ?? '').trim();
})()`;

/** What hides the focused element, or the ring that shows it; empty if nothing does. A frame shows the focus inside itself. */
const HIDDEN = `(() => {
  const one = document.activeElement;
  if (one === document.body) return 'nothing has the focus';
  if (one.localName === 'iframe') return '';
  const { left, top, right, bottom } = one.getBoundingClientRect();
  const [x, y] = [Math.max(0, left), Math.max(0, top)];
  const [width, height] = [Math.min(innerWidth, right) - x, Math.min(innerHeight, bottom) - y];
  if (width < 1 || height < 0.7 * Math.min(bottom - top, innerHeight)) return 'out of view';
  const shares = [0.25, 0.5, 0.75];
  const over = shares.flatMap((across) => shares.map((down) => document.elementFromPoint(x + width * across, y + height * down)));
  const covers = over.filter((at) => at && !one.contains(at) && !(at.localName === 'label' && at.contains(one)));
  if (covers.length > 2) return 'covered by ' + covers.map((at) => at.className || at.localName);
  // These show the focus by the border of their frame, or by a line.
  const isFramed = one.matches('.composer textarea, .app-card a, .dock-edge');
  return isFramed || getComputedStyle(one).outlineStyle !== 'none' || !one.matches(':focus-visible') ? '' : 'no ring';
})()`;

const MAX_PRESSES = 80;

/** How often a page is looked at, in milliseconds. */
const LOOK_MS = 50;

/** Waits until work returns nothing, also outside of a test. @throws what it returned last */
export async function untilNothing(work: () => Promise<string>): Promise<void> {
  const last = Date.now() + TIMEOUT_MS;
  for (;;) {
    const missing = await work();
    if (missing === '') return;
    if (Date.now() > last) throw new Error(missing);
    await setTimeout(LOOK_MS);
  }
}

/** Waits until an expression is true in a page. */
export const until = (page: Page, expression: string): Promise<void> =>
  untilNothing(async () => {
    // Evaluating in a page that is navigating away fails.
    if (await page.evaluate(`Boolean(${expression})`).catch(() => false)) return '';
    const shown = await page
      .evaluate('(document.querySelector("main") ?? document.body).innerText.slice(-1200)')
      .catch(() => 'nothing');
    return `Not yet: ${expression}, at ${page.url()}, which shows: ${shown}`;
  });

export const heading = (page: Page, text: string): Promise<void> =>
  until(
    page,
    `[...document.querySelectorAll('h1')].some((one) => one.textContent.includes(${JSON.stringify(text)}))`,
  );

/** The axe violations of a page, and by how many pixels it is wider than its window. */
export async function faultsOf(page: Page): Promise<unknown> {
  await page.evaluate(`${axe.source};0`);
  await page.evaluate(FINISH_TRANSITIONS);
  return page.evaluate(`axe.run({ iframes: false }).then(({ violations }) => [
    ...violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')),
    ...(document.documentElement.scrollWidth > document.documentElement.clientWidth ? ['wider than its window'] : []),
  ])`);
}

/** The keys of a user, counted, and what of the focus they could not see. */
export function openKeys() {
  const hidden: string[] = [];
  let presses = 0;
  const keys = {
    hidden,
    presses: () => presses,
    async press(page: Page, key: 'Tab' | 'Enter' | 'Escape') {
      presses += 1;
      await page.keyboard.press(key);
    },
    async type(page: Page, text: string) {
      presses += text.length;
      await page.keyboard.type(text);
    },
    /**
     * Presses Tab, or Shift+Tab, until the focused element has this name. A Tab behind the last element of a page leads to the browser,
     * where later keys of a test press nothing.
     */
    async tabTo(page: Page, name: RegExp, way: 'on' | 'back' = 'on'): Promise<void> {
      const seen: string[] = [];
      while (seen.length < MAX_PRESSES) {
        if (way === 'back') await page.keyboard.down('Shift');
        await keys.press(page, 'Tab');
        if (way === 'back') await page.keyboard.up('Shift');
        const focused = String(await page.evaluate(FOCUSED));
        const why = String(await page.evaluate(HIDDEN));
        if (why !== '') hidden.push(`${focused.slice(0, 40)}: ${why}, on the way to ${name}`);
        if (name.test(focused)) return;
        seen.push(focused.slice(0, 30));
      }
      throw new Error(`No key leads to ${name}, only to: ${seen.join(' | ')}`);
    },
  };
  return keys;
}
