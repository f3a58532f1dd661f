import path from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { Answer, Card } from '../../src/cards/card.ts';
import type { RuntimeEvent } from '../../src/events/events.ts';
import { createGuardedFetch } from '../../src/network/guarded-fetch.ts';
import { openRuntime, type RuntimeOptions } from '../../src/open-runtime.ts';
import { browse } from './browser.ts';
import { realSystem, sleepInSignIn } from './real-system.ts';
import { tempFolder } from './temp-folder.ts';

/** Shortens waits of a second between polls. */
const system = {
  ...realSystem,
  sleep: sleepInSignIn,
};

/**
 * A client with a runtime, in a folder that other clients may use too. Its user accepts every card, and the browser of the user
 * follows every redirect.
 */
export async function openClient(options: Partial<RuntimeOptions> = {}) {
  const folder = options.folder ?? (await tempFolder());
  const cards: Card[] = [];
  const events: RuntimeEvent[] = [];
  const { connecting } = options;
  const browser = createGuardedFetch({
    system,
    allowed: ['*.example.com'],
    allowLoopback: true,
    ...(connecting && { connecting }),
  });
  const reach: typeof fetch = (url, init) =>
    String(url).startsWith('https:') ? browser(url, init) : fetch(url, init);
  const runtime = await openRuntime({
    folder,
    system,
    store: 'http://127.0.0.1:1',
    ...(options.network === undefined && { fetchStore: fetch }),
    client: {
      platform: 'linux',
      arch: 'x64',
      builtInApps: [],
      name: 'A chat client',
      version: '1.0.0',
      origin: 'http://127.0.0.1:1',
    },
    keys: [{ kind: 'key-file', file: path.join(folder, 'key') }],
    identity: { name: 'A chat client' },
    ask: async (card): Promise<Answer> => {
      cards.push(card);
      return { accepted: true, ...('binding' in card && { binding: card.binding }) };
    },
    openBrowser: async (url) => {
      const page = await browse(url, reach);
      expect(page.status).toBe(200);
      await page.body?.cancel();
    },
    onFault: (error) => {
      throw error;
    },
    ...options,
  });
  runtime.events.subscribe((event) => events.push(event));
  onTestFinished(async () => {
    await runtime.close();
    await browser.close();
  });
  return { runtime, folder, cards, events };
}
