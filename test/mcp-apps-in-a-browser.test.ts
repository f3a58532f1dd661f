import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Client } from '@modelcontextprotocol/client';
import { AppBridge } from '@modelcontextprotocol/ext-apps/app-bridge';
import { DEEP, lastResults, lastUserText, type ModelScript, TIMEOUT_MS } from '@svc/testkit';
import { servePage } from '@svc/testkit/http-server';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { buildPage } from '../apps/desktop/test/page/support/fake-desktop.ts';
import { openChat } from '../apps/desktop/test/support/chat-desktop.ts';
import { type openPage, openTestDesktop } from '../apps/desktop/test/support/test-desktop.ts';
import { NEEDS_BROWSER, openBrowser } from '../apps/web/test/support/real-browser.ts';
import { json, type Play, serveMcp, text } from '../packages/runtime/test/support/mcp-server.ts';
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

/** The page of a foreign server, with the class of ext-apps that apps of others use. */
async function weatherPage(more: string): Promise<string> {
  const file = fileURLToPath(import.meta.resolve('@modelcontextprotocol/ext-apps/app-with-deps'));
  const code = await readFile(file, 'utf8');
  const [whole, names = ''] = /export\{([^{}]*)\};?\s*$/.exec(code) ?? [];
  const app = /(\S+) as App(?:,|$)/.exec(names)?.[1]?.split(',').at(-1);
  return `<!doctype html><meta charset="utf-8"><style>body,p{margin:0}body{height:320px;font:1rem sans-serif}</style>
<p id="sky"></p><p id="log"></p>${['Save', 'Hidden', 'Link', 'Inform', 'Say', 'Full'].map((name) => `<button>${name}</button>`).join('')}
<script type="module">${code.slice(0, -(whole?.length ?? 0)).replaceAll('</script', '<\\/script')}
const app = window.app = new ${app}({ name: 'weather', version: '1' }, {});
const told = (window.told = {});
const log = (text) => { document.querySelector('#log').textContent = text; };
app.ontoolinput = ({ arguments: input }) => { told.input = input; };
app.ontoolresult = (result) => {
  told.result = result;
  document.querySelector('#sky').textContent = result.structuredContent.sky + ' in ' + told.input.city;
};
app.onhostcontextchanged = ({ displayMode }) => { if (displayMode) log('mode: ' + displayMode); };
app.onteardown = async () => ({});
await app.connect();
told.context = app.getHostContext();
const content = (text) => [{ type: 'text', text }];
const acts = {
  Save: async () => log('saved: ' + (await app.callServerTool({ name: 'keep', arguments: {} })).content[0].text),
  Hidden: () => app.callServerTool({ name: 'secret', arguments: {} }).then(() => log('hidden: done'), () => log('hidden: refused')),
  Link: async () => log('link: ' + ((await app.openLink({ url: 'https://example.com/forecast' })).isError ? 'refused' : 'opened')),
  Inform: async () => { await app.updateModelContext({ content: content('zoom 3') }); log('informed'); },
  Say: () => app.sendMessage({ role: 'user', content: content('And tomorrow?') }),
  Full: () => app.requestDisplayMode({ mode: 'fullscreen' }),
};
for (const button of document.querySelectorAll('button')) button.onclick = acts[button.textContent];
${more}</script>`;
}

/** A server with a tool that has a page, one for the page alone, and one for models alone. */
async function serveWeather(more: string) {
  const html = await weatherPage(more);
  const uri = 'ui://weather/map';
  let kept = 0;
  const tools = [
    { name: 'weather', _meta: { ui: { resourceUri: uri } } },
    { name: 'keep', _meta: { ui: { visibility: ['app'] } } },
    { name: 'secret', _meta: { ui: { visibility: ['model'] } } },
  ];
  const play: Play = ({ message }) => {
    if (message.params.name === 'keep') {
      kept += 1;
      return text(kept === 1 ? 'Kept' : 'Kept twice');
    }
    const [structuredContent, _meta] = [{ sky: 'Rain' }, { map: 'north' }];
    return { content: [{ type: 'text', text: '{"sky":"Rain"}' }], structuredContent, _meta };
  };
  return serveMcp(play, {
    tools,
    before({ message: { id, method }, response }) {
      if (method !== 'resources/read') return false;
      const contents = [{ uri, mimeType: 'text/html;profile=mcp-app', text: html }];
      json(response, { jsonrpc: '2.0', id, result: { contents } });
      return true;
    },
  });
}

