import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Frame } from 'playwright-core';
import { expect } from 'vitest';
import { openProfile } from '../../../../apps/web/test/support/real-browser.ts';
import type {
  Card,
  CloseReason,
  Events,
  InstalledApp,
  OpenPanel,
  PanelFile,
  RuntimeEvent,
} from '../../src/index.ts';
import { createEvents, createPanels, listenForPanels, type Panels, RuntimeRefusal } from '../../src/index.ts';
import { startOutside } from './outside.ts';
import { forBrowser } from './panel-app.ts';

const HOST_MODULES: Record<string, string> = {
  '/panels/host/mount-panel.js': 'panels/host/mount-panel.ts',
  '/panels/bridge/allowance.js': 'panels/bridge/allowance.ts',
  '/panels/bridge/messages.js': 'panels/bridge/messages.ts',
};

/** The client's page: shows panels, and carries their messages to functions that the test puts in. */
const CLIENT_PAGE = `<!doctype html><title>client</title><body><script type="module">
import { mountPanel } from '/panels/host/mount-panel.js';
const shown = new Map();
window.heard = [];
addEventListener('message', ({ data, ports }) => heard.push({ data, ports: ports.length }));
window.showPanel = (id, frame) => {
  let to;
  const connection = {
    send: (text) => toRuntime(id, text),
    listen: (listener) => { to = listener; },
    close: (reason) => closedByPage(id, reason),
  };
  const mounted = mountPanel({
    parent: document.body, frame, connection, now: () => performance.now(), closed: () => {},
  });
  shown.set(id, { to, mounted });
};
window.tellPanel = (id, text) => shown.get(id).to.message(text);
window.runtimeClosed = (id, reason) => shown.get(id).to.closed(reason);
</script>`;

/** Serves the page on a port of its own. */
export async function startClientPage() {
  const server = createServer((request, response) => {
    const module = HOST_MODULES[request.url ?? ''];
    if (module) response.writeHead(200, { 'content-type': 'text/javascript' }).end(forBrowser(module));
    else response.writeHead(200, { 'content-type': 'text/html' }).end(CLIENT_PAGE);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    stop: () =>
      new Promise((closed) => {
        server.close(closed);
        server.closeAllConnections();
      }),
  };
}

/** Accounts as the vault would have them, with a token that counts how often it was asked for. */
function createAccounts(connected: Set<string>, tokens: string[], events: Events) {
  return {
    list: async ({ appId }: InstalledApp) =>
      ['notes', 'hidden'].map((id) => ({
        id,
        label: 'Notes account',
        connected: connected.has(`${appId}/${id}`),
        expiresAt: null,
        secret: 'never shown',
      })),
    connect: async (app: InstalledApp, id: string) => {
      connected.add(`${app.appId}/${id}`);
      events.tell({ type: 'account-connected', appId: app.appId, accountId: id });
    },
    token: async (app: InstalledApp, id: string, use: { host: string; tool: string }) => {
      if (!connected.has(`${app.appId}/${id}`)) return null;
      tokens.push(`${app.appId}/${id} ${use.host} ${use.tool}`);
      return `token-of-${app.appId}-${tokens.length}`;
    },
  };
}

/**
 * A whole client in a real browser: its page, the runtime's panels behind it, and an outside that sees who connects.
 */
export async function openStage() {
  const outside = await startOutside();
  const folder = mkdtempSync(join(tmpdir(), 'svc-panels-'));
  const browser = await openProfile(folder, outside.args);
  const page = await browser.newPage();
  const client = await startClientPage();
  const connected = new Set<string>();
  const tokens: string[] = [];
  const asked: Card[] = [];
  const faults: unknown[] = [];
  const told: RuntimeEvent[] = [];
  const bundles = new Map<string, ReadonlyMap<string, Uint8Array>>();
  const open = new Map<string, OpenPanel>();
  const events = createEvents((fault) => faults.push(fault));
  events.listen((event) => told.push(event));
  let files: PanelFile[] = [];

  let panels: Panels | undefined;
  const listener = await listenForPanels(
    (request) => panels?.serve(request) ?? new Response(null, { status: 503 }),
    (fault) => faults.push(fault),
  );
  panels = createPanels({
    ambient: {
      now: () => performance.now(),
      randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          const timer = setTimeout(resolve, ms);
          signal?.addEventListener('abort', () => {
            clearTimeout(timer);
            reject(signal.reason);
          });
        }),
    },
    events,
    accounts: createAccounts(connected, tokens, events),
    client: {
      name: 'client',
      version: '1.0.0',
      origin: client.origin,
      ask: async (card) => {
        asked.push(card);
        return { accepted: true };
      },
      pickFiles: async () => files,
      prepareMedia: async (file) => ({ ...file, name: `small-${file.name}` }),
    },
    bundleFiles: async (app) => {
      const bundle = bundles.get(app.appId);
      if (!bundle) throw new RuntimeRefusal('not-installed');
      return bundle;
    },
    mayRun: () => true,
    originOf: listener.originOf,
    onFault: (fault) => faults.push(fault),
  });
  const { open: openPanel, serve } = panels;

  await page.exposeFunction('toRuntime', (id: string, text: string) => open.get(id)?.receive(text));
  await page.exposeFunction('closedByPage', (id: string, reason: CloseReason) => open.get(id)?.close(reason));
  await page.goto(client.origin);

  /** Runs a function of the client's page; what a page that is going away cannot run is left. */
  const inPage = (name: string, ...args: unknown[]): Promise<unknown> =>
    page.evaluate(`${name}(${args.map((value) => JSON.stringify(value)).join()})`).catch(() => {});

  return {
    page,
    serve,
    outside,
    client,
    events,
    told,
    tokens,
    asked,
    faults,
    give: (...given: PanelFile[]) => {
      files = given;
    },
    /** Shows a panel of an app, and waits until its page stands. */
    async show(app: InstalledApp, bundle: ReadonlyMap<string, Uint8Array>) {
      bundles.set(app.appId, bundle);
      const panel = await openPanel(app, 'main', {
        theme: 'dark',
        locale: 'en-GB',
        settings: { columns: '2' },
      });
      const id = panel.frame.address;
      const [secret = ''] = /\/[\w-]{43}\//.exec(id) ?? [];
      open.set(id, panel);
      let closed: (reason: CloseReason) => void = () => {};
      const reason = new Promise<CloseReason>((resolve) => {
        closed = resolve;
      });
      panel.listen({
        message: (text) => void inPage('tellPanel', id, text),
        closed: (why) => {
          void inPage('runtimeClosed', id, why);
          closed(why);
        },
      });
      const standing = page.waitForEvent('framenavigated', {
        predicate: (frame: Frame) => frame.url().endsWith(`${secret}ui/index.html`),
      });
      await inPage('showPanel', id, panel.frame);
      const frame = await standing;
      await frame.waitForLoadState('load');
      return { panel, frame, reason };
    },
    async close() {
      await panels?.end();
      await browser.close();
      rmSync(folder, { recursive: true, force: true });
      await listener.close();
      await client.stop();
      await outside.stop();
    },
  };
}

/** Waits until an expression holds in a panel, whose policy lets no text be run there again and again. */
export const until = (frame: Frame, expression: string): Promise<void> =>
  expect.poll(() => frame.evaluate(`Boolean(${expression})`).catch(() => false)).toBe(true);

export type Stage = Awaited<ReturnType<typeof openStage>>;
