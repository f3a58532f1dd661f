import { DEEP } from '@svc/testkit';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectFirstReads } from '../support/first-reads.ts';
import { closeContexts, NEEDS_BROWSER, openPage, shareBrowser } from '../support/real-browser.ts';
import { openRealStore } from '../support/real-store.ts';

const ANNA = { name: 'Anna <b>Bold</b>', email: 'anna@example.com', password: 'correct horse battery' };

/** Adds a virtual authenticator that confirms every request. */
async function addAuthenticator(page: Page) {
  const devices = await page.context().newCDPSession(page);
  await devices.send('WebAuthn.enable');
  const { authenticatorId } = await devices.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
  return (isUserVerified: boolean) =>
    devices.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
}

const card = (page: Page, title: string) =>
  page.locator('section.card', { has: page.getByRole('heading', { name: title, exact: true }) });

const tab = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Publisher' }).getByRole('link', { name });

describe('the pages of an account, in a real browser', NEEDS_BROWSER, () => {
  let browser: Browser;
  let store: Awaited<ReturnType<typeof openRealStore>>;
  let opened: Awaited<ReturnType<typeof openPage>>;
  let verified: Awaited<ReturnType<typeof addAuthenticator>>;

  /** Anna sets up the store; all tests use her session, one after the other. */
  beforeAll(async () => {
    [browser, store] = await Promise.all([shareBrowser(), openRealStore()]);
    opened = await openPage(browser, store.setupUrl);
    const { page } = opened;
    verified = await addAuthenticator(page);
    await page.getByLabel('Name').fill(ANNA.name);
    await page.getByLabel('Email address').fill(ANNA.email);
    await page.getByLabel('Password').fill(ANNA.password);
    await page.getByRole('button', { name: 'Set up the store' }).click();
    await page.getByRole('link', { name: 'Skip', exact: true }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.waitForURL('**/admin');
    await page.goto(new URL('/account', page.url()).href);
  });
  afterAll(async () => {
    await closeContexts(browser);
    await store?.close();
  });

  const openMenu = () => opened.page.getByRole('button', { name: 'Account and theme' }).click();

  const signOut = async () => {
    await openMenu();
    await opened.page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await opened.page.waitForURL('**/sign-in');
  };

  /** A page of Anna in a context of its own, whose cookies and connection the other tests do not share. */
  const openOwn = async (path: string) =>
    (await openPage(browser, store.url + path, { storageState: await opened.page.context().storageState() }))
      .page;

  it('keep the button that signs out in its place when the menu opens again: a press on a replaced button is lost', async () => {
    const { page } = opened;
    await openMenu();
    const button = await page.getByRole('button', { name: 'Sign out', exact: true }).elementHandle();
    await page.keyboard.press('Escape');
    const answered = page.waitForResponse('**/api/people/me');
    await openMenu();
    await (await answered).finished();
    expect(await button?.evaluate((element) => element.isConnected)).toBe(true);
    await page.keyboard.press('Escape');
  });

  it('say at once on the page of the store’s health which part is away, also where the health was read before', async () => {
    const page = await opened.page.context().newPage();
    const refuse = async (path: string, message: string) => {
      const json = { code: 'unavailable', message, requestId: 'r', retryAfter: 5 };
      await page.route(`**${path}`, (route) => route.fulfill({ status: 503, json }));
    };
    const away = page.getByText('The store cannot reach its database.');
    const fail = async () => {
      await refuse('/api/admin/health', 'The store is temporarily unavailable.');
      await refuse('/readyz', 'The store cannot reach its database.');
    };
    await fail();
    await page.goto(`${store.url}/admin`);
    await away.waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByText('revocations signed').waitFor();
    expect(await away.count()).toBe(0);
    await fail();
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
    await away.waitFor();
    await page.close();
  });

  it('begin with a passkey alone, for a new user', async () => {
    const { page } = await openPage(browser, `${store.url}/sign-up?next=/account/tokens`);
    await addAuthenticator(page);
    const create = page.getByRole('button', { name: 'Create account with a passkey' });
    await create.click();
    // Nothing was created: the name is missing, and has the focus.
    expect(await page.getByLabel('Name').evaluate((field) => field === document.activeElement)).toBe(true);
    await page.getByLabel('Name').fill('Berta');
    await page.getByLabel('Email address').fill(ANNA.email);
    await create.click();
    await page.getByRole('alert').getByText('No account was created').waitFor();
    await page.getByLabel('Email address').fill('berta@example.com');
    await create.click();
    await page.waitForURL('**/account/tokens');
    await page.context().close();
  });

  it('add a passkey, and return to the requested page after signing in with it', async () => {
    const { page } = opened;
    const passkeys = card(page, 'Passkeys');
    await passkeys.getByLabel('Name of the new passkey').fill('My finger');
    await passkeys.getByRole('button', { name: 'Add a passkey' }).click();
    await passkeys.getByText('My finger').waitFor();
    await signOut();
    await page.goto(`${store.url}/account/tokens`);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.waitForURL('**/account/tokens');
    await openMenu();
    expect(await page.locator('#account-menu .who').textContent()).toBe(ANNA.name);
    await page.keyboard.press('Escape');
  });

  it('go to the sign-in page as told after signing out, also when a request of the page is refused in between', async () => {
    const page = await openOwn('/');
    const signedOut = Promise.withResolvers<void>();
    await page.route(
      '**/api/people/me',
      async (route) => {
        await signedOut.promise;
        await route.fulfill({
          status: 401,
          json: { code: 'signed_out', message: 'Sign in.', requestId: 'r' },
        });
      },
      { times: 1 },
    );
    await page.route('**/sign-out', async (route) => {
      // A page that does not notice that it is left answers the refusal with this.
      const led = page.waitForRequest('**/sign-in?next=*', { timeout: 1_000 });
      signedOut.resolve();
      await led.catch(() => {});
      await route.fulfill({ status: 303, headers: { Location: '/sign-in' } }).catch(() => {});
    });
    await Promise.all([page.waitForRequest('**/api/people/me'), page.goto(`${store.url}/account/tokens`)]);
    await page.getByRole('button', { name: 'Account and theme' }).click();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.waitForURL('**/sign-in*');
    expect(new URL(page.url()).search).toBe('');
    await page.context().close();
  });

  const signInAs = async (page: Page) => {
    await page.getByLabel('Email address').fill(ANNA.email);
    await page.getByLabel('Password').fill(ANNA.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL('**/account');
  };

  it(
    'keep what was entered when the session ends, and send it once the user has signed in in another tab',
    DEEP,
    async () => {
      const page = await openOwn('/account/publishers?from=mail');
      // By their names alone: a hint is not part of the name that a screen reader says.
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Written before');
      await page.getByRole('textbox', { name: 'Short name', exact: true }).fill('written-before');
      // Another page of the application was shown before: its requests are still those of this page.
      await page.evaluate(() => window.dispatchEvent(new Event('beforeunload', { cancelable: true })));
      await page.context().clearCookies();
      await page.getByRole('button', { name: 'Create publisher' }).click();
      const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
      await dialog.getByRole('button', { name: 'Continue' }).click();
      await dialog.getByText('You are signed out.').waitFor();
      const other = page.context().waitForEvent('page');
      await dialog.getByRole('link', { name: 'Sign in in a new tab' }).click();
      const signIn = await other;
      await signInAs(signIn);
      await dialog.getByRole('button', { name: 'Continue' }).click();
      await page.waitForURL('**/account/publishers/written-before');
      // A session that another tab began has another token: the request is sent again with it.
      await page.goto(`${store.url}/account`);
      await page.getByRole('button', { name: 'Save', exact: true }).waitFor();
      await page.route('**/api/people/me', async (route) => {
        const stale = route.request().method() === 'PATCH' && { 'x-svc-csrf': 'of-another-session' };
        await route.continue({ headers: { ...route.request().headers(), ...stale } });
      });
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('the page was open for too long').waitFor();
      await page.unrouteAll();
      await signIn.getByRole('button', { name: 'Account and theme' }).click();
      await signIn.locator('#account-menu').getByRole('button', { name: 'Sign out' }).click();
      await signIn.waitForURL('**/sign-in');
      await signInAs(signIn);
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('the page was open for too long').waitFor({ state: 'hidden' });
      await page.getByText('Saved').waitFor();
      await page.goto(`${store.url}/account/publishers?from=mail`);
      await page.getByLabel('Short name').waitFor();
      await page.context().clearCookies();
      await page.reload();
      await page.waitForURL('**/sign-in?*');
      expect(new URL(page.url()).searchParams.get('next')).toBe('/account/publishers?from=mail');
      await page.context().close();
    },
  );

  it('send nothing of a user whose session has ended once another one has signed in', DEEP, async () => {
    const page = await openOwn('/account/publishers');
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Of Anna');
    await page.getByRole('textbox', { name: 'Short name', exact: true }).fill('of-anna');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Create publisher' }).click();
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.waitFor();
    const signUp = await page.context().newPage();
    await signUp.goto(`${store.url}/sign-up`);
    await signUp.getByLabel('Name').fill('Clara');
    await signUp.getByLabel('Email address').fill('clara@example.com');
    await signUp.getByLabel('Password').fill(ANNA.password);
    await signUp.getByRole('button', { name: 'Create account', exact: true }).click();
    await signUp.waitForURL('**/account**');
    await Promise.all([
      page.waitForEvent('domcontentloaded'),
      dialog.getByRole('button', { name: 'Continue' }).click(),
    ]);
    await page.getByRole('button', { name: 'C: Account and theme' }).waitFor();
    expect(sent).toHaveLength(1);
    // Nor with the token of the session that replaced the one of the page.
    await signUp.getByRole('button', { name: 'Account and theme' }).click();
    await signUp.locator('#account-menu').getByRole('button', { name: 'Sign out' }).click();
    await signUp.waitForURL('**/sign-in');
    await signInAs(signUp);
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Of Clara');
    await page.getByRole('textbox', { name: 'Short name', exact: true }).fill('of-clara');
    await Promise.all([
      page.waitForEvent('domcontentloaded'),
      page.getByRole('button', { name: 'Create publisher' }).click(),
    ]);
    await page.getByRole('button', { name: /^A.*: Account and theme/ }).waitFor();
    expect(sent).toHaveLength(2);
    await page.context().close();
  });

  it('say that the store cannot be reached, and that a page did not arrive', async () => {
    const page = await openOwn('/account');
    const save = page.getByRole('button', { name: 'Save', exact: true });
    await save.waitFor();
    await page.context().setOffline(true);
    await save.click();
    await page.getByText('The store cannot be reached.').waitFor();
    await page.context().setOffline(false);
    await save.click();
    await page.getByText('The store cannot be reached.').waitFor({ state: 'hidden' });
    await page.route('**/assets/**', (route) => route.fulfill({ status: 503 }));
    await page.getByRole('button', { name: 'Account and theme' }).click();
    await page.getByRole('link', { name: 'Moderation' }).click();
    await page.getByRole('heading', { name: 'This page could not be shown' }).waitFor();
    // The menu does not stay over the page that it led to.
    expect(await page.locator(':popover-open').count()).toBe(0);
    await page.unrouteAll({ behavior: 'wait' });
    await page.getByRole('button', { name: 'Reload the page' }).click();
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    await page.context().close();
  });

  it('refuse a passkey sign-in without user verification', async () => {
    const { page } = opened;
    await signOut();
    await verified(false);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('That was cut off, or this device cannot do it.').waitFor();
    expect(new URL(page.url()).pathname).toBe('/sign-in');
    await verified(true);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.waitForURL('**/account');
  });

  it('change a password, and report a wrong current password', async () => {
    const { page } = opened;
    await card(page, 'Password').getByRole('button', { name: 'Change password' }).click();
    const dialog = page.getByRole('dialog');
    const change = dialog.getByRole('button', { name: 'Change password' });
    await dialog.getByLabel('Current password').fill('not the right one');
    await dialog.getByLabel('New password').fill('quite another password');
    await change.click();
    await dialog.getByText('The current password is wrong.').waitFor();
    await dialog.getByLabel('Current password').fill(ANNA.password);
    await change.click();
    await dialog.getByText('Password saved.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
  });

  it('create a publisher and a token for it, and invite a colleague who accepts', async () => {
    const { page } = opened;
    await page.getByRole('link', { name: 'Publishers' }).click();
    await page.getByLabel('Name', { exact: false }).first().fill('Example & Sons');
    const short = page.getByLabel('Short name');
    expect(await short.inputValue()).toBe('example-sons');
    await short.fill('  ');
    await page.getByRole('button', { name: 'Create publisher' }).click();
    // The page says so, and sends nothing.
    expect(await page.evaluate(`document.querySelector('input[name=slug]').validationMessage`)).not.toBe('');
    await short.fill('example');
    await page.getByRole('button', { name: 'Create publisher' }).click();
    await page.waitForURL('**/account/publishers/example');
    await tab(page, 'Tokens').click();
    await page.waitForURL('**/account/publishers/example/tokens');
    const tokens = card(page, 'Publisher tokens');
    await tokens.getByText('Create a token').click();
    await tokens.getByLabel('Name').fill('builds');
    await tokens.getByRole('button', { name: 'Create token' }).click();
    expect(await tokens.locator('.secret code').textContent()).toMatch(/^svcc_\w{35}$/);
    await tokens.getByRole('button', { name: 'Close' }).click();
    await tab(page, 'Members').click();
    const members = card(page, 'Members');
    await members.getByRole('button', { name: 'Invite a member' }).click();
    const dialog = page.getByRole('dialog', { name: 'Invite a member' });
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
    const link = (await dialog.locator('.secret code').textContent()) ?? '';
    await dialog.getByRole('button', { name: 'Close' }).click();
    await members.getByRole('heading', { name: 'Pending invitations' }).waitFor();
    const colleague = await openPage(browser, link);
    await colleague.page.getByRole('link', { name: 'Create one' }).click();
    await colleague.page.getByLabel('Name').fill('Ben');
    await colleague.page.getByLabel('Email address').fill('ben@example.com');
    await colleague.page.getByLabel('Password').fill('another long password');
    await colleague.page.getByRole('button', { name: 'Create account', exact: true }).click();
    await colleague.page.waitForURL('**/invitations/**');
    await Promise.all([
      colleague.page.waitForResponse((response) => response.request().method() === 'POST'),
      colleague.page.locator('button.main').click(),
    ]);
    await colleague.page.goto(`${store.url}/account/publishers/example/members`);
    await colleague.page.getByRole('button', { name: 'Leave' }).waitFor();
    expect(await colleague.page.getByRole('button', { name: 'Invite' }).count()).toBe(0);
    expect(await tab(colleague.page, 'Tokens').count()).toBe(0);
    await colleague.page.goto(`${store.url}/account/publishers/example/tokens`);
    await colleague.page.getByText('Only owners of the publisher can open this page.').waitFor();
    expect(colleague.incidents).toEqual([]);
    await page.reload();
    await members.getByText('Ben').waitFor();
  });

  it('ask for all that the page of a publisher shows once, while their scripts are on their way', async () => {
    const { page } = opened;
    const home = '/api/publishers/example';
    await expectFirstReads(
      page,
      `${store.url}/account/publishers/example`,
      ['/api/people/me', home, `${home}/apps`, `${home}/offers`],
      () => page.getByText('Create the app folder').waitFor(),
    );
  });

  it('have a URL for each tab of a publisher, which works with the back button', async () => {
    const { page } = opened;
    const current = page.getByRole('navigation', { name: 'Publisher' }).locator('[aria-current=page]');
    await page.goto(`${store.url}/account/publishers/example`);
    expect(await current.textContent()).toBe('Apps');
    await tab(page, 'Website').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Verification' }).waitFor();
    expect(await page.title()).toContain('Website · example');
    await tab(page, 'Settings').click();
    await page.getByRole('heading', { name: 'Short name' }).waitFor();
    expect(await current.textContent()).toBe('Settings');
    await page.goBack();
    await page.getByRole('heading', { name: 'Verification' }).waitFor();
    expect(await current.textContent()).toBe('Website');
    await page.locator('h1:focus').waitFor();
    await page.goto(`${store.url}/account/publishers/example/no-tab`);
    await page.getByText('There is no page at this address.').waitFor();
  });

  it('change the name and the website of a publisher, each on its tab', async () => {
    const { page } = opened;
    await page.goto(`${store.url}/account/publishers/example/settings`);
    await card(page, 'Name').getByLabel('Name').fill('Example Ltd');
    await card(page, 'Name').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Example Ltd' }).waitFor();
    await tab(page, 'Website').click();
    await card(page, 'Website').getByLabel('Website').fill('https://example.com');
    await card(page, 'Website').getByRole('button', { name: 'Save' }).click();
    await card(page, 'Website').getByText('Saved.').waitFor();
    await page.getByText('TXT record at').waitFor();
    await page.getByRole('heading', { name: 'Example Ltd' }).waitFor();
  });

  it('revoke a token after a confirmation', async () => {
    const { page } = opened;
    await page.goto(`${store.url}/account/publishers/example/tokens`);
    const tokens = card(page, 'Publisher tokens');
    await tokens.getByText('builds').waitFor();
    await tokens.getByRole('button', { name: 'Revoke' }).click();
    await tokens.getByRole('group').getByRole('button', { name: 'Revoke' }).click();
    await tokens.getByText('builds').waitFor({ state: 'detached' });
  });

  it.each([
    '/account',
    '/account/publishers',
    '/account/publishers/example',
    ...['members', 'tokens', 'website', 'settings'].map((name) => `/account/publishers/example/${name}`),
    '/account/tokens',
  ])('%s is accessible in either theme, and not wider than a phone', DEEP, async (path) => {
    const { page } = opened;
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width: 390, height: 800 });
      await page.goto(store.url + path);
      await page.locator('main h1').waitFor();
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate(() =>
        (globalThis as unknown as { axe: typeof axe }).axe.run(),
      );
      expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('show hostile names as text, violate no policy, and refuse to be framed', async () => {
    const { page, incidents } = opened;
    await page.goto(`${store.url}/account`);
    await page.locator('main h1').waitFor();
    expect(await page.locator('b').count()).toBe(0);
    const policy = await page.evaluate(async () =>
      (await fetch('/account')).headers.get('content-security-policy'),
    );
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*/);
    // The browser also logs the refused password request.
    expect(incidents.filter((line) => !line.includes('status of 4'))).toEqual([]);
  });
});
