import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { browserAt, type TestBrowser } from './browser.ts';
import { openTestStore, type TestStore } from './test-store.ts';

/** A store with providers from a configuration file. */
export const openStoreWith = (...providers: object[]): Promise<TestStore> => openStoreAt({}, ...providers);

/** Opens a store with settings and providers. */
export async function openStoreAt(
  environment: Record<string, string>,
  ...providers: object[]
): Promise<TestStore> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-sign-in-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'sign-in.json');
  await writeFile(file, JSON.stringify(providers));
  return openTestStore({ environment: { ...environment, SVC_SIGN_IN_FILE: file } });
}

/** Starts a sign-in with a provider. Returns the URL that the browser is sent to. */
export async function beginAt(store: TestStore, id: string, next?: string) {
  const browser: TestBrowser = browserAt(store);
  const query = next === undefined ? '' : `?${new URLSearchParams({ next })}`;
  const answer = await browser.open(`/sign-in/${id}${query}`);
  return { browser, answer, location: answer.headers.get('location') ?? '' };
}
