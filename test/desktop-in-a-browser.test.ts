import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppBridge } from '@modelcontextprotocol/ext-apps/app-bridge';
import { DEEP, sampleFiles, sampleManifest, TIMEOUT_MS } from '@svc/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../apps/desktop/test/support/temp-folder.ts';
import { openPage, openTestDesktop } from '../apps/desktop/test/support/test-desktop.ts';
import { NEEDS_BROWSER, openBrowser } from '../apps/web/test/support/real-browser.ts';
import { openWith } from '../packages/runtime/src/browser/page-opener.ts';
import { text } from '../packages/runtime/test/support/mcp-server.ts';
import { forBrowser } from '../packages/runtime/test/support/panel-app.ts';
import {
  APP,
  answerApprovals,
  connectAgent,
  OTHER,
  openWorld,
  TOOLS,
  textOf,
} from './support/gateway-world.ts';

type Browser = Awaited<ReturnType<typeof openBrowser>>;

/** How a host declares MCP Apps, and the policy of its frames for a page that declares no domains. */
const MCP_APPS = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } };
const HOST_POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'none'";

const PANEL_PARTS = {
  tools: [
    {
      id: 'add_note',
      name: 'Add a note',
      description: 'Adds a note to the board.',
      confirm: { title: 'Add?' },
    },
  ],
  panels: [
    {
      id: 'main',
      title: 'Notes',
      component: 'webview' as const,
      views: [
        { id: 'all', label: 'All' },
        { id: 'new', label: 'New' },
      ],
    },
  ],
};
const ACCOUNT = {
  id: 'notes',
  label: 'Notes',
  authorizeUrl: 'https://login.example.com/authorize',
  tokenUrl: 'https://login.example.com/token',
  clientId: 'client',
  scopes: ['read'],
};
const PANEL_SCRIPT = `import { connectPanel } from './connect-panel.js';
import { title } from './words.js';
const codeOf = (work) => work.then(() => 'done', ({ code }) => code);
const host = await connectPanel({
  context: ({ panel }) => { document.body.dataset.view = panel.view; },
  teardown: (reason) => { document.body.dataset.closing = reason; },
});
const { theme, locale, panel } = host.context;
window.told = {
  title,
  context: [theme, locale, panel.view],
  capabilities: host.hostCapabilities,
  added: (await host.callTool('add_note', { title: 'Milk' })).content[0].text,
  other: await codeOf(host.callTool('com_example_paint__draw')),
  token: await codeOf(host.getToken('notes')),
  picked: await codeOf(host.pickFiles()),
  accounts: (await host.listAccounts()).map(({ connected }) => connected),
};
document.body.dataset.done = 'yes';`;

/** A page of another origin on this machine, the closest that another site can get. */
async function startSite(html: string) {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(html);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://localhost:${(server.address() as AddressInfo).port}/`;
}

/** A desktop whose page is a line of text. */
async function openDesktop() {
  const pageFolder = await tempFolder();
  await writeFile(path.join(pageFolder, 'index.html'), '<!doctype html><title>Desktop</title><p>Here</p>');
  return openTestDesktop({ pageFolder });
}

