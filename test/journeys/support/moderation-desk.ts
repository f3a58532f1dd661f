import type { Manifest } from '@svc/contracts';
import { automationOf } from '@svc/testkit';
import type { Browser } from 'playwright-core';
import { EVIL_FILES, EVIL_MANIFEST } from '../../../apps/web/test/support/attacks.ts';
import { closeContexts, type openPage, shareBrowser } from '../../../apps/web/test/support/real-browser.ts';
import { openRealStore } from '../../../apps/web/test/support/real-store.ts';
import { publishApp, submitApp } from '../../../apps/web/test/support/seed.ts';
import { openAs } from '../../../apps/web/test/support/staff.ts';

type Store = Awaited<ReturnType<typeof openRealStore>>;

const WIDENED: Partial<Manifest> = {
  version: '1.1.0',
  grants: ['files:receive', 'project:write'],
  remote: { mcpUrl: 'https://mcp.example.com/mcp', domains: ['api.example.com', '*.tracker.example'] },
};

/** The page on which moderators review a version. */
export const screenOf = (appId: string, version = '1.0.0') => `/moderation/apps/${appId}/versions/${version}`;

/** Fills the queue of a store with versions, and opens it for two moderators. */
async function fillDesk(browser: Browser, store: Store) {
  const automation = automationOf(store.url, store.adminToken);
  await automation.addPublisher({ slug: 'example', name: 'Example & Sons' });
  await automation.addPublisher({ slug: 'evil', name: '<b onclick=alert(0)>' });
  await publishApp(store, { publisher: 'example' }, { 'assets/notes.js': 'let a = 1;\nlet b = 2;\n' });
  await submitApp(store, WIDENED, { 'assets/notes.js': 'let a = 1;\nlet c = 3;\nlet b = 2;\n' });
  await submitApp(store, EVIL_MANIFEST, EVIL_FILES);
  for (const n of [1, 2, 3, 4]) await submitApp(store, { id: `com.example.app-${n}`, name: `App ${n}` });
  const anna = await openAs(browser, store, {
    name: 'Anna',
    role: 'moderator',
    path: '/moderation/versions',
  });
  const ben = await openAs(browser, store, { name: 'Ben', role: 'moderator', path: '/moderation/versions' });
  return { anna, ben };
}

/** A store whose queue two moderators have open in a browser. */
export async function openDesk() {
  const [browser, store] = await Promise.all([shareBrowser(), openRealStore()]);
  const close = async () => {
    await closeContexts(browser);
    await store.close();
  };
  try {
    return { browser, store, close, ...(await fillDesk(browser, store)) };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A desk. */
export type Desk = Awaited<ReturnType<typeof openDesk>>;

/** What the pages of moderators reported, but for what the store refused. */
export const incidentsOf = (...pages: Awaited<ReturnType<typeof openPage>>[]): string[] =>
  pages.flatMap(({ incidents }) => incidents).filter((line) => !line.includes('status of 4'));
