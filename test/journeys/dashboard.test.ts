import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Manifest } from '@svc/contracts';
import { DEEP, LOOKS, png, sampleBundle } from '@svc/testkit';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { faultsOf } from '../../apps/web/test/support/faults-of.ts';
import {
  closeContexts,
  NEEDS_BROWSER,
  openPage,
  shareBrowser,
} from '../../apps/web/test/support/real-browser.ts';
import { openRealStore } from '../../apps/web/test/support/real-store.ts';
import { openLine } from './support/line.ts';

const APP = 'com.acme.notes';
const HOME = '/account/publishers/acme';
const EVIL = `"><script>alert(1)</script><img src=x onerror=alert(2)>\u202Egnp`;

type Files = Parameters<typeof sampleBundle>[1];

/** A bundle of acme as a file to upload. */
const fileOf = (manifest: Partial<Manifest>, files: Files = {}) => ({
  name: 'notes.svc-app',
  mimeType: 'application/octet-stream',
  buffer: Buffer.from(sampleBundle({ id: APP, publisher: 'acme', ...manifest }, files)),
});

const pictureOf = (name: string, bytes: Uint8Array) => ({
  name,
  mimeType: 'image/png',
  buffer: Buffer.from(bytes),
});

/** More bytes than the socket buffers hold on a stalled connection; random data cannot be compressed. */
const LARGE = { 'assets/large.bin': randomBytes(16 * 1024 * 1024) };

const card = (page: Page, title: string) =>
  page.locator('section.card', { has: page.getByRole('heading', { name: title, exact: true }) });

const steps = (page: Page) => page.locator('ol.steps').first();

/** Approximately the accessible name of the focused element. */
const FOCUSED = '(document.activeElement.labels?.[0] ?? document.activeElement).textContent';

