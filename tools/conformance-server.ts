import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { guarded } from '@svc/contracts/guarded';
import { defaultSystem } from '@svc/runtime/default-system';
import { agentBearer } from '../apps/desktop/src/gateway/agent-bearer.ts';
import { openDesktop } from '../apps/desktop/src/open-desktop.ts';
import { modelHead } from '../packages/runtime/src/models/model-names.ts';
import { readArguments } from './lib/read-arguments.ts';

const USAGE = `usage: npm run -s conformance-server -- URL

Opens a desktop with the MCP server at URL as its only connector, and serves the desktop's gateway under the names of that server, so that
the official MCP conformance suite can test the gateway. It prints its address and runs until it is stopped. All questions are accepted.
`;

const target = readArguments(USAGE, {}, ({ positionals: [server = ''] }) => {
  if (!URL.canParse(server)) throw new RangeError('URL must be the URL of the server.');
  return server;
});

const folder = await mkdtemp(join(tmpdir(), 'svc-conformance-'));
const opened = await openDesktop({
  ...{
    folder,
    system: defaultSystem,
    store: 'http://127.0.0.1:1',
    port: 0,
    localConnectors: true,
    builtIn: [],
  },
  pageFolder: join(folder, 'no-page'),
  client: { name: 'svc desktop', version: '0.0.0', platform: process.platform, arch: process.arch },
  keys: [{ kind: 'key-file', file: join(folder, 'key') }],
  openPage: async () => true,
  onFault: (error) => process.stderr.write(`${String(error)}\n`),
});
const { runtime, prompts, origin, settings } = opened.desktop;
prompts.listen({
  shown: ({ id, card }) =>
    queueMicrotask(() =>
      prompts.answer(id, { accepted: true, ...('binding' in card && { binding: card.binding }) }),
    ),
  gone: () => undefined,
});
const app = await runtime.addLocalConnector({ url: target });
runtime.connectors.choose(app.appId, { sampling: true, roots: true });
await runtime.tools(app.appId, { project: settings.projects()[0]?.id ?? 'first' });
const authorization = `Bearer ${await agentBearer(folder)}`;
const [name, address] = [`${modelHead(app)}__`, `${app.appId}+`];

type Params = { name?: string; uri?: string; ref?: { name?: string; uri?: string } };

/** The names of the gateway for those of the server. */
function named(body: string): string {
  const message = JSON.parse(body) as { method?: string; params?: Params };
  const { method = '', params = {} } = message;
  const of = (entry: { name?: string; uri?: string }, hasName: boolean) => ({
    ...entry,
    ...(hasName && entry.name !== undefined && { name: name + entry.name }),
    ...(entry.uri !== undefined && { uri: address + entry.uri }),
  });
  const isNamed = method === 'tools/call' || method === 'prompts/get';
  const filter = (params as { notifications?: { resourceSubscriptions?: string[] } }).notifications;
  return JSON.stringify({
    ...message,
    params: {
      ...of(params, isNamed),
      ...(params.ref && { ref: of(params.ref, true) }),
      ...(filter && {
        notifications: {
          ...filter,
          ...(filter.resourceSubscriptions && {
            resourceSubscriptions: filter.resourceSubscriptions.map((uri) => address + uri),
          }),
        },
      }),
    },
  });
}

const own = (words: string): string => words.replaceAll(name, '').replaceAll(address, '');

async function forwarded(request: IncomingMessage): Promise<Response> {
  const headers = new Headers({ authorization });
  for (const header of ['accept', 'content-type', 'mcp-session-id', 'mcp-protocol-version', 'mcp-method'])
    if (request.headers[header]) headers.set(header, String(request.headers[header]));
  const { 'mcp-name': askedName } = request.headers;
  const isResource = request.headers['mcp-method'] === 'resources/read';
  if (askedName !== undefined) headers.set('mcp-name', (isResource ? address : name) + String(askedName));
  // The suite names this program as its origin, which stands for that of the desktop.
  const isOwn = request.headers.origin === `http://${request.headers.host}`;
  if (request.headers.origin) headers.set('origin', isOwn ? origin : request.headers.origin);
  const raw = request.method === 'POST' ? await text(request) : undefined;
  const isObject = raw?.trimStart().startsWith('{');
  const body = raw !== undefined && isObject ? named(raw) : raw;
  return fetch(`${origin}/mcp`, {
    method: request.method ?? 'GET',
    headers,
    ...(body !== undefined && { body }),
  });
}

const server = createServer(
  guarded(
    async (request: IncomingMessage, response: ServerResponse) => {
      // The suite names the host of this program, as a browser that is misled would.
      const isOwn = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(request.headers.host ?? '');
      if (!isOwn) return void response.writeHead(421).end();
      const answer = await forwarded(request);
      const headers = [...answer.headers].filter(
        ([key]) => !/^(?:content-length|transfer-encoding)$/.test(key),
      );
      response.writeHead(answer.status, Object.fromEntries(headers));
      let rest = '';
      for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop() ?? '';
        if (lines.length > 0) response.write(own(`${lines.join('\n')}\n`));
      }
      response.end(own(rest));
    },
    (error: unknown) => process.stderr.write(`${String(error)}\n`),
  ),
);
server.listen(0, '127.0.0.1', () =>
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp\n`),
);

const stop = guarded(async () => {
  server.closeAllConnections();
  server.close();
  await opened.close();
  await rm(folder, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
