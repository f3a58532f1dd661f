import { DEEP, TIMEOUT_MS } from '@svc/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { NEEDS_BROWSER, openBrowser } from '../../../../web/test/support/real-browser.ts';
import { listen } from '../../../src/composition/serve.ts';
import type { PersonCaller } from '../../../src/core/domain/identity/caller.ts';
import type { DeviceRecord } from '../../../src/core/domain/identity/device-store.ts';
import { askPage } from '../../../src/core/tokens/device-routes.ts';
import { pollDevice, startDevice } from '../../support/device.ts';
import { bodyOf, openTestStore } from '../../support/test-store.ts';

/** A host name that the browser resolves to the store of the test, on any port. */
const ORIGIN = 'http://store.example';

/** A listening store, a page in the browser of a signed-in user, and the console messages and dialogs of that page. */
async function opened(membership: Record<string, 'member'> = {}) {
  const store = await openTestStore({ environment: { SVC_BASE_URL: ORIGIN } });
  for (const slug of Object.keys(membership))
    await store.admin('POST', '/api/admin/publishers', { slug, name: slug });
  const server = await listen(store, 0, '127.0.0.1');
  const browser = await openBrowser([`--host-resolver-rules=MAP store.example:80 127.0.0.1:${server.port}`]);
  onTestFinished(async () => {
    await browser.close();
    await server.close();
  });
  const session = await store.signedIn('anna', { membership });
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  const value = session.cookie.split('=')[1] ?? '';
  await context.addCookies([{ name: 'svc-session', value, url: ORIGIN, httpOnly: true, sameSite: 'Lax' }]);
  const page = await context.newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
  const incidents: string[] = [];
  page.on('console', (message) => incidents.push(message.text()));
  page.on('dialog', (dialog) => {
    incidents.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  /** Clicks a button, or presses a key, and waits for the next page. */
  const send = (what: string) =>
    Promise.all([page.waitForEvent('load'), what === 'Enter' ? page.keyboard.press(what) : page.click(what)]);
  return { store, page, incidents, send };
}

describe('askPage', () => {
  const now = new Date('2026-03-01T12:00:00.000Z');

  /** The page for a user at the address `from`, about a device at `address` that asked some seconds ago. */
  function htmlFor(from: string | null, address: string | null, seconds: number): string {
    const origin = { address: from, requestId: null };
    const caller = {
      from: origin,
      person: { name: 'Ann <b>' },
      memberships: new Map(),
    } as unknown as PersonCaller;
    const createdAt = new Date(now.getTime() - seconds * 1000).toISOString();
    const device = { client: 'svc', address, createdAt, asked: { scopes: ['yank'], publisher: 'acme' } };
    const { body } = askPage(
      caller,
      'c',
      { device: device as unknown as DeviceRecord, code: 'BCDFGHJK', seal: 's' },
      now,
    );
    return String(body);
  }

  it.each([
    ['192.0.2.1', '192.0.2.1', 0, '192.0.2.1, your address', 'under a minute ago'],
    ['192.0.2.1', '198.51.100.7', 1, '198.51.100.7, not your address (192.0.2.1)', 'under a minute ago'],
    [null, '198.51.100.7', 60, '<dd>198.51.100.7</dd>', '1 minute ago'],
    ['192.0.2.1', null, 599, 'unknown', '10 minutes ago'],
  ])(
    'shows a user at %s the address of the device, %s, and the time of its request',
    (from, address, seconds, where, when) => {
      const said = htmlFor(from, address, seconds);
      expect(said).toContain(where);
      expect(said).toContain(when);
    },
  );

  it('shows the user of the token, and that the user is not a member of the requested publisher', () => {
    const said = htmlFor(null, null, 0);
    expect(said).toContain('Ann &lt;b&gt;');
    expect(said).toContain('It asks to act for <code>acme</code>, of which you are not a member.');
    expect(said).toContain('You are not a member of a publisher yet');
  });
});

describe('the page for devices, in a real browser', NEEDS_BROWSER, () => {
  it('approves a device for one publisher, with fewer scopes than requested', DEEP, async () => {
    const { store, page, incidents, send } = await opened({ acme: 'member', other: 'member' });
    const client = '<img src=x onerror=alert(1)> svc on anvil';
    const { deviceCode, userCode } = await startDevice(store, { client });
    await page.goto(`${ORIGIN}/device?code=${userCode}`);
    expect(await page.inputValue('#code')).toBe(userCode);
    await send('text=Continue');
    expect(await page.textContent('dl bdi')).toBe(client);
    // The page does not overflow a narrow screen.
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
    await page.uncheck('input[name="publish:new"]');
    await page.selectOption('#publisher', 'acme');
    await send('text=Approve >> nth=-1');
    expect(await page.textContent('h1')).toBe('Approved');
    const { token } = await bodyOf(pollDevice(store, deviceCode));
    expect(await bodyOf(store.call('GET', '/api/developer/whoami', { token }))).toMatchObject({
      person: { id: 'anna' },
      token: { publisher: 'acme', scopes: ['publish:update', 'yank', 'status', 'read'] },
    });
    expect(incidents).toEqual([]);
  });

  it('denies a device', DEEP, async () => {
    const { store, page, incidents, send } = await opened();
    const { deviceCode, userCode } = await startDevice(store);
    await page.goto(`${ORIGIN}/device`);
    await page.fill('#code', userCode.toLowerCase().replace('-', ' '));
    await send('Enter');
    expect(await page.textContent('h1')).toBe('Approve this device?');
    await send('text=Deny');
    expect(await page.textContent('h1')).toBe('Denied');
    expect((await pollDevice(store, deviceCode)).status).toBe(403);
    expect(incidents).toEqual([]);
  });

  it('shows an error for a wrong code, and after five the time of the next attempt', DEEP, async () => {
    const { page, send } = await opened();
    await page.goto(`${ORIGIN}/device`);
    for (let tries = 0; tries < 5; tries += 1) {
      await page.fill('#code', 'BCDF-GHJK');
      await send('text=Continue');
      expect(await page.textContent('#fault')).toContain('No device waits with this code');
    }
    await send('text=Continue');
    expect(await page.textContent('main')).toContain('You can try again at 12:15:00 UTC');
  });

  it('cannot be framed, not even by the store itself', DEEP, async () => {
    const { page } = await opened();
    const body = '<!doctype html><title>Framing</title><iframe src="/device"></iframe>';
    await page.route(`${ORIGIN}/framing`, (route) => route.fulfill({ contentType: 'text/html', body }));
    await page.goto(`${ORIGIN}/framing`);
    await expect.poll(() => page.frames()[1]?.url()).toMatch(/^chrome-error:/);
  });
});
