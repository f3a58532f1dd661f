import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Accounts, openAccounts } from '../../packages/runtime/src/accounts/accounts.ts';
import type { Ask } from '../../packages/runtime/src/cards/card.ts';
import { createEvents } from '../../packages/runtime/src/events/events.ts';
import { createGuardedFetch } from '../../packages/runtime/src/network/guarded-fetch.ts';
import type { System } from '../../packages/runtime/src/platform/system.ts';

/** The URL of the client metadata document that the suite expects. */
const DOCUMENT = 'https://conformance-test.local/client-metadata.json';

/** A store that does not exist: this process replaces its relay. */
const STORE = 'https://store.conformance-test.local';

/** Poll interval of the accounts at the relay. */
const RELAY_POLL_MS = 1000;

const MAX_REDIRECTS = 5;

/** A pre-registered client of a scenario. */
export type Registered = { client_id?: string; client_secret?: string };

/** A browser whose user approves every sign-in, and the relay that it is redirected to. */
function openBrowser() {
  const answers = new Map<string, Record<string, string>>();
  return {
    async open(address: string): Promise<void> {
      let url = new URL(address);
      for (let redirects = 0; url.origin !== STORE && redirects < MAX_REDIRECTS; redirects += 1) {
        const response = await fetch(url, { redirect: 'manual' });
        url = new URL(response.headers.get('location') ?? STORE, url);
      }
      const { state = '', ...answer } = Object.fromEntries(url.searchParams);
      answers.set(state, answer);
    },
    relay: (async (input) => {
      const state = new URL(String(input)).searchParams.get('state') ?? '';
      return Response.json(answers.get(state) ?? { pending: true });
    }) as typeof fetch,
  };
}

/** The accounts of the client under test, in a temporary folder, with a user who approves every sign-in. */
export function openTestAccounts(
  system: System,
  { client_id: clientId, client_secret: clientSecret }: Registered,
): {
  tokens: Accounts;
  ask: Ask;
} {
  const folder = mkdtempSync(join(tmpdir(), 'svc-conformance-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const browser = openBrowser();
  const ask: Ask = async () => ({ accepted: true });
  const tokens = openAccounts({
    folder,
    keys: [{ kind: 'key-file', file: join(folder, 'key') }],
    // Polls the relay immediately: this browser answers without delay.
    system: {
      ...system,
      sleep: (ms, signal) =>
        ms === RELAY_POLL_MS ? sleep(1, undefined, signal && { signal }) : system.sleep(ms, signal),
    },
    events: createEvents(() => undefined),
    guard: (reach) => createGuardedFetch({ system, ...reach }),
    fetchStore: browser.relay,
    store: STORE,
    openBrowser: browser.open,
    ask,
    identity: {
      name: 'svc-runtime',
      documentUrl: DOCUMENT,
      ...(clientId !== undefined && {
        registered: () => ({ clientId, ...(clientSecret !== undefined && { clientSecret }) }),
      }),
    },
  });
  return { tokens, ask };
}
