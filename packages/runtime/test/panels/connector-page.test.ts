import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { AppTool, CallResult, QuestionCard } from '../../src/index.ts';
import { pageSources } from '../../src/panels/policy.ts';
import { connectorApp, modelName, orAborted, pageOfTool } from '../../src/parts.ts';
import { testPanels } from '../support/panels.ts';
import { tempFolder } from '../support/temp-folder.ts';

const APP = connectorApp('https://mcp.example.com/mcp', false);
const HTML = '<!doctype html><script>1</script>';

const toolOf = (id: string, meta: object): AppTool => ({
  ...{ id, title: id, name: id, description: id, inputSchema: { type: 'object' } },
  ...{ files: {}, confirms: false, account: null, given: { _meta: meta } },
});
const TOOLS = [
  toolOf('show', { ui: { resourceUri: 'ui://weather/map' } }),
  toolOf('save', { ui: { visibility: ['app'] } }),
  toolOf('secret', { ui: { visibility: ['model'] } }),
];
const resultOf = (text: string, more: Partial<CallResult> = {}): CallResult => ({
  ...{ isError: false, parts: [{ type: 'text', text }], structured: null, files: [] },
  ...more,
});

async function openPage({ conversation = true, result = resultOf('Rain') } = {}) {
  const read = vi.fn(async () => ({ html: HTML, csp: { connectDomains: ['https://api.example.com'] } }));
  const call = vi.fn(async () => resultOf('Saved', { given: { _meta: { row: 7 } } }));
  const talk = { send: vi.fn(async () => {}), inform: vi.fn() };
  const test = testPanels({ pages: { tools: () => TOOLS, read } });
  // The user agrees to exactly what the card says.
  test.client.ask.mockImplementation((async (card: QuestionCard) => ({
    accepted: test.state.answer.accepted,
    binding: card.binding,
  })) as never);
  const request = {
    ...{ theme: 'dark' as const, locale: 'en', project: 'p', tool: 'show', arguments: { city: 'Oslo' } },
    ...{ result, call, ...(conversation && { conversation: talk }) },
  };
  const panel = await test.panels.openPage(APP, request);
  const heard: {
    id?: number;
    method?: string;
    params?: object;
    result?: object;
    error?: { data: object };
  }[] = [];
  const shown: object[] = [];
  let closed = '';
  panel.listen({
    message: (text) => heard.push(JSON.parse(text)),
    shown(as) {
      shown.push(as);
      if (as.mode) panel.change({ mode: as.mode });
    },
    closed: (reason) => {
      closed = reason;
    },
  });
  let lastId = 0;
  const say = (message: object) => panel.receive(JSON.stringify({ jsonrpc: '2.0', ...message }));
  async function ask(method: string, params: object = {}) {
    lastId += 1;
    const id = lastId;
    say({ id, method, params });
    await expect.poll(() => heard.some((one) => one.id === id && one.method === undefined)).toBe(true);
    return heard.find((one) => one.id === id && one.method === undefined);
  }
  const cards = () => (test.client.ask.mock.calls as unknown as [QuestionCard][]).map(([card]) => card);
  return { ...test, panel, request, read, call, talk, heard, shown, say, ask, cards, closed: () => closed };
}

const TEXT = [{ type: 'text', text: 'Is it warm?' }];

