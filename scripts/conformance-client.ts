import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { footprintOf } from '@svc/permissions';
import type { Revision } from '../packages/runtime/src/calls/connection.ts';
import { createSessions, type Session } from '../packages/runtime/src/calls/sessions.ts';
import { useServer } from '../packages/runtime/src/calls/use-server.ts';
import { createWithAccount } from '../packages/runtime/src/calls/with-account.ts';
import type { InstalledApp } from '../packages/runtime/src/library/installed-app.ts';
import { RuntimeError } from '../packages/runtime/src/platform/runtime-error.ts';
import { openTestAccounts, type Registered } from './conformance/accounts.ts';
import { readArguments } from './read-arguments.ts';

const USAGE = `usage: npm run -s conformance-client -- URL

The runtime as the client under test of the official MCP conformance suite, which names scenario, revision and context in the
environment and its server in the last argument. What is tested is what carries every call of the runtime: network, session,
account. This program only calls the tools that a scenario waits for.
`;

type Call = { name: string; arguments: Record<string, unknown> };

const TIME_MS = 25_000;

const url = readArguments(USAGE, {}, ({ positionals }) => {
  const given = positionals.at(-1) ?? '';
  if (!URL.canParse(given)) throw new RangeError('Name the server by its URL.');
  return given;
});
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? '';
const revision = (process.env.MCP_CONFORMANCE_PROTOCOL_VERSION ?? 'auto') as Revision;
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as Registered & {
  toolCalls?: Call[];
};

const system = {
  now: () => Date.now(),
  randomBytes,
  sleep: (ms: number, signal?: AbortSignal) =>
    sleep(ms, undefined, { ref: false, ...(signal && { signal }) }),
};

/** The server as an app under development, as those alone may be on this machine. */
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

/** An argument when the scenario does not say: what the schema asks for, as plainly as can be. */
const PLAIN: Readonly<Record<string, unknown>> = {
  number: 1,
  integer: 1,
  boolean: true,
  array: [],
  object: {},
};

type Schema = { required?: readonly string[]; properties?: Record<string, unknown> };

/** What a tool is called with. One that wants a schema is given that of another tool, as it was received. */
const argumentsFor = ({ required = [], properties = {} }: Schema, other: unknown): Record<string, unknown> =>
  Object.fromEntries(
    required.map((name) => {
      const { type = 'string' } = (properties[name] ?? {}) as { type?: string };
      return [name, name === 'schema' && type === 'object' ? other : (PLAIN[type] ?? 'text')];
    }),
  );

const { tokens, ask } = openTestAccounts(system, context);
const accountId = scenario.startsWith('auth/') ? 'server' : null;
const app = appOf(accountId);
const sessions = createSessions({
  system,
  tokens,
  client: { name: 'svc-runtime', version: '0.0.0' },
  longestMs: TIME_MS,
  connection: {
    revision,
    // A person who agrees to whatever is proposed.
    elicit: async () => ({ action: 'accept', content: {} }),
  },
});
const parts = { system, sessions, withAccount: createWithAccount(ask, tokens) };
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
    // A tool that fails is the server's matter, and other tools can still be called; anything else is the client's.
    if (!(error instanceof RuntimeError) || error.code !== 'server-failed') throw error;
    process.stderr.write(`${name}: ${error.message}\n`);
  }
}
await sessions.stop();
