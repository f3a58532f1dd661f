import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { DEEP, needs } from '@svc/testkit';
import { eventually } from '@svc/testkit/eventually';
import { describe, expect, it, onTestFinished } from 'vitest';
import { acceptNext, startDesktop } from '../apps/desktop/test/support/desktop-process.ts';
import { tempFolder } from '../apps/desktop/test/support/temp-folder.ts';
import { serveSites } from '../packages/runtime/test/support/internet.ts';

const PROGRAM = path.join(import.meta.dirname, 'support/killed-desktop.ts');

const HAS_PROC = existsSync('/proc/self/clear_refs');

const MIB = 1024 * 1024;

/** How much each peer sends, and what the desktop may need for it beyond what it had before, in MiB. */
const SENT = 1_229 * MIB;
const MAX_MIB = 100;

type Shape = readonly [type: string, begin: string, more: string];

const EVENTS = 'text/event-stream';
const USAGE = { input_tokens: 1, output_tokens: 1 };
const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;

/** What the answer of a peer is made of: its content type, its begin, and what is repeated after it. */
const SHAPES = {
  'one long string': ['application/json', '{"a":"', 'x'.repeat(65_536)],
  'a deep value': ['application/json', '', '['.repeat(65_536)],
  'many members': ['application/json', '{', '"a":1,'.repeat(10_000)],
  'one long event': [EVENTS, 'data: ', 'x'.repeat(65_536)],
  'events of OpenAI': [EVENTS, '', event({ choices: [{ delta: { content: 'word ' } }] }).repeat(1_000)],
  'events of Anthropic': [
    EVENTS,
    event({
      type: 'message_start',
      message: { id: 'm', model: 'm', role: 'assistant', content: [], usage: USAGE },
    }) + event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'word ' } }).repeat(
      1_000,
    ),
  ],
  'events of Google': [
    EVENTS,
    '',
    event({ candidates: [{ content: { parts: [{ text: 'word ' }], role: 'model' } }] }).repeat(1_000),
  ],
} satisfies Record<string, Shape>;

/** Sends an answer of more than a gigabyte, as fast as it is read. */
function flood(response: ServerResponse, [type, begin, more]: Shape): void {
  response.writeHead(200, { 'content-type': type });
  response.write(begin);
  let sent = 0;
  const write = () => {
    let isDrained = true;
    while (isDrained && sent < SENT) {
      sent += more.length;
      isDrained = response.write(more);
    }
    if (sent >= SENT) response.end();
  };
  response.on('drain', write).on('error', () => undefined);
  write();
}

/** The memory of a process in bytes: what it has, and the most that it had since the last reset (proc(5)). */
function memoryOf(pid: number) {
  const read = (name: string) => {
    const found = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(
      readFileSync(`/proc/${pid}/status`, 'utf8'),
    );
    return Number(found?.[1]) * 1024;
  };
  return {
    now: () => read('VmRSS'),
    most: () => read('VmHWM'),
    reset: () => writeFileSync(`/proc/${pid}/clear_refs`, '5'),
  };
}

const MCP = 'https://mcp.example.com/mcp';
const RESOURCE = '/.well-known/oauth-protected-resource';

/** What an honest server of MCP answers, by method and by path. */
const HONEST: Readonly<Record<string, object>> = {
  'server/discover': { error: { code: -32601, message: 'Unknown.' } },
  initialize: {
    result: {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'flood', version: '1.0.0' },
    },
  },
  'tools/list': { result: { tools: [{ name: 'say', inputSchema: { type: 'object' } }] } },
  [RESOURCE]: { resource: MCP, authorization_servers: ['https://login.example.com'] },
};

async function messageOf(request: IncomingMessage): Promise<{ id?: number; method?: string }> {
  const body = await text(request);
  return body === '' ? {} : JSON.parse(body);
}

/** A desktop in a process of its own. Its store and all servers send more than a gigabyte, but for what is in `honest`. */
async function world() {
  const at = { shape: SHAPES['one long string'] as Shape, honest: [] as string[], floods: 0, calls: 0 };
  const flooding: RequestListener = (_, response) => {
    at.floods += 1;
    flood(response, at.shape);
  };
  const mcp: RequestListener = async (request, response) => {
    const { id, method = '' } = await messageOf(request);
    const known = [method, request.url ?? ''].find((name) => at.honest.includes(name));
    if (method.startsWith('notifications/')) response.writeHead(202).end();
    else if (known !== undefined) {
      const answer = { ...(known === method && { jsonrpc: '2.0', id }), ...HONEST[known] };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    } else if (request.url === '/mcp' && at.honest.includes('sign-in')) {
      const where = `Bearer resource_metadata="https://mcp.example.com${RESOURCE}"`;
      response.writeHead(401, { 'www-authenticate': where }).end();
    } else flooding(request, response);
  };
  const server = createServer(flooding).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const site = await serveSites(['mcp.example.com', 'login.example.com']);
  await site.at('login.example.com')(() => flooding);
  await site.at('mcp.example.com')(() => mcp);
  const store = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = await tempFolder();
  const given = { folder, store, port: site.connecting.port, ca: site.connecting.ca, killAt: 0 };
  const desktop = await startDesktop([PROGRAM, JSON.stringify(given)]);
  return { at, store, desktop, folder };
}

