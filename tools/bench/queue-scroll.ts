import { automationOf, findChromium, packedSample } from '@svc/testkit';
import { fillQueue, SCROLL } from '../../apps/web/test/support/long-queue.ts';
import { openBrowser } from '../../apps/web/test/support/real-browser.ts';
import { openRealStore } from '../../apps/web/test/support/real-store.ts';
import { openAs } from '../../apps/web/test/support/staff.ts';
import type { Figure } from './lib/figure.ts';
import { PUBLISHER } from './lib/processes.ts';

const ENTRIES = 10_000;

type Store = Awaited<ReturnType<typeof openRealStore>>;

async function fill(store: Store): Promise<void> {
  const automation = automationOf(store.url, store.adminToken);
  await automation.addPublisher(PUBLISHER);
  const { appId } = await automation.upload(packedSample({ publisher: PUBLISHER.slug }));
  fillQueue(store.dataDir, appId, ENTRIES - 1);
}

async function scroll(store: Store): Promise<number> {
  const browser = await openBrowser();
  try {
    const anna = { name: 'Anna', role: 'moderator', path: '/moderation/versions' } as const;
    const { page } = await openAs(browser, store, anna);
    await page.getByText(`${ENTRIES.toLocaleString('en')} versions wait`).waitFor();
    return (await page.evaluate<{ longestFrame: number }>(SCROLL)).longestFrame;
  } finally {
    await browser.close();
  }
}

/** Scrolls through a long review queue in five seconds, in headless Chromium. */
export async function queueScroll(): Promise<Figure[]> {
  if (findChromium() === undefined) return [];
  const store = await openRealStore();
  try {
    await fill(store);
    const longest = await scroll(store);
    return [
      {
        name: `Longest frame while a queue of ${ENTRIES.toLocaleString('en')} versions is scrolled through in five seconds`,
        measured: 'at 1280 by 800',
        value: longest,
        unit: ' ms',
        bound: { most: 1_000 },
      },
    ];
  } finally {
    await store.close();
  }
}
