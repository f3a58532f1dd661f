import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AppTool, QuestionField } from '@svc/runtime';
import { defaultSystem } from '@svc/runtime/default-system';
import { type Answer, type Card, openRuntime, RuntimeError } from '../packages/runtime/src/index.ts';
import { openBrowser, type Registered, STORE } from './conformance/browser.ts';
import { readArguments } from './lib/read-arguments.ts';

const USAGE = `usage: npm run -s conformance-client -- URL

Runs the runtime as the client under test of the official MCP conformance suite, which passes scenario, revision and context in
the environment, and its server in the last argument. It opens a runtime, adds the server as a connector, and calls the tools that a
scenario expects, as a client does that embeds it; the user agrees to everything.
`;

type Call = { name: string; arguments: Record<string, unknown> };

const url = readArguments(USAGE, {}, ({ positionals }) => {
  const server = positionals.at(-1) ?? '';
  if (!URL.canParse(server)) throw new RangeError('URL must be the URL of the server.');
  return server;
});
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as Registered & {
  toolCalls?: Call[];
};

/** The URL of the client metadata document that the suite expects. */
const DOCUMENT = 'https://conformance-test.local/client-metadata.json';

/** How often the user connects an account whose server lists nothing. */
const MAX_CONNECTS = 3;

/** Default arguments by JSON Schema type. */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  number: 1,
  integer: 1,
  boolean: true,
  array: [],
  object: {},
};

type Schema = { required?: readonly string[]; properties?: Record<string, unknown> };

/** The arguments of a tool. An argument named `schema` gets the schema of another tool, as received. */
const argumentsFor = ({ required = [], properties = {} }: Schema, other: unknown): Record<string, unknown> =>
  Object.fromEntries(
    required.map((name) => {
      const { type = 'string' } = (properties[name] ?? {}) as { type?: string };
      return [name, name === 'schema' && type === 'object' ? other : (DEFAULTS[type] ?? 'text')];
    }),
  );

/** A user who agrees to everything, with the values that a form proposes. */
async function ask(card: Card): Promise<Answer> {
  const proposed = (fields: readonly QuestionField[]) =>
    Object.fromEntries(fields.flatMap(({ name, initial }) => (initial === null ? [] : [[name, initial]])));
  return {
    accepted: true,
    ...('binding' in card && { binding: card.binding }),
    ...(card.kind === 'question' && { content: proposed(card.fields) }),
  };
}

const folder = await mkdtemp(join(tmpdir(), 'svc-conformance-'));
const browser = openBrowser();
const runtime = await openRuntime({
  folder,
  store: STORE,
  fetchStore: browser.relay,
  localConnectors: true,
  ask,
  openBrowser: browser.open,
  // The relay answers at once.
  system: { ...defaultSystem, sleep: (ms, signal) => defaultSystem.sleep(ms === 1_000 ? 1 : ms, signal) },
  client: { name: 'svc-runtime', version: '0.0.0' },
  keys: [{ kind: 'key-file', file: join(folder, 'key') }],
  identity: {
    name: 'svc-runtime',
    documentUrl: DOCUMENT,
    ...(context.client_id !== undefined && {
      registered: () => ({
        clientId: context.client_id ?? '',
        ...(context.client_secret !== undefined && { clientSecret: context.client_secret }),
      }),
    }),
  },
});

try {
  const { appId } = await runtime.addLocalConnector({ url });
  const where = { project: 'p', chat: 'c' };
  let tools: AppTool[] = [];
  // A server that requires an account lists its tools once it is connected; the user connects it again when the server refuses it.
  for (let attempt = 0; attempt < MAX_CONNECTS && tools.length === 0; attempt += 1) {
    for (const { id, connected } of await runtime.accounts.list(appId))
      if (!connected) await runtime.accounts.connect(appId, id);
    tools = await runtime.tools(appId, where);
  }
  const calls =
    context.toolCalls ??
    tools.map(({ id, inputSchema }) => ({
      name: id,
      arguments: argumentsFor(inputSchema as Schema, tools[0]?.inputSchema),
    }));
  for (const { name, arguments: args } of calls) {
    try {
      await runtime.call(appId, { tool: name, arguments: args, ...where });
    } catch (error) {
      // A failing tool is the server's fault, and the other tools can still be called; any other error is the client's.
      if (!(error instanceof RuntimeError) || error.code !== 'server-failed') throw error;
      process.stderr.write(`${name}: ${error.message}\n`);
    }
  }
} finally {
  await runtime.close();
  await rm(folder, { recursive: true, force: true });
}