describe('a page of a connector', () => {
  it('is served with the policy of its origins, in a frame that relays its messages', async () => {
    const { panel, panels, read } = await openPage();
    expect(read).toHaveBeenCalledWith(APP, 'ui://weather/map', 'p');
    const frame = panels.serve(new Request(panel.frame.address));
    const html = await frame.text();
    expect(html).toContain('data-relays="yes"');
    const [, address = ''] = /data-page="([^"]*)"/.exec(html) ?? [];
    const page = panels.serve(new Request(address));
    expect(await page.text()).toBe(HTML);
    const policy = page.headers.get('content-security-policy');
    for (const part of [
      "default-src 'none'",
      "script-src 'unsafe-inline';",
      'connect-src https://api.example.com;',
      "frame-src 'none'",
      'sandbox allow-scripts allow-forms allow-same-origin',
    ])
      expect(policy).toContain(part);
    expect(page.headers.get('connection-allowlist')).toContain('"https://api.example.com"');
  });

  it('gets the call and its result once, with pictures and `_meta`, and no token, account or file', async () => {
    const path = join(await tempFolder(), 'map.png');
    await writeFile(path, 'PNG');
    const file = {
      id: 'f',
      name: 'map.png',
      type: 'image/png',
      bytes: 3,
      path,
    } as CallResult['files'][number];
    const result = resultOf('Rain', {
      parts: [
        { type: 'text', text: 'Rain' },
        { type: 'file', file },
      ],
      structured: { sky: 'grey' },
      given: { _meta: { map: 1 } },
    });
    const { ask, say, heard, panel, call } = await openPage({ result });
    const { result: host } = (await ask('ui/initialize', {})) as { result: object };
    expect(host).toMatchObject({
      protocolVersion: '2026-01-26',
      hostCapabilities: { openLinks: {}, serverTools: {}, message: {}, updateModelContext: {} },
      hostContext: { theme: 'dark', displayMode: 'inline', toolInfo: { tool: { name: 'show' } } },
    });
    expect(JSON.stringify(host)).not.toMatch(/token|account/);
    const initialized = { method: 'ui/notifications/initialized' };
    say(initialized);
    say(initialized);
    panel.accountsChanged();
    await expect.poll(() => heard.filter(({ method }) => method)).toHaveLength(2);
    expect(heard.filter(({ method }) => method)).toMatchObject([
      { method: 'ui/notifications/tool-input', params: { arguments: { city: 'Oslo' } } },
      {
        method: 'ui/notifications/tool-result',
        params: {
          _meta: { map: 1 },
          structuredContent: { sky: 'grey' },
          content: [
            { type: 'text', text: 'Rain' },
            { type: 'image', mimeType: 'image/png', data: Buffer.from('PNG').toString('base64') },
          ],
        },
      },
    ]);
    for (const method of ['accounts/token', 'accounts/list', 'files/pick', 'resources/read', 'tools/list'])
      expect((await ask(method))?.error).toMatchObject({ code: -32_601 });
    expect(call).not.toHaveBeenCalled();
  });

  it('calls the tools that its server offers to pages, and no others', async () => {
    const { ask, call, state } = await openPage();
    expect(await ask('tools/call', { name: 'save', arguments: { n: 1 } })).toMatchObject({
      result: { content: [{ type: 'text', text: 'Saved' }], _meta: { row: 7 } },
    });
    expect(call).toHaveBeenCalledWith(expect.objectContaining({ tool: 'save', arguments: { n: 1 } }));
    for (const name of ['secret', 'none', 'toString'])
      expect((await ask('tools/call', { name }))?.error?.data).toEqual({ code: 'unknown-tool' });
    state.mayRun = false;
    expect((await ask('tools/call', { name: 'save' }))?.error?.data).toEqual({ code: 'switched-off' });
    expect(call).toHaveBeenCalledTimes(1);
  });

  it('opens a link, sends a message and informs the model only after a card that shows it', async () => {
    const { ask, talk, cards } = await openPage();
    const url = 'https://example.com/a?b=1';
    expect((await ask('ui/open-link', { url }))?.result).toEqual({});
    expect((await ask('ui/message', { role: 'user', content: TEXT }))?.result).toEqual({});
    const told = await ask('ui/update-model-context', { content: TEXT, structuredContent: { zoom: 3 } });
    expect(told?.result).toEqual({});
    expect(cards()).toMatchObject([
      { wants: 'link', url, server: 'mcp.example.com', tool: 'show' },
      { wants: 'message', message: 'Is it warm?' },
      { wants: 'context', message: 'Is it warm?\n{"zoom":3}' },
    ]);
    expect(talk.send).toHaveBeenCalledWith('Is it warm?');
    expect(talk.inform).toHaveBeenCalledWith('Is it warm?\n{"zoom":3}');
    // An empty context takes back what was told.
    await ask('ui/update-model-context', {});
    expect(talk.inform).toHaveBeenLastCalledWith('');
    expect(cards()).toHaveLength(3);
  });

  it('does nothing that the user declines, and asks no more after three refusals', async () => {
    const { ask, talk, call, cards, state } = await openPage();
    state.answer = { accepted: false };
    const message = { role: 'user', content: TEXT };
    for (const url of ['javascript:alert(1)', 'file:///etc/passwd', 'https://a:b@example.com'])
      expect((await ask('ui/open-link', { url }))?.result).toEqual({ isError: true });
    expect(cards()).toEqual([]);
    for (let n = 0; n < 4; n += 1)
      expect((await ask('ui/message', message))?.result).toEqual({ isError: true });
    expect((await ask('ui/update-model-context', { content: TEXT }))?.error?.data).toEqual({
      code: 'declined',
    });
    expect((await ask('tools/call', { name: 'save' }))?.error?.data).toEqual({ code: 'declined' });
    expect(cards()).toHaveLength(3);
    expect([talk.send.mock.calls, talk.inform.mock.calls, call.mock.calls]).toEqual([[], [], []]);
  });

  it('takes back the cards that wait, when the user declines the third, and when it closes', async () => {
    const { say, heard, client, panel, talk } = await openPage();
    const waiting: ((answer: { accepted: boolean }) => void)[] = [];
    client.ask.mockImplementation(((_card: QuestionCard, signal: AbortSignal) => {
      const { promise, resolve } = Promise.withResolvers<{ accepted: boolean }>();
      waiting.push(resolve);
      return orAborted(signal, promise).finally(() => waiting.splice(waiting.indexOf(resolve), 1));
    }) as never);
    const message = { role: 'user', content: TEXT };
    for (let id = 1; id <= 8; id += 1) say({ id, method: 'ui/message', params: message });
    await expect.poll(() => waiting.length).toBe(8);
    for (let left = 7; left >= 6; left -= 1) {
      waiting[0]?.({ accepted: false });
      await expect.poll(() => waiting.length).toBe(left);
    }
    waiting[0]?.({ accepted: false });
    await expect.poll(() => heard.filter(({ id }) => id !== undefined).length).toBe(8);
    expect(heard.map(({ result }) => result)).toEqual(Array.from({ length: 8 }, () => ({ isError: true })));
    expect(waiting).toEqual([]);
    expect(talk.send).not.toHaveBeenCalled();

    const closing = await openPage();
    closing.client.ask.mockImplementation(client.ask.getMockImplementation() as never);
    closing.say({ id: 1, method: 'ui/message', params: message });
    await expect.poll(() => waiting.length).toBe(1);
    void closing.panel.close('gone');
    await expect.poll(() => waiting.length).toBe(0);
    void panel.close('gone');
  });

  it('sends no text that a card cannot show whole, and nothing outside a conversation', async () => {
    const { ask, cards } = await openPage();
    const long = [{ type: 'text', text: 'x'.repeat(4_001) }];
    const picture = [{ type: 'image', data: '', mimeType: 'image/png' }];
    for (const content of [long, picture])
      expect((await ask('ui/message', { role: 'user', content }))?.result).toEqual({ isError: true });
    expect(cards()).toEqual([]);
    const alone = await openPage({ conversation: false });
    expect((await alone.ask('ui/message', { role: 'user', content: TEXT }))?.error).toMatchObject({
      code: -32_601,
    });
    expect((await alone.ask('ui/initialize'))?.result).not.toMatchObject({
      hostCapabilities: { message: {} },
    });
  });

  it('asks for a mode and a height, which the page of the client decides', async () => {
    const { ask, say, shown, heard, panel } = await openPage();
    say({ method: 'ui/notifications/initialized' });
    expect((await ask('ui/request-display-mode', { mode: 'fullscreen' }))?.result).toEqual({
      mode: 'fullscreen',
    });
    expect((await ask('ui/request-display-mode', { mode: 'pip' }))?.result).toEqual({ mode: 'fullscreen' });
    for (const height of [300.2, 1e9, -1, 'tall'])
      say({ method: 'ui/notifications/size-changed', params: { width: 10, height } });
    expect(shown).toEqual([{ mode: 'fullscreen' }, { height: 301 }, { height: 4_000 }]);
    panel.change({ theme: 'light', view: 'x' });
    expect(heard.at(-1)).toMatchObject({
      method: 'ui/notifications/host-context-changed',
      params: { theme: 'light' },
    });
  });

  it('is told before it closes, can ask for that itself, and ends with its connector', async () => {
    const { say, heard, closed } = await openPage();
    say({ method: 'ui/notifications/initialized' });
    say({ method: 'ui/notifications/request-teardown' });
    await expect.poll(closed).toBe('closed');
    expect(heard.map(({ method }) => method)).toContain('ui/resource-teardown');
    const removed = await openPage();
    removed.events.emit({ type: 'app-removed', appId: APP.appId, version: '1.0.0' });
    await expect.poll(removed.closed).toBe('removed');
    const loud = await openPage();
    loud.say({ method: 'x', params: { text: 'x'.repeat(70_000) } });
    expect(loud.closed()).toBe('message-too-large');
  });

  it('is not opened for a tool without one, or by a client that shows none', async () => {
    const { panels, request } = await openPage();
    await expect(panels.openPage(APP, { ...request, tool: 'save' })).rejects.toMatchObject({
      code: 'unknown-panel',
    });
    const none = testPanels();
    await expect(none.panels.openPage(APP, request)).rejects.toMatchObject({ code: 'not-offered' });
  });
});

