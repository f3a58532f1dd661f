import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { OpenPanel, PanelFile } from '@svc/runtime';
import type { BrowserContextOptions, Frame } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { openBrowser as openChromium } from '../../../../apps/web/test/support/real-browser.ts';
import { startClientPage } from '../../../../packages/runtime/test/support/panel-stage.ts';
import { relayServer } from '../../../../packages/runtime/test/support/relay-server.ts';
import { openClient } from '../../../../packages/runtime/test/support/runtime-world.ts';
import { tempFolder } from '../../../../packages/runtime/test/support/temp-folder.ts';
import { pinboardFiles } from '../../server/index.ts';
import { openBrowser } from './person.ts';

export const APP = 'com.example.pinboard';
export const PROJECT = 'project-1';

/** The app as a folder under development, for one server. */
async function appFolder(server: { mcpUrl: string }): Promise<string> {
  const folder = join(await tempFolder(), 'app');
  for (const [path, bytes] of await pinboardFiles(server)) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, bytes);
  }
  return folder;
}

/** A client of svc with the app open in it, whose person is called Ada and signs in as they are asked to. */
export async function openApp(server: { mcpUrl: string }, origin = 'http://127.0.0.1:1') {
  const relay = await relayServer();
  const picked: PanelFile[] = [];
  const client = await openClient({
    store: relay.url,
    client: { platform: 'linux', arch: 'x64', builtInApps: [], name: 'client', version: '1.0.0', origin },
    pickFiles: async () => picked.splice(0),
    openBrowser: async (address) => {
      const { url } = await openBrowser().signIn(address, { name: 'Ada' });
      await (await fetch(url)).body?.cancel();
    },
  });
  const folder = await client.runtime.openFolder(await appFolder(server));
  expect(folder.state).toMatchObject({ appId: APP, fault: null });
  return { ...client, picked, relay };
}

/** The same with the board in a real browser. */
export async function showBoard(server: { mcpUrl: string }, look: BrowserContextOptions = {}) {
  const home = await startClientPage();
  onTestFinished(() => home.stop().then(() => undefined));
  const client = await openApp(server, home.origin);
  const browser = await openChromium();
  onTestFinished(() => browser.close());
  const page = await (await browser.newContext(look)).newPage();
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

  /** Opens the panel, and waits until its page stands. */
  async function show(theme: 'light' | 'dark'): Promise<{ panel: OpenPanel; frame: Frame }> {
    const panel = await client.runtime.openPanel(APP, 'board', { theme, locale: 'en-GB', project: PROJECT });
    const id = panel.frame.address;
    open.set(id, panel);
    panel.listen({
      message: (text) => void tell('tellPanel', id, text),
      closed: (reason) => void tell('runtimeClosed', id, reason),
    });
    const standing = page.waitForEvent('framenavigated', {
      predicate: (frame) => frame.url().endsWith('/ui/index.html'),
    });
    await tell('showPanel', id, panel.frame);
    const frame = await standing;
    await frame.waitForLoadState('load');
    return { panel, frame };
  }
  return { ...client, page, show, incidents };
}
