import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Frame } from 'playwright-core';
import { expect } from 'vitest';
import { openProfile } from '../../../../apps/web/test/support/real-browser.ts';
import type { InstalledApp } from '../../src/index.ts';
import { startOutside } from './outside.ts';
import { panelApp, panelFiles } from './panel-app.ts';
import { type InPage, openPanelWorld, type WorldOptions } from './panel-world.ts';

/** The reason to skip a test that needs a browser that enforces the allowlist of a panel. */
export const NEEDS_ALLOWLIST = 'needs Connection-Allowlist, which Chromium has since version 152';

/** First version of Chromium that knows the header without a flag. */
const FIRST_WITH_ALLOWLIST = 152;

/** A panel that is connected to its client. */
const CONNECTED = `import { connectPanel } from './connect-panel.js';
globalThis.host = await connectPanel();
document.body.dataset.ready = 'yes';`;

/** A complete client in a real browser: its page, the panels of the runtime, and an outside that records connections. */
export async function openStage(options: WorldOptions = {}) {
  const outside = await startOutside();
  const folder = mkdtempSync(join(tmpdir(), 'svc-panels-'));
  const browser = await openProfile(folder, outside.args);
  const page = await browser.newPage();
  const world = await openPanelWorld(options);
  for (const [name, binding] of Object.entries(world.bindings)) await page.exposeFunction(name, binding);
  await page.goto(world.client.origin);

  /** Runs a function of the client's page; errors of a page that is closing are ignored. */
  const inPage: InPage = (name, ...args) =>
    page.evaluate(`${name}(${args.map((value) => JSON.stringify(value)).join()})`).catch(() => {});

  /** Shows a panel of an app, and waits until its page is loaded. */
  async function show(app: InstalledApp, bundle: ReadonlyMap<string, Uint8Array>) {
    const { panel, reason, page: address, show: begin } = await world.open(app, bundle, inPage);
    const navigated = page.waitForEvent('framenavigated', {
      predicate: (frame: Frame) => frame.url().endsWith(address),
    });
    await begin();
    const frame = await navigated;
    await frame.waitForLoadState('load');
    return { panel, frame, reason };
  }

  /** Whether the browser enforces the allowlist. Fails when a version that supports it does not. */
  async function isConfined(): Promise<boolean> {
    const { frame, panel } = await show(panelApp({ id: 'com.example.probe' }), panelFiles(CONNECTED));
    await frame.waitForSelector('[data-ready]', { state: 'attached' });
    const confined = await frame.evaluate('host.hostCapabilities.accounts.tokens');
    await panel.close('gone');
    const version = Number(/Chrome\/(\d+)/.exec(await page.evaluate('navigator.userAgent'))?.[1]);
    const { withoutAllowlist = false, tokens = 'confined' } = options;
    if (tokens === 'confined') expect(confined).toBe(version >= FIRST_WITH_ALLOWLIST && !withoutAllowlist);
    return version >= FIRST_WITH_ALLOWLIST && !withoutAllowlist;
  }

  return {
    ...world,
    page,
    outside,
    show,
    isConfined: await isConfined(),
    async close() {
      await world.close();
      await browser.close();
      rmSync(folder, { recursive: true, force: true });
      await outside.stop();
    },
  };
}

/** Waits until an expression is true in a panel. It polls from outside, because the policy of panels forbids `eval`. */
export const until = (frame: Frame, expression: string): Promise<void> =>
  expect.poll(() => frame.evaluate(`Boolean(${expression})`).catch(() => false)).toBe(true);

export type Stage = Awaited<ReturnType<typeof openStage>>;
