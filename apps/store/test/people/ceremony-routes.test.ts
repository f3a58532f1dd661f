import type { RequestListener } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BROWSER, openBrowser, openPage } from '../../../web/test/support/real-browser.ts';
import { ANNA } from '../support/browser.ts';
import { serveHere } from '../support/http-server.ts';
import { openTestStore } from '../support/test-store.ts';

/** A store that a browser reaches, and a page of it at a device that has a finger put on it whenever it asks. */
async function opened(path: (setup: string) => string) {
  let listener: RequestListener = () => {};
  const url = await serveHere(() => (request, response) => listener(request, response));
  const store = await openTestStore({ environment: { SVC_BASE_URL: url } });
  listener = getRequestListener(store.app.fetch);
  const browser = await openBrowser();
  onTestFinished(() => browser.close());
  const opened = await openPage(browser, path((await store.setupLink()) ?? ''));
  const devices = await opened.page.context().newCDPSession(opened.page);
  await devices.send('WebAuthn.enable');
  const { authenticatorId } = await devices.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
  const verified = (isUserVerified: boolean) =>
    devices.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
  return { url, store, verified, ...opened };
}

type Opened = Awaited<ReturnType<typeof opened>>;

/** Makes the first administrator, with a passkey. */
async function setUp({ page }: Opened) {
  await page.getByLabel('Name').fill(ANNA.name);
  await page.getByLabel('Email address').fill(ANNA.email);
  await page.getByLabel('Password').fill(ANNA.password);
  await page.getByRole('button', { name: 'Set up the store' }).click();
  await page.waitForURL('**/account');
  await page.getByLabel('What to call a new one').fill('My finger');
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByText('My finger').waitFor();
}

const signOut = async ({ page }: Opened) => {
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.waitForURL('**/sign-in');
};

describe.skipIf(BROWSER === undefined)('the pages about people, in a real browser', () => {
  it('set up a store, add a passkey, sign out, and sign in with it', async () => {
    const all = await opened((setup) => setup);
    const { page, store, incidents } = all;
    await setUp(all);
    await signOut(all);
    expect((await page.context().cookies()).map(({ name }) => name)).not.toContain('svc-session');
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.waitForURL('**/account');
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(ANNA.name);
    expect(await page.getByText('administrator').count()).toBe(1);
    expect(incidents).toEqual([]);
    const { entries } = await store.stores.audit
      .find({ action: 'session.begin', before: null, limit: 10 })
      .then((found) => ({ entries: found }));
    expect(entries[0]?.detail).toMatchObject({ way: 'passkey' });
  });

  it('sign nobody in whose device has not verified them', async () => {
    const all = await opened((setup) => setup);
    const { page, verified } = all;
    await setUp(all);
    await signOut(all);
    await verified(false);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('That was cut off, or this device cannot do it.').waitFor();
    expect(new URL(page.url()).pathname).toBe('/sign-in');
  });

  it('lead back to the page that was wanted', async () => {
    const all = await opened((setup) => setup);
    const { page, url } = all;
    await setUp(all);
    await signOut(all);
    await page.goto(`${url}/account?tab=1`);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.waitForURL('**/account?tab=1');
  });

  it('change a password, and say what was wrong with it', async () => {
    const all = await opened((setup) => setup);
    const { page } = all;
    await setUp(all);
    await page.getByLabel('Present password').fill('not the right one');
    await page.getByLabel('New password').fill('quite another password');
    await page.getByRole('button', { name: 'Change it' }).click();
    await page.getByText('The present password is not right.').waitFor();
    await page.getByLabel('Present password').fill(ANNA.password);
    await page.getByRole('button', { name: 'Change it' }).click();
    await page.waitForEvent('load');
    expect(await page.getByLabel('Present password').inputValue()).toBe('');
  });
});