/** Calls the tool when it is asked for the weather, and otherwise repeats what was said. */
const weatherScript: ModelScript = (request) => {
  const asked = lastUserText(request);
  if (lastResults(request).length > 0) return { text: ['It rains.'] };
  if (!asked.includes('weather')) return { text: [`Answered: ${asked.split('\n').at(-1)}`] };
  const name = request.tools?.find((tool) => tool.function.name.endsWith('__weather'))?.function.name ?? '';
  return { calls: [{ name, arguments: { city: 'Oslo' } }] };
};

/** Answers the card of a kind with yes, while work waits for it. */
async function agreeTo(
  session: Awaited<ReturnType<typeof openPage>>,
  kind: string,
  work: () => Promise<unknown>,
) {
  const done = work();
  await expect
    .poll(async () => {
      const { cards } = (await session.call('client.show', {})).body;
      const found = cards.find(({ card }) => card.kind === kind);
      if (!found || !('binding' in found.card)) return false;
      const answer = { accepted: true as const, binding: found.card.binding ?? '' };
      return (await session.call('cards.answer', { cardId: found.id, answer })).status === 200;
    })
    .toBe(true);
  await done;
}

/** A page that always asks for full screen, and at first takes the focus for it. It counts the answers in the console. */
const SNEAKS = `let tries = 0;
void (async () => {
  for (;;) {
    if (tries < 2) window.focus();
    await app.requestDisplayMode({ mode: 'fullscreen' });
    tries += 1;
    console.log('try ' + tries);
  }
})();`;

/** Opens the desktop on a conversation whose answer shows the page. @param isAsked waits in the page, which is a gesture in it */
async function openWeather(browser: Browser, more = '', isAsked = true) {
  const mcp = await serveWeather(more);
  const built = await buildPage();
  onTestFinished(built.remove);
  const desktop = await openTestDesktop({ pageFolder: built.folder, localConnectors: true });
  const { page: session, chat, model } = await openChat(desktop, weatherScript);
  await agreeTo(session, 'local-connector', () => session.call('connectors.addLocal', { url: mcp.url }));
  const page = await browser.newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
  onTestFinished(() => page.close());
  await page.goto(desktop.opened.newLink());
  await page.locator('main').waitFor();
  await page.evaluate(`location.hash = '#/chat/${chat}'`);
  await page.getByLabel('Message').fill('weather');
  await page.keyboard.press('Enter');
  const press = (name: string | RegExp) =>
    page.getByRole('button', { name, exact: true, disabled: false }).click();
  await press('Allow');
  const view = page.frameLocator('.call-page iframe').frameLocator('iframe');
  if (isAsked) await view.getByText('Rain in Oslo').waitFor();
  const inner = page.frames().find((one) => one.parentFrame()?.parentFrame() === page.mainFrame());
  return { mcp, model, page, press, view, inner };
}

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

