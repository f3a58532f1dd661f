import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { footprintOf } from '@svc/permissions';
import { createSessions, type Session } from '../packages/runtime/src/calls/sessions.ts';
import { createWithAccount, useServer } from '../packages/runtime/src/calls/use-server.ts';
import type { InstalledApp } from '../packages/runtime/src/library/installed-app.ts';
import { RuntimeError } from '../packages/runtime/src/platform/runtime-error.ts';
import { openTestAccounts, type Registered } from './conformance/accounts.ts';
import { readArguments } from './lib/read-arguments.ts';

const USAGE = `usage: npm run -s conformance-client -- URL

Runs the runtime as the client under test of the official MCP conformance suite, which passes scenario, revision and context in
the environment, and its server in the last argument. It tests the layers of every runtime call: network, session, account.
This program only calls the tools that a scenario expects.
`;

type Call = { name: string; arguments: Record<string, unknown> };

const TIME_MS = 25_000;

const url = readArguments(USAGE, {}, ({ positionals }) => {
  const server = positionals.at(-1) ?? '';
  if (!URL.canParse(server)) throw new RangeError('URL must be the URL of the server.');
  return server;
});
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as Registered & {
  toolCalls?: Call[];
};

const system = {
  now: () => Date.now(),
  randomBytes,
  sleep: (ms: number, signal?: AbortSignal) =>
    sleep(ms, undefined, { ref: false, ...(signal && { signal }) }),
};

/** The server as an app under development: only such apps may have servers on this machine. */
function appOf(accountId: string | null): InstalledApp {
  const manifest: InstalledApp['manifest'] = {
    pluginApiVersion: 3,
    id: 'local.conformance',
    name: 'Conformance',
    version: '1.0.0',
    description: 'The server of a scenario.',
    permissions: [],
    contributes: {},
    publisher: 'local',
    remote: { mcpUrl: url, domains: [] },
    branding: { icon: 'icon.png' },
    accounts: accountId === null ? [] : [{ id: accountId, label: 'Server', auth: 'mcp', scopes: [] }],
  };
  return {
    appId: manifest.id,
    version: manifest.version,
    manifest,
    consent: footprintOf(manifest),
    source: { kind: 'developer', folder: '.' },
    on: true,
    withdrawn: null,
  };
}

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

const { tokens, ask } = openTestAccounts(system, context);
const accountId = scenario.startsWith('auth/') ? 'server' : null;
const app = appOf(accountId);
const sessions = createSessions({
  system,
  tokens,
  client: { name: 'svc-runtime', version: '0.0.0' },
  maxMs: TIME_MS,
  // A user who accepts every elicitation.
  serving: () => ({ elicit: async () => ({ action: 'accept', content: {} }) }),
});
const health = { responded: () => undefined, failed: () => undefined };
const parts = { system, sessions, withAccount: createWithAccount(ask, tokens), health };
const signal = AbortSignal.timeout(TIME_MS);

const use = <T>(tool: string, work: (session: Session, timed: AbortSignal) => Promise<T>): Promise<T> =>
  useServer(
    parts,
    { app, accountId, context: { tool, project: null, chat: null }, signal, ms: TIME_MS, mayAsk: true },
    work,
  );

const tools = await use('tools/list', ({ connection }, timed) => connection.listTools(timed));
const calls =
  context.toolCalls ??
  tools.map(({ name, inputSchema }) => ({
    name,
    arguments: argumentsFor(inputSchema as Schema, tools[0]?.inputSchema),
  }));
for (const { name, arguments: args } of calls) {
  try {
    await use(name, ({ connection }, timed) => connection.callTool(name, args, { signal: timed }));
  } catch (error) {
    // A failing tool is the server's fault, and the other tools can still be called; any other error is the client's.
    if (!(error instanceof RuntimeError) || error.code !== 'server-failed') throw error;
    process.stderr.write(`${name}: ${error.message}\n`);
  }
}
await sessions.stop();
