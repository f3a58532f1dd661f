import { TIMEOUT_MS } from '@svc/testkit';
import { eventually } from '@svc/testkit/eventually';
import type { Frame } from 'puppeteer-core';
import type { InstalledApp } from '../../src/index.ts';
import { openFirefox } from './firefox.ts';
import { startOutside } from './outside.ts';
import { type InPage, openPanelWorld } from './panel-world.ts';

/** Sends all requests except those to this machine to the proxy of the test. */
const settingsFor = (proxyPort: number) => ({
  'network.proxy.type': 1,
  'network.proxy.http': '127.0.0.1',
  'network.proxy.http_port': proxyPort,
  'network.proxy.ssl': '127.0.0.1',
  'network.proxy.ssl_port': proxyPort,
});

/** The client of `openStage` in a real Firefox, driven over WebDriver BiDi. */
export async function openFirefoxStage() {
  const outside = await startOutside();
  const browser = await openFirefox(settingsFor(outside.proxyPort));
  const page = await browser.newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
  const world = await openPanelWorld();
  for (const [name, binding] of Object.entries(world.bindings)) await page.exposeFunction(name, binding);
  await page.goto(world.client.origin);

  const inPage: InPage = (name, ...args) =>
    page.evaluate(`${name}(${args.map((value) => JSON.stringify(value)).join()})`).catch(() => {});

  /** Shows a panel of an app, and waits until its page is loaded. */
  async function show(app: InstalledApp, bundle: ReadonlyMap<string, Uint8Array>) {
    const { panel, reason, page: address, show: begin } = await world.open(app, bundle, inPage);
    await begin();
    const frame = await eventually(async () => {
      const found = page.frames().find((one) => one.url().endsWith(address));
      if (!found || (await found.evaluate('document.readyState')) !== 'complete')
        throw new Error('The panel is not there.');
      return found;
    });
    return { panel, frame, reason };
  }

  return {
    ...world,
    page,
    outside,
    show,
    async close() {
      await world.close();
      await browser.close();
      await outside.stop();
    },
  };
}

/** Waits until an expression holds in a panel. */
export const untilIn = (frame: Frame, expression: string): Promise<unknown> =>
  eventually(async () => {
    if (!(await frame.evaluate(`Boolean(${expression})`))) throw new Error(`Not yet: ${expression}`);
  });

export type FirefoxStage = Awaited<ReturnType<typeof openFirefoxStage>>;
