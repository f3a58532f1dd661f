import { automationOf } from '@svc/testkit';
import type { Browser } from 'playwright-core';
import { openPage } from './real-browser.ts';

/** A store with the token of its automation. */
export type Staffed = { url: string; adminToken: string };

/** Sends a request to the store as automation. */
export const asAutomation = <T>(
  { url, adminToken }: Staffed,
  method: string,
  path: string,
  json?: object,
): Promise<T> => automationOf(url, adminToken).ask(method, path, json);

/**
 * Signs up a new user in a page of their own, gives them a role, and opens a path.
 * @param path the path to open with the role
 */
export async function openAs(
  browser: Browser,
  store: Staffed,
  { name, role, path }: { name: string; role: 'person' | 'moderator' | 'administrator'; path: string },
) {
  const email = `${name.toLowerCase().replace(/\W+/g, '-')}@example.com`;
  const opened = await openPage(browser, `${store.url}/sign-up`);
  const { page } = opened;
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password').fill('correct horse battery');
  await page.locator('button.main').click();
  await page.waitForURL('**/account');
  const listed = await asAutomation<{ people: { id: string }[] }>(
    store,
    'GET',
    `/api/admin/people?q=${email}`,
  );
  await asAutomation(store, 'PATCH', `/api/admin/people/${listed.people[0]?.id}`, { role });
  await page.goto(store.url + path);
  return opened;
}