describe('what a server says of its pages', () => {
  it('names an address of its own scheme', () => {
    expect(pageOfTool(toolOf('a', { 'ui/resourceUri': 'ui://a/b' }))).toBe('ui://a/b');
    for (const meta of [
      {},
      { ui: 7 },
      { ui: { resourceUri: 'https://example.com' } },
      { ui: { resourceUri: 7 } },
    ])
      expect(pageOfTool(toolOf('a', meta))).toBeNull();
  });

  it('names origins of the Internet with TLS, of one owner each', () => {
    const fine = [
      'https://api.example.com',
      'wss://ws.example.com:8443',
      'https://*.example.com',
      'https://A.example.com/',
    ];
    const refused = [
      ...['http://example.com', 'https://*', 'https://*.com', 'https://*.github.io', 'https://localhost'],
      ...[
        'https://127.0.0.1',
        'https://a.localhost',
        'https://intranet',
        'https://example.com/path',
        '*',
        "'self'",
      ],
      ...['https://example.com; script-src *', 'data:', 'https://[::1]', 7, null],
    ];
    expect(
      pageSources({ connectDomains: [...fine, ...refused], resourceDomains: 'https://example.com' }),
    ).toEqual({
      connect: [...fine.slice(0, 3), 'https://a.example.com'],
      resources: [],
    });
    for (const csp of [undefined, null, 7, []])
      expect(pageSources(csp)).toEqual({ connect: [], resources: [] });
    const many = Array.from({ length: 80 }, (_, n) => `https://a${n}.example.com`);
    expect(pageSources({ resourceDomains: many }).resources).toHaveLength(50);
  });
});