type World = Awaited<ReturnType<typeof world>>;

const APP = 'com.example.notes';

const add = ({ desktop: { page } }: World) => page.call('connectors.add', { url: MCP });

/** Adds a connector that wants a sign-in, and signs in. */
async function connect(one: World) {
  const { page } = one.desktop;
  const heard = await page.listen();
  const { app } = (await add(one)).body;
  const accountId = app.manifest.accounts?.[0]?.id ?? '';
  const connecting = page.call('accounts.connect', { appId: app.appId, accountId });
  // The host to sign in at could not be read: the person may go on all the same.
  await Promise.race([connecting, acceptNext(one.desktop, heard, 'connect')]);
  return connecting;
}

/** Adds a connector that answers, and calls its tool. */
async function callTool(one: World) {
  const { page } = one.desktop;
  one.at.honest = ['server/discover', 'initialize', 'tools/list'];
  const { app } = (await add(one)).body;
  const where = { appId: app.appId, project: 'default', callId: `call-${one.at.calls}` };
  one.at.calls += 1;
  return page.call('tools.call', { ...where, tool: 'say', arguments: {}, files: {} });
}

/** Adds a provider of models, and has one of its models answer. */
async function chat(
  { desktop: { page }, store }: World,
  protocol: 'openai' | 'anthropic' | 'google',
): Promise<{ status: number }> {
  const { provider } = (
    await page.call('models.add', { name: 'S', baseUrl: store, key: null, protocol, model: 'm' })
  ).body;
  await page.call('models.choose', { provider: provider.id, model: 'm' });
  const { chat } = (await page.call('chats.create', { project: 'default' })).body;
  await page.call('chats.send', { chat: chat.id, text: 'Go', files: [] });
  return eventually(async () => {
    const { chats } = (await page.call('chats.list', { project: 'default' })).body;
    expect(chats.filter(({ running }) => running)).toEqual([]);
    return { status: 200 };
  });
}

/** Adds a program on this computer that writes one line without an end. */
async function addProgram(one: World) {
  const { page } = one.desktop;
  await page.call('connectors.allowLocal', { on: true });
  const heard = await page.listen();
  const [, begin, more] = one.at.shape;
  const file = path.join(one.folder, 'program.mjs');
  await writeFile(
    file,
    `const begin = ${JSON.stringify(begin)}, more = ${JSON.stringify(more)};
    process.stdout.on('error', () => process.exit()).on('drain', write).write(begin);
    let sent = 0;
    function write() {
      while (sent < ${SENT}) {
        sent += more.length;
        if (!process.stdout.write(more)) return;
      }
    }
    write();`,
  );
  const program = { command: process.execPath, args: [file], name: 'P', folder: one.folder };
  const adding = page.call('connectors.addLocal', program);
  await acceptNext(one.desktop, heard, 'local-connector');
  one.at.floods += 1;
  return adding;
}

/** What makes the desktop read the answers of each peer. */
const ACTS: Readonly<Record<string, (world: World) => Promise<{ status: number }>>> = {
  'a store, searched': ({ desktop: { page } }) => page.call('store.search', {}),
  'a store, asked for an app': ({ desktop: { page } }) => page.call('store.app', { appId: APP }),
  'a store, asked for a version': ({ desktop: { page } }) =>
    page.call('store.prepare', { appId: APP, version: '1.0.0' }),
  'a store, asked for its list of yanks': ({ desktop: { page } }) => page.call('apps.checkRevocations', {}),
  'a store that the person signs in to': ({ desktop: { page } }) => page.call('client.signIn', {}),
  'a provider, asked for its models': ({ desktop: { page }, store }) =>
    page.call('models.check', { baseUrl: store, key: null }),
  'a model by the protocol of OpenAI': (one) => chat(one, 'openai'),
  'a model by the protocol of Anthropic': (one) => chat(one, 'anthropic'),
  'a model by the protocol of Google': (one) => chat(one, 'google'),
  'a server, added': add,
  'a server, asked for its tools': (one) => {
    one.at.honest = ['server/discover', 'initialize'];
    return add(one);
  },
  'a server, called': callTool,
  'a server, asked for its authorization server': (one) => {
    one.at.honest = ['sign-in'];
    return connect(one);
  },
  'an authorization server': (one) => {
    one.at.honest = ['sign-in', RESOURCE];
    return connect(one);
  },
  'a program': addProgram,
};

describe(
  'the memory of a desktop to which a peer sends more than a gigabyte',
  needs(HAS_PROC, 'needs /proc'),
  () => {
    it.each(Object.entries(ACTS))('%s', { ...DEEP, timeout: 600_000 }, async (peer, act) => {
      const one = await world();
      const memory = memoryOf(one.desktop.child.pid ?? 0);
      for (const [name, shape] of Object.entries(SHAPES)) {
        one.at.shape = shape;
        one.at.floods = 0;
        const before = memory.now();
        memory.reset();
        const { status } = await act(one);
        // It is refused or cut; it is no fault of the desktop.
        expect([name, status < 500, one.at.floods > 0]).toEqual([name, true, true]);
        const more = (memory.most() - before) / MIB;
        process.stdout.write(`${peer}, ${name}: ${Math.round(more)} MiB more\n`);
        expect.soft(more, name).toBeLessThan(MAX_MIB);
      }
    });
  },
);