describe('the dashboard of a publisher, in a real browser', NEEDS_BROWSER, () => {
  let browser: Browser;
  let line: Awaited<ReturnType<typeof openLine>>;
  let store: Awaited<ReturnType<typeof openRealStore>>;
  let opened: Awaited<ReturnType<typeof openPage>>;

  const automation = async (method: string, path: string, body: object | Buffer) => {
    const isZip = Buffer.isBuffer(body);
    const answer = await fetch(store.url + path, {
      method,
      headers: {
        Authorization: `Bearer ${store.adminToken}`,
        'Content-Type': isZip ? 'application/zip' : 'application/json',
      },
      body: isZip ? new Uint8Array(body) : JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
  };
  const decide = (version: string, decision: 'approve' | 'reject', json: object, appId = APP) =>
    automation('POST', `/api/moderation/apps/${appId}/versions/${version}/${decision}`, json);

  /** Incidents of the page, without the refused requests that some tests expect. */
  const incidents = () => opened.incidents.filter((text) => !/status of 4|net::ERR/.test(text));

  beforeAll(async () => {
    line = await openLine();
    [browser, store] = await Promise.all([shareBrowser(), openRealStore({ publicPort: line.port })]);
    line.leadTo(store.port);
    opened = await openPage(browser, store.setupUrl);
    const { page } = opened;
    const script = Promise.withResolvers<void>();
    await page.route(/\/brand[^/]*\.js/, async (route) => {
      await script.promise;
      await route.continue();
    });
    await page.getByLabel('Name').fill('Anna');
    await page.getByLabel('Email address').fill('anna@example.com');
    await page.getByLabel('Password').fill('correct horse battery');
    await page.getByRole('button', { name: 'Set up the store' }).click();
    const header = page.locator('.shell .brand');
    await page.getByLabel('Accent').waitFor();
    await page.getByLabel('Name').fill('Acme Apps');
    await page.getByLabel('Accent').fill('#0b57b0');
    await page.getByLabel('Logo').setInputFiles(pictureOf('logo.png', png(96, 64)));
    // The fields are filled before the script of the page has come.
    script.resolve();
    // Before it is saved, and of another file that takes its place.
    await header.locator('canvas').waitFor();
    expect(await header.textContent()).toContain('Acme Apps');
    await page.getByLabel('Logo').setInputFiles(pictureOf('large.png', Buffer.alloc(300 * 1024)));
    await page.waitForSelector('[type=file]:invalid');
    const why = await page.evaluate(`document.querySelector('[type=file]').validationMessage`);
    expect(why).toBe('This file has more than 256 KiB.');
    expect(await header.locator('canvas').count()).toBe(0);
    await page.getByLabel('Logo').setInputFiles(pictureOf('logo.png', png(96, 64)));
    await header.locator('canvas').waitFor();
    await page.getByRole('button', { name: 'Save and continue' }).click();
    await header.locator('img[src*="/assets/logo-"]').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.waitForURL('**/admin');
    await page.goto(new URL('/account', page.url()).href);
    await page.getByRole('link', { name: 'Publishers' }).waitFor();
  });
  afterAll(async () => {
    await closeContexts(browser);
    await store?.close();
    await line?.close();
  });

  it('guides to a first app in review, and shows its publication live, by keyboard alone', async () => {
    const { page } = opened;
    const { keyboard } = page;
    const to = async (name: string | RegExp) => {
      for (let presses = 0; presses < 60; presses += 1) {
        await keyboard.press('Tab');
        const text = await page.evaluate<string>(FOCUSED);
        if (text.match(name)) return;
      }
      throw new Error(`No key leads to ${name}.`);
    };
    await to(/^Publishers$/);
    await keyboard.press('Enter');
    await page.getByRole('button', { name: 'Create publisher' }).waitFor();
    // The later steps are shown already: creating the publisher is the current one.
    expect(await steps(page).locator('[aria-current=step]').textContent()).toContain('Create a publisher');
    await to(/^Name/);
    await keyboard.type('Acme');
    await keyboard.press('Tab');
    await keyboard.type('acme');
    await keyboard.press('Enter');
    await page.waitForURL(`**${HOME}`);
    await card(page, 'Your first app').getByText('cli.tgz init my-app --publisher acme').waitFor();
    await to(/Drop a bundle here/);
    const chooser = page.waitForEvent('filechooser');
    await keyboard.press('Enter');
    await (await chooser).setFiles([fileOf({})]);
    await page.getByText('No problems found').waitFor();
    // The next step has the focus.
    await keyboard.press('Enter');
    await page.getByText('Version 1.0.0 uploaded').waitFor();
    await steps(page).locator('[aria-current=step]', { hasText: 'In review' }).waitFor();
    await page.getByText('It is the first version of this app.').waitFor();
    await card(page, 'Apps').getByRole('link', { name: 'Notes' }).waitFor();
    await decide('1.0.0', 'approve', {});
    await card(page, 'Apps').getByText('published', { exact: true }).waitFor();
    await expect.poll(() => steps(page).locator('.done').count()).toBe(5);
    await steps(page).getByText('Decided by a moderator of this store').waitFor();
    await to(/^View app$/);
    await keyboard.press('Enter');
    await page.waitForURL(`**/apps/${APP}`);
    await page.getByText('1.0.0 is in the catalogue').waitFor();
    expect(incidents()).toEqual([]);
  });

  it('does not upload a broken bundle, and shows all its errors', async () => {
    const { page, requests } = opened;
    await page.goto(store.url + HOME);
    await page.locator('.file-drop').waitFor();
    const before = requests.length;
    const input = page.locator('input[type=file]');
    await input.setInputFiles([fileOf({ version: 'one', name: '' })]);
    await page.getByText('Fix the errors').waitFor();
    await page.getByRole('link', { name: 'version.format' }).waitFor();
    expect(await page.getByRole('button', { name: /^Publish/ }).count()).toBe(0);
    for (const [manifest, says] of [
      [{ publisher: 'other', version: '2.0.0' }, 'This bundle is for the publisher “other”'],
      [{}, 'Version 1.0.0 was already uploaded.'],
    ] as const) {
      await input.setInputFiles([fileOf(manifest)]);
      await page.getByText(says).waitFor();
      expect(await page.getByRole('button', { name: /^Publish/ }).count()).toBe(0);
    }
    const sent = requests
      .slice(before)
      .filter((url) => !/\/assets\/|\/api\/publishers\/acme\/apps$/.test(url));
    expect(sent).toEqual([]);
  });

  it('shows upload progress, cancels an upload, and keeps the bundle when the connection is lost', async () => {
    const { page } = opened;
    await page.goto(`${store.url}${HOME}/apps/${APP}`);
    // By its path: a browser takes seconds to receive so many bytes from a test.
    const folder = await mkdtemp(join(tmpdir(), 'svc-upload-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const large = join(folder, 'notes.svc-app');
    await writeFile(large, fileOf({ version: '1.1.0' }, LARGE).buffer);
    await page.locator('input[type=file]').setInputFiles(large);
    const publish = page.getByRole('button', { name: 'Publish Notes 1.1.0' });
    await publish.waitFor();
    line.stall();
    await publish.click();
    const part = async () => {
      const [sent, all] = await Promise.all(
        ['value', 'max'].map((name) => page.locator('progress').getAttribute(name)),
      );
      return Number(sent) / Number(all);
    };
    await expect.poll(part).toBeGreaterThan(0);
    expect(await part()).toBeLessThan(1);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Upload cancelled. The bundle is still here.').waitFor();
    await page.getByRole('button', { name: 'Retry' }).click();
    await expect.poll(part).toBeGreaterThan(0);
    line.cut();
    await page.getByText('Connection lost.').waitFor();
    line.fix();
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByText('Version 1.1.0 uploaded').waitFor();
    expect(incidents()).toEqual([]);
  });

  it('detects that an upload was accepted although its response was lost', async () => {
    const { page } = opened;
    await decide('1.1.0', 'approve', { note: 'Well done.' });
    await page.goto(`${store.url}${HOME}/apps/${APP}`);
    await page.locator('input[type=file]').setInputFiles([fileOf({ version: '1.2.0' })]);
    line.loseAnswers();
    await page.getByRole('button', { name: 'Publish Notes 1.2.0' }).click();
    await page.getByText('Version 1.2.0 uploaded').waitFor();
    // The pressed button is gone, and what became of the upload is next.
    await page.locator('h1:focus, h2:focus, h3:focus').waitFor();
    line.fix();
  });

  it('shows every version with its changelog and note, and compares any two', async () => {
    const { page } = opened;
    const remote = {
      mcpUrl: 'https://mcp.example.com/mcp',
      domains: ['api.example.com', 'more.example.com'],
    };
    const changelog = { 'CHANGELOG.md': '## 1.3.0\n\nNow with more.' };
    await automation('POST', '/api/apps/publish', fileOf({ version: '1.3.0', remote }, changelog).buffer);
    await page.goto(`${store.url}${HOME}/apps/${APP}`);
    await card(page, '1.3.0 in review').getByText('It asks for new permissions.').waitFor();
    await decide('1.3.0', 'reject', { note: 'Why more?\nSay so.' });
    await card(page, '1.3.0 rejected').getByText('Why more?').waitFor();
    await page.getByRole('navigation', { name: 'App' }).getByRole('link', { name: 'Versions' }).click();
    await card(page, 'Versions').getByRole('link', { name: '1.3.0' }).click();
    await page.waitForURL('**/versions/1.3.0');
    const shown = page.locator('.card.version');
    await shown.getByText('Now with more.').waitFor();
    await shown.getByText('Changes since 1.1.0').waitFor();
    expect(await shown.locator('.changes.widens .told').allTextContents()).toEqual([
      'Contacts more.example.com',
    ]);
    await page.goBack();
    const compare = card(page, 'Compare two versions');
    await compare.getByRole('heading', { name: 'Asks for new permissions (1)' }).waitFor();
    await compare.getByLabel('From').selectOption('1.3.0');
    await compare.getByLabel('To').selectOption('1.0.0');
    await compare.locator('.change.other.removed').getByText('more.example.com').waitFor();
    expect(incidents()).toEqual([]);
  });

  it('retracts a version in review, and yanks a published one with a warning and a reason', async () => {
    const { page } = opened;
    await page.goto(`${store.url}${HOME}/apps/${APP}/versions`);
    const row = (version: string) => card(page, 'Versions').locator('li', { hasText: version });
    const act = async (version: string, name: string) => {
      await row(version)
        .getByRole('button', { name: `Actions on ${version}` })
        .click();
      await page.getByRole('button', { name: `${name}…`, exact: true }).click();
      return page.getByRole('dialog');
    };
    await (await act('1.2.0', 'Retract')).getByRole('button', { name: 'Retract' }).click();
    await row('1.2.0').getByText('retracted', { exact: true }).waitFor();
    const dialog = await act('1.1.0', 'Take down');
    await dialog.getByText('Clients disable it within minutes').waitFor();
    const yank = dialog.getByRole('button', { name: 'Yank 1.1.0', exact: true });
    await yank.click();
    // A reason is required.
    expect(await dialog.locator('textarea:invalid').count()).toBe(1);
    await dialog.getByLabel(/^Reason/).fill('It lost notes.');
    await yank.click();
    await row('1.1.0').getByText('yanked').waitFor();
    await page.getByText('1.0.0 is in the catalogue').waitFor();
    const { entries } = (await (await fetch(`${store.url}/api/apps/revocations`)).json()) as {
      entries: object[];
    };
    expect(entries).toMatchObject([{ appId: APP, version: '1.1.0', reason: 'It lost notes.' }]);
    expect(incidents()).toEqual([]);
  });

  it('signs in and proves an identity with a passkey, which verifies its user', async () => {
    const { page } = opened;
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('WebAuthn.enable');
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await page.goto(`${store.url}/account`);
    await page.getByLabel('Name of the new passkey').fill('my laptop');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    const passkeys = card(page, 'Passkeys');
    await passkeys.getByText('my laptop').waitFor();

    // The same session, when its proof of identity is older than ten minutes.
    const database = new DatabaseSync(join(store.dataDir, 'store.sqlite'));
    database.exec("UPDATE sessions SET proved_at = '2020-01-01T00:00:00.000Z'");
    database.close();
    await page.reload();
    await page.getByLabel('Name of the new passkey').fill('my key');
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await dialog.getByRole('button', { name: 'Use a passkey' }).click();
    await dialog.getByText('No passkey was used: the request was cancelled or timed out.').waitFor();
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
    await dialog.getByRole('button', { name: 'Use a passkey' }).click();
    await dialog.waitFor({ state: 'detached' });
    // What was started continues: this authenticator already has a passkey for the account.
    await passkeys.getByText('This device already has a passkey for this account.').waitFor();

    await page.goto(`${store.url}/sign-in`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.goto(`${store.url}/sign-in`);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.waitForURL('**/account');
    await passkeys.getByText(/last used/).waitFor();
    const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId });
    expect(credentials).toMatchObject([{ rpId: 'localhost', isResidentCredential: true, signCount: 3 }]);
    await cdp.send('WebAuthn.disable');
    expect(incidents()).toEqual([]);
  });

  it('runs no code from names, notes and changelogs', DEEP, async () => {
    const { page } = opened;
    const id = 'com.acme.evil';
    const name = '<img src=x onerror=alert(4)>';
    const files = { 'CHANGELOG.md': EVIL, 'README.md': EVIL };
    // The checks refuse hidden characters in the texts of a manifest, but not in files and versions.
    const seen = EVIL.replaceAll('\u202E', '');
    const manifest = { id, name, description: seen, permissions: [seen] };
    await automation('POST', '/api/apps/publish', fileOf(manifest, files).buffer);
    await decide('1.0.0', 'reject', { note: EVIL }, id);
    await page.goto(store.url + HOME);
    await page.getByRole('link', { name }).click();
    await page.getByRole('navigation', { name: 'App' }).getByRole('link', { name: 'Versions' }).click();
    await card(page, 'Versions').getByRole('link', { name: '1.0.0' }).click();
    await page.locator('.card.version').getByRole('heading', { name: 'Findings' }).waitFor();
    const changelog = await page.locator('.long').textContent();
    expect(changelog).toContain('⟨U+202E⟩gnp');
    expect(changelog).not.toContain('alert');
    expect(await page.locator('main').textContent()).not.toContain('\u202E');
    await page.goto(store.url + HOME);
    await page.locator('input[type=file]').setInputFiles([fileOf({ ...manifest, version: EVIL }, files)]);
    await page.getByText('Fix the errors').waitFor();
    expect(await page.locator('main script, main img[src="x"], [onerror], [onload]').count()).toBe(0);
    expect(incidents()).toEqual([]);
  });

  for (const [colorScheme, width, options] of LOOKS)
    it(`has no axe violations, in ${colorScheme}, ${width} wide`, options, async () => {
      const { page } = opened;
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      await page.goto(store.url + HOME);
      await card(page, 'Apps').waitFor();
      await page
        .locator('input[type=file]')
        .setInputFiles([fileOf({ version: '9.0.0', categories: undefined })]);
      await page.getByRole('button', { name: /^Publish/ }).waitFor();
      expect([width, await faultsOf(page)]).toEqual([width, []]);
      await page.goto(`${store.url}${HOME}/apps/${APP}`);
      await page.locator('input[type=file]').setInputFiles([fileOf({ version: 'one' })]);
      await page.getByText('Fix the errors').waitFor();
      expect([width, await faultsOf(page)]).toEqual([width, []]);
    });

  it('shows how long to wait after too many uploads, and keeps the bundle', DEEP, async () => {
    const { page } = opened;
    await page.goto(`${store.url}${HOME}/apps/${APP}`);
    await page.locator('input[type=file]').setInputFiles([fileOf({ version: '9.0.0' })]);
    const publish = page.getByRole('button', { name: 'Publish Notes 9.0.0' });
    await publish.waitFor();
    await page.evaluate(async () => {
      const { csrf } = (await (await fetch('/api/people/me')).json()) as { csrf: string };
      const headers = { 'X-Svc-Csrf': csrf, 'Content-Type': 'application/zip' };
      const upload = () => fetch('/api/apps/publish', { method: 'POST', headers, body: 'no zip' });
      while ((await upload()).status !== 429);
    });
    await publish.click();
    await page.getByText('Too many uploads in a short time.').waitFor();
    const again = page.getByRole('button', { name: /^Retry in \d+ s$/ });
    expect(await again.isDisabled()).toBe(true);
  });
});