describe('a page of a connector in another program', () => {
  it('calls the tools that its server offers to pages, by its names and those of the host, and asks nothing else', async () => {
    const call = vi.fn(async () => resultOf('Saved', { given: { _meta: { row: 7 } } }));
    const test = testPanels({ pages: { tools: () => TOOLS, read: async () => ({ html: HTML, csp: {} }) } });
    const panel = await test.panels.openPage(APP, { project: 'p', tool: 'show', call, isForeign: true });
    const heard: { id: number; result?: object; error?: object }[] = [];
    panel.listen({ message: (text) => heard.push(JSON.parse(text)), closed: () => undefined });
    const asked: [string, object][] = [
      ['tools/call', { name: 'save' }],
      ['tools/call', { name: modelName(APP, 'save'), arguments: { row: 1 } }],
      ['tools/call', { name: 'secret' }],
      ['tools/call', { name: 'other__save' }],
      ['ui/open-link', { url: 'https://example.com/' }],
      ['ui/initialize', {}],
    ];
    for (const [id, [method, params]] of asked.entries())
      panel.receive(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    await expect.poll(() => heard.length).toBe(asked.length);
    const answers = heard.toSorted((a, b) => a.id - b.id);
    const saved = { result: { content: [{ type: 'text', text: 'Saved' }], _meta: { row: 7 } } };
    const refused = { error: { data: { code: 'unknown-tool' } } };
    const unknown = { error: { code: -32_601 } };
    expect(answers).toMatchObject([saved, saved, refused, refused, unknown, unknown]);
    expect(call.mock.calls).toMatchObject([
      [{ tool: 'save', arguments: {}, caller: { as: 'page' } }],
      [{ tool: 'save', arguments: { row: 1 }, caller: { as: 'page' } }],
    ]);
    expect(test.client.ask).not.toHaveBeenCalled();
  });
});
