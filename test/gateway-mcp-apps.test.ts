import type { Client } from '@modelcontextprotocol/client';
import { AppBridge } from '@modelcontextprotocol/ext-apps/app-bridge';
import { DEEP, TIMEOUT_MS } from '@svc/testkit';
import { servePage } from '@svc/testkit/http-server';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { NEEDS_BROWSER, openBrowser } from '../apps/web/test/support/real-browser.ts';
import { serveMcp, text } from '../packages/runtime/test/support/mcp-server.ts';
import { forBrowser } from '../packages/runtime/test/support/panel-app.ts';
import {
  APP,
  answerApprovals,
  connectAgent,
  OTHER,
  openWorld,
  pageOf,
  TOOLS,
  textOf,
} from './support/gateway-world.ts';
import { serveWeather } from './support/weather-server.ts';

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

/** A host of MCP Apps that shows a document in a frame, whose calls go to the server of the agent. */
async function openHost(browser: Browser, agent: Client, document: string) {
  const page = await browser.newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
  onTestFinished(() => page.close());
  const hostContext = { theme: 'dark' as const, locale: 'de' };
  const bridge = new AppBridge(
    agent,
    { name: 'A host', version: '1' },
    { serverTools: {}, serverResources: {}, openLinks: {} },
    { hostContext },
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
  await page.goto(await servePage('<!doctype html><title>A host</title>'));
  await bridge.connect(transport);
  const html = `<meta http-equiv="content-security-policy" content="${HOST_POLICY}">${document}`;
  await page.evaluate(`{
    addEventListener('message', ({ source, data }) => source === frames[0] && toBridge(data));
    const frame = document.createElement('iframe');
    frame.sandbox.add('allow-scripts');
    frame.srcdoc = ${JSON.stringify(html)};
    document.body.append(frame);
  }`);
  return { bridge, frame: page.frames()[1], said, sized: sized.promise, ready: ready.promise };
}

describe('MCP Apps in a real browser', NEEDS_BROWSER, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

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

    const { bridge, frame, said, sized, ready } = await openHost(browser, agent, document?.text ?? '');
    await frame?.waitForSelector('[data-done]', { state: 'attached', timeout: 20_000 }).catch((cause) => {
      throw new Error(`The panel did not start: ${said.join('\n')}`, { cause });
    });
    await Promise.all([ready, sized]);
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
    await frame?.waitForSelector('body[data-view="new"]', { state: 'attached' });
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

  it(
    'shows the page of a connector in a host of MCP Apps, in which it calls its own server alone',
    DEEP,
    async () => {
      const weather = await serveWeather();
      const other = await serveMcp(() => text('Of another server.'), { tools: [{ name: 'erase' }] });
      const world = await openWorld({ apps: [], localConnectors: true });
      const { page: session } = await pageOf(world);
      const add = async ({ url }: { url: string }) =>
        (await session.call('connectors.addLocal', { url })).body.app.appId;
      const appId = await add(weather);
      await add(other);
      const agent = await connectAgent(world.agent, { capabilities: { extensions: MCP_APPS } });
      const uri = `ui://${appId}/weather%2Fmap`;
      const listed = async () => (await agent.listTools()).tools;
      await expect
        .poll(async () => (await listed()).filter(({ name }) => /__(?:weather|erase)$/.test(name)))
        .toHaveLength(2);
      const tools = await listed();
      const nameOf = (tool: string) => tools.find(({ name }) => name.endsWith(`__${tool}`))?.name ?? '';
      const found = tools.find(({ name }) => name === nameOf('weather'));
      expect(found?._meta).toEqual({
        ui: { resourceUri: uri, visibility: ['model'] },
        'ui/resourceUri': uri,
      });
      // What is for pages alone is not listed, and no page can call what is for models.
      const forPages = tools.filter(({ _meta }) =>
        (_meta?.ui as { visibility: string[] } | undefined)?.visibility.includes('app'),
      );
      expect(forPages.map(({ name }) => name)).toEqual(['panel_request']);
      expect((await agent.listResources()).resources).toEqual([
        { uri, name: expect.stringMatching(/: weather$/), mimeType: 'text/html;profile=mcp-app' },
      ]);
      // A client that shows no pages sees none of it.
      const plain = await connectAgent(world.agent);
      expect(JSON.stringify(await plain.listTools())).not.toMatch(/resourceUri|panel_request|visibility/);
      expect((await plain.listResources()).resources).toEqual([]);
      await expect(plain.readResource({ uri })).rejects.toThrow();

      const { contents } = await agent.readResource({ uri });
      const [document] = contents as { text: string }[];
      expect(document).toMatchObject({ uri, mimeType: 'text/html;profile=mcp-app' });
      const { bridge, frame, ready } = await openHost(browser, agent, document?.text ?? '');
      await ready;
      const called = await agent.callTool({ name: nameOf('weather'), arguments: { city: 'Oslo' } });
      await bridge.sendToolInput({ arguments: { city: 'Oslo' } });
      await bridge.sendToolResult(called as Parameters<typeof bridge.sendToolResult>[0]);
      await frame?.getByText('Rain in Oslo').waitFor();
      const log = (line: string) => frame?.getByText(line).waitFor();
      await frame?.getByRole('button', { name: 'Save' }).click();
      await log('saved: Kept');
      await frame?.getByRole('button', { name: 'Hidden' }).click();
      await log('hidden: refused');
      const forged = `app.callServerTool({ name: '${nameOf('erase')}', arguments: {} }).then(() => 'done', ({ data }) => data.code)`;
      expect(await frame?.evaluate(forged)).toBe('unknown-tool');
      const names = (mcp: typeof weather) =>
        mcp.asked.flatMap(({ message }) => (message.method === 'tools/call' ? [message.params.name] : []));
      expect([names(weather), names(other)]).toEqual([['weather', 'keep'], []]);
      // It carries its policy with it, whatever the host allows.
      expect(
        await frame?.evaluate(`fetch('https://example.com/').then(() => 'reached', () => 'refused')`),
      ).toBe('refused');
    },
  );
});
