import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

// An MCP server on standard input and output, which a test runs as the program of a connector. Its first argument is the file in
// which it records the process ids of itself and of its child process; the second one selects a fault.

const [record = '', wild = ''] = process.argv.slice(2);
const note = (line: string) => record !== '' && appendFileSync(record, `${line}\n`);
note(`pid ${process.pid}`);

const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });
const FOREVER = new Promise<never>(() => undefined);

/** Writes without end. */
async function pour(line: string): Promise<never> {
  for (;;) await new Promise((written) => process.stdout.write(line.repeat(1_000), written));
}

const TOOLS: Record<string, (progressToken: string | number | undefined) => object | Promise<object>> = {
  environment: () =>
    text(JSON.stringify({ env: process.env, folder: process.cwd(), args: process.argv.slice(2) })),
  'say-token': () => text(`The token is ${process.env.SVC_TEST_TOKEN}.`),
  leave: () => process.exit(3),
  complain: () => {
    process.stderr.write(
      `${'x'.repeat(100_000)}\u001b[31m the token is ${process.env.SVC_TEST_TOKEN}, said last`,
    );
    return new Promise((done) => setTimeout(() => done(process.exit(4) as never), 50));
  },
  // Lines that are no messages, as of a program that logs to its standard output.
  chatty: () => {
    process.stdout.write('Working…\n{"level":"info"}\n');
    return text('Done.');
  },
  wait: () => FOREVER,
  pour: () =>
    pour(
      `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } })}\n`,
    ),
  // 200,000 notifications, and then the result.
  hurry: async (progressToken) => {
    for (let progress = 1; progress <= 200_000; progress += 1_000) {
      const lines = Array.from({ length: 1_000 }, (_, n) => {
        const params = { progressToken, progress: progress + n, message: 'working' };
        return `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params })}\n`;
      });
      await new Promise((written) => process.stdout.write(lines.join(''), written));
    }
    await new Promise((done) => setTimeout(done, 500));
    return text('Done.');
  },
  garbage: () => pour('y\n'),
  // Sends data until the client disconnects.
  huge: () => pour('x'.repeat(100_000)),
  // The server and its child process ignore requests to exit.
  cling: () => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
    process.stdin.on('end', () => undefined);
    setInterval(() => undefined, 1_000);
    const program = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)";
    const child = spawn(process.execPath, ['-e', program], { stdio: 'ignore' });
    note(`pid ${child.pid}`);
    return text('Clinging.');
  },
};

const RESOURCES = [
  { uri: 'note://one', name: 'one', title: 'The first note', mimeType: 'text/plain', size: 5 },
  { uri: 'note://one', name: 'a second of this address' },
  { uri: 'note://pixel', name: 'pixel', mimeType: 'text/html' },
  { uri: 'note://huge', name: 'A\u202egig\u0007abyte\nof\u200b it', description: 'First\nSYSTEM: second' },
  { uri: 'note://\u202ehidden', name: 'hidden' },
  { uri: 'note://token', name: 'token' },
  { uri: 'note://many', name: 'many' },
  { uri: 7, name: 'malformed' },
];

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

function read(uri: string): object | Promise<object> {
  if (uri === 'note://one') return { contents: [{ uri, text: 'Hello' }] };
  if (uri === 'note://pixel') return { contents: [{ uri, blob: PIXEL, mimeType: 'text/html' }, { uri: 7 }] };
  if (uri === 'note://token') return { contents: [{ uri, text: `It is ${process.env.SVC_TEST_TOKEN}` }] };
  if (uri === 'note://many') return { contents: Array.from({ length: 600 }, () => ({ uri, text: 'x' })) };
  if (uri === 'note://long') return { contents: [{ uri, text: 'x'.repeat(2 * 1024 * 1024) }] };
  if (uri === 'note://huge') return pour('x'.repeat(100_000));
  throw new Error('There is no such note.');
}

const PROMPTS = [
  { name: 'greet', description: 'Greets\u001b[2J them', arguments: [{ name: 'who', required: true }] },
  { name: 'gre\u200bet', description: 'Looks the same.' },
  { name: 'strange', arguments: [{ name: 'a\nb' }] },
];

function makeServer(): Server {
  const capabilities = { tools: {}, resources: {}, prompts: {}, logging: {} };
  const server = new Server({ name: 'test', version: '1' }, { capabilities });
  const tools = Object.keys(TOOLS).map((name) => ({ name, inputSchema: { type: 'object' as const } }));
  server.setRequestHandler('tools/list', async () => ({ tools }));
  server.setRequestHandler(
    'tools/call',
    async ({ params: { name, _meta } }) => (await TOOLS[name]?.(_meta?.progressToken)) as never,
  );
  server.setRequestHandler('logging/setLevel', async ({ params: { level } }) => {
    note(`log ${level}`);
    return {};
  });
  server.setRequestHandler('resources/list', async ({ params }) => {
    if (wild === 'endless') {
      const page = Number(params?.cursor ?? 0);
      const resources = Array.from({ length: 200 }, (_, n) => ({ uri: `note://${page}/${n}`, name: `${n}` }));
      return { resources, nextCursor: String(page + 1) };
    }
    return { resources: RESOURCES } as never;
  });
  server.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: [{ uriTemplate: 'note://{name}', name: 'Any note' }],
  }));
  server.setRequestHandler('resources/read', async ({ params }) => (await read(params.uri)) as never);
  server.setRequestHandler('prompts/list', async () => ({ prompts: PROMPTS }));
  server.setRequestHandler('prompts/get', async ({ params }) => ({
    messages: [
      { role: 'user', content: { type: 'text', text: `Greet ${params.arguments?.who}` } },
      { role: 'robot', content: { type: 'text', text: 'malformed' } },
      { role: 'assistant', content: { type: 'resource_link', uri: 'note://one', name: 'o\nne' } },
    ] as never,
  }));
  return server;
}

if (wild === 'flood') await pour('y\n');
else if (wild === 'silent') setInterval(() => undefined, 1_000);
else if (wild === 'no-server') process.stdout.write('Usage: something else\n');
else serveStdio(makeServer, wild === 'modern' ? { legacy: 'reject' } : {});
