import path from 'node:path';
import { onTestFinished } from 'vitest';
import { type Accounts, type AccountsDeps, openAccounts } from '../../src/accounts/accounts.ts';
import { createEvents, type RuntimeEvent } from '../../src/events/events.ts';
import { browse } from './browser.ts';
import { realSystem, sleepInSignIn } from './real-system.ts';
import { tempFolder } from './temp-folder.ts';

/** An hour in milliseconds. */
export const HOUR = 3600_000;

/** The use for which tests request a token. */
export const USE = { host: 'mcp.example.com', tool: 'list_notes' };

/** A clock that the test advances, with short waits between polls. */
export function fakeSystem() {
  let ahead = 0;
  return {
    ...realSystem,
    now: () => Date.now() + ahead,
    sleep: sleepInSignIn,
    /** Advances the clock, in milliseconds. */
    pass(ms: number) {
      ahead += ms;
    },
  };
}

export type TestAccounts = Accounts & {
  folder: string;
  told: RuntimeEvent[];
  /** Addresses that were opened in the browser. */
  opened: URL[];
  pass(ms: number): void;
};

/** Accounts in a folder of their own, of a user whose browser follows every redirect. */
export async function testAccounts(deps: Partial<AccountsDeps> & { store: string }): Promise<TestAccounts> {
  const folder = deps.folder ?? (await tempFolder());
  const system = fakeSystem();
  const told: RuntimeEvent[] = [];
  const opened: URL[] = [];
  const events = createEvents((error) => {
    throw error;
  });
  events.subscribe((event) => told.push(event));
  const { openBrowser = async (url: string) => void browse(url) } = deps;
  const accounts = openAccounts({
    folder,
    keys: [{ kind: 'key-file', file: path.join(folder, 'key') }],
    system,
    events,
    guard: () => globalThis.fetch,
    fetchStore: globalThis.fetch,
    identity: { name: 'A chat client' },
    ...deps,
    async openBrowser(url, page) {
      opened.push(new URL(url));
      await openBrowser(url, page);
    },
  });
  onTestFinished(() => accounts.close());
  return { ...accounts, folder, told, opened, pass: system.pass };
}