describe('the desktop in a real browser', NEEDS_BROWSER, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it('refuses all requests from pages of other programs', DEEP, async () => {
    const desktop = await openDesktop();
    const { bearer } = await openPage(desktop);
    const own = `http://localhost:${desktop.port}`;
    const page = await browser.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    onTestFinished(() => page.close());
    await page.goto(await startSite('<!doctype html><title>Elsewhere</title>'));

    const tried = await page.evaluate(
      async ({ own, bearer }) => {
        const authorization = `Bearer ${bearer}`;
        const json = { 'content-type': 'application/json' };
        const tries: [string, RequestInit][] = [
          ['/api/client.show', { method: 'POST', headers: { ...json, authorization }, body: '{}' }],
          ['/api/client.show', { method: 'POST', body: '{}' }],
          ['/events', { headers: { authorization } }],
          ['/', {}],
        ];
        const read = ([at, init]: [string, RequestInit]) =>
          fetch(own + at, init).then(
            () => 'read',
            () => 'refused',
          );
        return Promise.all(tries.map(read));
      },
      { own, bearer },
    );
    expect(tried).toEqual(['refused', 'refused', 'refused', 'refused']);

    // A form can be submitted to any origin; it is refused without effect.
    const form = `<form method="post" enctype="text/plain" action="${own}/api/session.open"></form>`;
    const sent = await browser.newPage();
    sent.setDefaultTimeout(TIMEOUT_MS);
    onTestFinished(() => sent.close());
    const answered = sent.waitForResponse(`${own}/api/session.open`);
    const submitting = sent.goto(await startSite(`${form}<script>document.forms[0].submit()</script>`));
    expect((await answered).status()).toBe(403);
    await submitting.catch(() => undefined);

    const framed = page.waitForEvent('frameattached');
    await page.goto(await startSite(`<!doctype html><iframe src="${own}/"></iframe>`));
    await framed;
    const texts = await Promise.all(page.frames().map((frame) => frame.content()));
    expect(texts).toHaveLength(2);
    expect(texts.join()).not.toContain('Here');
  });

  it('opens by a private page, which leads to the one-time link and names no address', async () => {
    const desktop = await openDesktop();
    const folder = await tempFolder();
    const out = path.join(folder, 'out');
    const write = `require('node:fs').writeFileSync(${JSON.stringify(out)}, process.argv[1])`;
    const place = { platform: 'linux' as const, env: { PATH: process.env.PATH }, folder };
    const link = desktop.opened.newLink();
    expect(await openWith([process.execPath, '-e', write], link, place)).toBe(true);
    await expect.poll(() => readFile(out, 'utf8').catch(() => '')).toMatch(/^file:/);
    const address = await readFile(out, 'utf8');
    expect((await stat(fileURLToPath(address))).mode & 0o777).toBe(0o600);
    const page = await browser.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    onTestFinished(() => page.close());
    await page.goto(address);
    await page.waitForURL(link);
    expect(await page.evaluate('document.referrer')).toBe('');
    expect(await page.title()).toBe('Desktop');
  });

  it('shows a panel in a host of MCP Apps, in which it calls only its own app, and gets no token', async () => {
    const {
      agent: to,
      prompts,
      mcp,
    } = await openWorld({
      server: { tools: TOOLS },
      play: () => text('Added.'),
      apps: [{ contributes: PANEL_PARTS, accounts: [ACCOUNT] }, OTHER],
      files: {
        'ui/index.html': '<!doctype html><script type="module" src="panel.js"></script><h1>Notes</h1>',
        'ui/panel.js': PANEL_SCRIPT,
        'ui/words.js': `export const title = 'Written by the panel';`,
        'ui/connect-panel.js': forBrowser('panels/client/connect-panel.ts'),
      },
    });
    const cards = answerApprovals(prompts);
    const agent = await connectAgent(to, { capabilities: { extensions: MCP_APPS } });
    const { tools } = await agent.listTools();
    const show = tools.find(({ name }) => name === 'com_example_notes__show_main');
    expect(show?._meta).toMatchObject({ ui: { resourceUri: `ui://${APP}/main`, visibility: ['model'] } });
    const forPages = tools.filter(({ _meta }) =>
      (_meta?.ui as { visibility: string[] } | undefined)?.visibility.includes('app'),
    );
    expect(forPages.map(({ name }) => name)).toEqual(['panel_request']);
    expect((await agent.listResources()).resources.map(({ uri }) => uri)).toEqual([`ui://${APP}/main`]);
    // A client that shows no pages is offered none.
    const plain = await connectAgent(to);
    expect(JSON.stringify(await plain.listTools())).not.toMatch(/show_main|panel_request|visibility/);

    const { contents } = await agent.readResource({ uri: `ui://${APP}/main` });
    const [document] = contents as { text: string }[];
    expect(document).toMatchObject({
      mimeType: 'text/html;profile=mcp-app',
      _meta: { ui: { csp: { connectDomains: expect.arrayContaining(['https://mcp.example.com']) } } },
    });

    const page = await browser.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    onTestFinished(() => page.close());
    const bridge = new AppBridge(
      agent,
      { name: 'A host', version: '1' },
      { serverTools: {} },
      {
        hostContext: { theme: 'dark', locale: 'de' },
      },
    );
    const sized = Promise.withResolvers<void>();
    bridge.addEventListener('sizechange', () => sized.resolve());
    const ready = Promise.withResolvers<void>();
    bridge.addEventListener('initialized', () => ready.resolve());
    await page.exposeFunction('toBridge', (message: never) => transport.onmessage?.(message));
    const transport: Parameters<AppBridge['connect']>[0] = {
      start: async () => undefined,
      close: async () => undefined,
      send: (message) => page.evaluate(`frames[0].postMessage(${JSON.stringify(message)}, '*')`),
    };
    const said: string[] = [];
    page.on('console', (message) => said.push(message.text()));
    page.on('pageerror', (error) => said.push(String(error)));
    await page.goto(await startSite('<!doctype html><title>A host</title>'));
    await bridge.connect(transport);
    const html = `<meta http-equiv="content-security-policy" content="${HOST_POLICY}">${document?.text}`;
    await page.evaluate(`{
      addEventListener('message', ({ source, data }) => source === frames[0] && toBridge(data));
      const frame = document.createElement('iframe');
      frame.sandbox.add('allow-scripts');
      frame.srcdoc = ${JSON.stringify(html)};
      document.body.append(frame);
    }`);
    const [, frame] = page.frames();
    await frame?.waitForSelector('[data-done]', { state: 'attached', timeout: 20_000 }).catch((cause) => {
      throw new Error(`The panel did not start: ${said.join('\n')}`, { cause });
    });
    await Promise.all([ready.promise, sized.promise]);
    expect(JSON.parse((await frame?.evaluate('JSON.stringify(told)')) as string)).toEqual({
      title: 'Written by the panel',
      context: ['dark', 'de', 'all'],
      capabilities: { accounts: { tokens: false }, serverTools: {} },
      added: 'Added.',
      other: 'unknown-tool',
      token: 'token-withheld',
      picked: 'not-offered',
      accounts: [false],
    });
    expect(cards).toHaveLength(1);
    const called = mcp.asked.filter(({ message }) => message.method === 'tools/call');
    expect(called.map(({ message }) => message.params.name)).toEqual(['add_note']);
    await bridge.sendToolInput({ arguments: { view: 'new' } });
    await frame?.waitForFunction(`document.body.dataset.view === 'new'`);
    await bridge.teardownResource({});
    expect(await frame?.evaluate('document.body.dataset.closing')).toBe('closed');

    // A page that knows no key makes no request, and text in the panel cannot become script.
    const forged = await agent.callTool({
      name: 'panel_request',
      arguments: { key: 'x', method: 'accounts/list' },
    });
    expect(textOf(forged)).toContain('no longer open');
    await frame?.evaluate(
      `{ const made = document.createElement('script'); made.textContent = 'window.ran = 1'; document.body.append(made); }`,
    );
    expect(await frame?.evaluate('window.ran')).toBeUndefined();
  });

  it('allows only frames of panels', async () => {
    const app = await tempFolder();
    const manifest = sampleManifest({
      contributes: { panels: [{ id: 'main', title: 'Notes', component: 'webview' }] },
    });
    for (const [name, bytes] of sampleFiles(manifest, {
      'ui/index.html': '<!doctype html><p>The panel</p>',
    })) {
      await mkdir(path.dirname(path.join(app, name)), { recursive: true });
      await writeFile(path.join(app, name), bytes);
    }
    const desktop = await openDesktop();
    const session = await openPage(desktop);
    await session.call('folders.open', { folder: app });
    const shown = { project: 'project-1', theme: 'light', locale: 'en' } as const;
    const { body } = await session.call('panels.open', { appId: manifest.id, panelId: 'main', ...shown });

    const page = await browser.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    onTestFinished(() => page.close());
    const blocked: string[] = [];
    page.on('console', (message) => blocked.push(message.text()));
    await page.goto(`http://localhost:${desktop.port}/#key=used`);
    expect(await page.title()).toBe('Desktop');
    const frame = (src: string, sandbox: string) =>
      page.evaluate(`{
        const made = document.createElement('iframe');
        made.setAttribute('sandbox', ${JSON.stringify(sandbox)});
        made.src = ${JSON.stringify(src)};
        document.body.append(made);
      }`);
    await frame(body.frame.address, body.frame.sandbox);
    await expect.poll(() => page.frames().map((one) => one.url())).toContain(body.frame.address);
    expect(blocked.filter((text) => text.includes('Content Security Policy'))).toEqual([]);
    await frame(await startSite('<!doctype html><p>Elsewhere</p>'), '');
    await expect.poll(() => blocked.join('\n')).toContain('frame-src');
  });
});