/** What a page tries to reach: another host, the page of the client, and its frame. */
const REACHED = `Promise.all([
  fetch('https://example.com/').then(() => 'reached', () => 'refused'),
  Promise.resolve().then(() => top.document.title).then(() => 'reached', () => 'refused'),
  Promise.resolve().then(() => parent.document.title).then(() => 'reached', () => 'refused'),
])`;

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
      const weather = await serveWeather('');
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

  it(
    'shows the page of a connector in the conversation, which asks before it does anything',
    DEEP,
    async () => {
      const { mcp, model, page, press, view, inner } = await openWeather(browser);
      // A server that was told of the extension, the whole result, and the context of the host.
      const hellos = mcp.asked.filter(({ message }) => /initialize|discover/.test(message.method));
      expect(JSON.stringify(hellos.map(({ message }) => message))).toContain('io.modelcontextprotocol/ui');
      expect(await inner?.evaluate('window.told')).toMatchObject({
        input: { city: 'Oslo' },
        result: { structuredContent: { sky: 'Rain' }, _meta: { map: 'north' } },
        context: { theme: 'light', displayMode: 'inline', toolInfo: { tool: { name: 'weather' } } },
      });
      await expect
        .poll(() => page.evaluate('document.querySelector(".call-page-place").offsetHeight'))
        .toBe(320);

      // Its calls ask as those of the model do; a tool for models alone is none of its.
      await view.getByRole('button', { name: 'Save' }).click();
      await press('Allow in this chat');
      await view.getByText('saved: Kept').waitFor();
      await view.getByRole('button', { name: 'Save' }).click();
      await view.getByText('saved: Kept twice').waitFor();
      await view.getByRole('button', { name: 'Hidden' }).click();
      await view.getByText('hidden: refused').waitFor();

      await view.getByRole('button', { name: 'Link' }).click();
      await page.getByRole('dialog').getByText('https://example.com/forecast').waitFor();
      await press('Decline');
      await view.getByText('link: refused').waitFor();
      await view.getByRole('button', { name: 'Inform' }).click();
      await page.getByRole('dialog').getByText('zoom').waitFor();
      await press('Allow');
      await view.getByText('informed').waitFor();
      await view.getByRole('button', { name: 'Say' }).click();
      await press('Send');
      await page.getByText('Answered: And tomorrow?').waitFor();
      // Until then the thread moves under a press.
      await page.getByRole('button', { name: 'Stop', exact: true }).waitFor({ state: 'detached' });
      expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('zoom 3');

      await view.getByRole('button', { name: 'Full' }).click();
      await view.getByText('mode: fullscreen').waitFor();
      const { clientWidth } = await page.evaluate<{ clientWidth: number }>(
        '(({ clientWidth }) => ({ clientWidth }))(document.querySelector(".call-page"))',
      );
      expect(clientWidth).toBe(1280);
      await page.getByRole('button', { name: 'Exit full screen' }).click();
      await view.getByText('mode: inline').waitFor();
      // What the user types elsewhere is no reason to cover the window.
      await page.getByLabel('Message').pressSequentially('And in');
      expect(await inner?.evaluate(`app.requestDisplayMode({ mode: 'fullscreen' })`)).toEqual({
        mode: 'inline',
      });
      // Nothing of it leaves its sandbox: no other host, no token, not the page around it.
      expect(await inner?.evaluate(REACHED)).toEqual(['refused', 'refused', 'refused']);
      await page.getByRole('button', { name: 'Close view' }).click();
      await page.getByRole('button', { name: 'Show view of' }).waitFor();
    },
  );

  it(
    'covers the window only after a press in the page of a connector, and not again once it was left',
    DEEP,
    async () => {
      const { page, press, view } = await openWeather(browser, SNEAKS, false);
      const isFull = () => page.locator('.call-page.full').count();
      // A question to the page through the driver would be a gesture in it.
      let last = 0;
      page.on('console', (said) => {
        last = Math.max(last, Number(/^try (\d+)$/.exec(said.text())?.[1] ?? 0));
      });
      const tries = async () => {
        const before = last;
        await expect.poll(() => last).toBeGreaterThan(before + 1);
      };
      expect(await isFull()).toBe(0);
      // Presses and keys in the client do not count as presses in the page, wherever the focus is.
      await page.getByLabel('Message').click();
      await tries();
      await page.getByLabel('Message').pressSequentially('And in');
      await tries();
      expect(await isFull()).toBe(0);
      expect(await page.getByLabel('Message').inputValue()).toBe('And in');
      await page.getByRole('button', { name: 'Copy' }).first().click();
      await tries();
      expect(await isFull()).toBe(0);
      // The first press leaves the field, and the next one is one in the page.
      await expect
        .poll(async () => {
          await view.locator('#sky').click();
          return isFull();
        })
        .toBe(1);
      await press('Exit full screen');
      await tries();
      expect(await isFull()).toBe(0);
      await expect
        .poll(async () => {
          await view.locator('#sky').click();
          return isFull();
        })
        .toBe(1);
    },
  );
});
