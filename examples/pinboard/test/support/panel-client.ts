import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { OpenPanel, PanelFile } from '@svc/runtime';
import type { BrowserContext, Frame } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { openBrowser as openChromium } from '../../../../apps/web/test/support/real-browser.ts';
import { startClientPage } from '../../../../packages/runtime/test/support/client-page.ts';
import { relayServer } from '../../../../packages/runtime/test/support/relay-server.ts';
import { openClient } from '../../../../packages/runtime/test/support/runtime-world.ts';
import { tempFolder } from '../../../../packages/runtime/test/support/temp-folder.ts';
import { pinboardFiles } from '../../server/index.ts';
import { openBrowser } from './person.ts';

export const APP = 'com.example.pinboard';
export const PROJECT = 'project-1';

/** The app as a development folder, for a server. */
export async function appFolder(server: { mcpUrl: string }): Promise<string> {
  const folder = join(await tempFolder(), 'app');
  for (const [path, bytes] of await pinboardFiles(server)) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, bytes);
  }
  return folder;
}

/** Signs Ada in by submitting the forms of the pages, without a browser. */
async function signInAsAda(address: string): Promise<void> {
  const { url } = await openBrowser().signIn(address, { name: 'Ada' });
  await (await fetch(url)).body?.cancel();
}

type Given = { origin?: string; signIn?: (address: string) => Promise<void> };

/** A client of svc with an open development folder, whose user, Ada, signs in when asked. */
export async function openApp(
  folder: string,
  { origin = 'http://127.0.0.1:1', signIn = signInAsAda }: Given = {},
) {
  const relay = await relayServer();
  const picked: PanelFile[] = [];
  const client = await openClient({
    store: relay.url,
    client: { platform: 'linux', arch: 'x64', builtInApps: [], name: 'A client', version: '1.0.0', origin },
    pickFiles: async () => picked.splice(0),
    openBrowser: signIn,
  });
  const { state } = await client.runtime.openFolder(folder);
  expect(state).toMatchObject({ fault: null });
  const app = client.runtime.library.get(state.appId ?? '') ?? expect.fail('The folder is no app.');
  return { ...client, app, picked };
}

/** Signs Ada in with a real browser. */
const signInWith = (browser: BrowserContext) => async (address: string) => {
  const page = await browser.newPage();
  await page.goto(address);
  // A signed-in user only sees the consent page.
  if ((await page.locator('#name').count()) > 0) {
    await page.fill('#name', 'Ada');
    await page.click('button');
  }
  await page.click('button[value=allow]');
  await page.getByText('You can close this tab').waitFor();
  await page.close();
};

/** A client with panels and sign-ins in a real browser. */
export async function openInBrowser(folder: string) {
  const home = await startClientPage();
  onTestFinished(() => home.stop().then(() => undefined));
  const browser = await openChromium();
  onTestFinished(() => browser.close());
  const context = await browser.newContext();
  // Slow on a busy machine.
  context.setDefaultTimeout(60_000);
  const client = await openApp(folder, { origin: home.origin, signIn: signInWith(context) });
  const page = await context.newPage();
  const incidents: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') incidents.push(message.text());
  });
  page.on('pageerror', (error) => incidents.push(String(error)));
  const open = new Map<string, OpenPanel>();
  await page.exposeFunction('toRuntime', (id: string, text: string) => open.get(id)?.receive(text));
  await page.exposeFunction('closedByPage', (id: string) => open.get(id)?.close('closed'));
  await page.goto(home.origin);
  const tell = (name: string, ...args: unknown[]) =>
    page.evaluate(`${name}(${args.map((value) => JSON.stringify(value)).join()})`).catch(() => undefined);

  /** Opens a panel, and waits until its page is ready. */
  async function show(panelId: string, theme: 'light' | 'dark'): Promise<{ panel: OpenPanel; frame: Frame }> {
    const shown = { theme, locale: 'en-GB', project: PROJECT };
    const panel = await client.runtime.openPanel(client.app.appId, panelId, shown);
    const id = panel.frame.address;
    open.set(id, panel);
    panel.listen({
      message: (text) => void tell('tellPanel', id, text),
      closed: (reason) => void tell('runtimeClosed', id, reason),
    });
    const navigated = page.waitForEvent('framenavigated', {
      predicate: (frame) => frame.url().endsWith('/ui/index.html'),
    });
    await tell('showPanel', id, panel.frame);
    const frame = await navigated;
    await frame.waitForLoadState('load');
    return { panel, frame };
  }
  return { ...client, page, show, incidents };
}
