import { type ApiRequest, apiRequest } from '@svc/contracts/client';
import { automationOf } from '@svc/testkit';
import type { Browser } from 'playwright-core';
import { openPage } from './real-browser.ts';

/** A store with the token of its automation. */
export type Staffed = { url: string; adminToken: string };

/** Sends a request to the store as automation. */
export const asAutomation = <T>({ url, adminToken }: Staffed, request: ApiRequest<T>): Promise<T> =>
  automationOf(url, adminToken).ask(request);

/** The users that match a search. */
export const findPeople = async (store: Staffed, q: string) =>
  (await asAutomation(store, apiRequest('GET /api/admin/people', { query: { q } }))).people;

/** Gives a role to the user with an email address. */
export async function giveRole(store: Staffed, email: string, role: 'moderator' | 'administrator') {
  const [found] = await findPeople(store, email);
  const params = { id: found?.id ?? '' };
  await asAutomation(store, apiRequest('PATCH /api/admin/people/:id', { params, json: { role } }));
}

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
  await page.getByRole('button', { name: 'Create account', exact: true }).click();
  await page.waitForURL('**/account');
  if (role !== 'person') await giveRole(store, email, role);
  await page.goto(store.url + path);
  return opened;
}
