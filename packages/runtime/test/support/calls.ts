import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Manifest } from '@svc/contracts';
import { expect, onTestFinished } from 'vitest';
import type { TokenSource } from '../../src/calls/authorised-fetch.ts';
import type { CallRequest } from '../../src/calls/call-tool.ts';
import { type CallDeps, createCalls } from '../../src/calls/calls.ts';
import type { Answer, Card, CardContents } from '../../src/cards/card.ts';
import { createEvents, type RuntimeEvent } from '../../src/events/events.ts';
import { createAppStorage } from '../../src/files/app-storage.ts';
import type { InstalledApp } from '../../src/library/installed-app.ts';
import { installed } from './app.ts';
import { type Play, type ServerOptions, serveMcp } from './mcp-server.ts';
import { system } from './system.ts';

/** A token of the servers of these tests. */
export const TOKEN = 'svc-test-token/9f8E7d6C5b4A+3210==';

/** A result that is one text. */
export const said = (value: string) => expect.objectContaining({ parts: [{ type: 'text', text: value }] });

/** Accounts that return these tokens one after the other; null means that the user has to connect. */
export function tokensOf(...given: (string | null)[]) {
  const seen = {
    connects: [] as (readonly string[] | undefined)[],
    refused: [] as string[],
    used: [] as string[],
  };
  let at = 0;
  const next = () => {
    at = Math.min(at + 1, given.length - 1);
    return given[at] ?? null;
  };
  const tokens: TokenSource = {
    ready: async () => (given[at] ?? null) !== null,
    underWay: () => null,
    signInDetails: async (_app, _id, scopes = []) => ({ host: 'login.acme.example', scopes }),
    async connect(_app, _account, { scopes }) {
      seen.connects.push(scopes);
      next();
    },
    async token(_app, account, use) {
      seen.used.push(`${account} ${use.host} ${use.tool}`);
      return given[at] ?? null;
    },
    async refreshAfter401(_app, _account, token) {
      seen.refused.push(token);
      return next();
    },
  };
  return { tokens, ...seen };
}

const ACCOUNT = {
  id: 'acme',
  label: 'Acme',
  authorizeUrl: 'https://login.acme.example/authorize',
  tokenUrl: 'https://login.acme.example/token',
  clientId: 'client',
  scopes: ['read'],
} as const;

/** A tool with an account, one without, and one that needs an approval. */
const CONTRIBUTES: Manifest['contributes'] = {
  tools: [
    { id: 'plain', name: 'Plain', description: 'Needs nothing.' },
    { id: 'mine', name: 'Mine', description: 'Needs the account.', account: 'acme' },
    {
      id: 'confirmed',
      name: 'Confirmed',
      description: 'Asks first.',
      confirm: { title: 'Send {{count}} files?', body: '**Really?**' },
      files: { attachments: { multiple: true } },
    },
  ],
};

export type Opened = {
  manifest?: Partial<Manifest>;
  app?: Partial<InstalledApp>;
  deps?: Partial<CallDeps>;
  server?: ServerOptions;
  answer?: (card: Card, contents?: CardContents) => Answer | Promise<Answer>;
};

/** A server, an installed app with this server, and a function that calls its tools. */
export async function openCalls(play: Play, { manifest = {}, app, deps = {}, server, answer }: Opened = {}) {
  const mcp = await serveMcp(play, server);
  const folder = mkdtempSync(join(tmpdir(), 'svc-calls-'));
  const cards: Card[] = [];
  const told: RuntimeEvent[] = [];
  const events = createEvents(() => undefined);
  events.subscribe((event) => told.push(event));
  const calls = createCalls({
    system,
    events,
    tokens: tokensOf(null).tokens,
    storage: createAppStorage(system, folder),
    prepare: () => Promise.reject(new Error('nothing is prepared here')),
    client: { name: 'test', version: '1' },
    ask: async (card, _signal, contents) => {
      cards.push(card);
      if (answer) return answer(card, contents);
      return { accepted: true, ...('binding' in card && { binding: card.binding }) };
    },
    ...deps,
  });
  onTestFinished(async () => {
    await calls.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const one = installed(
    {
      contributes: CONTRIBUTES,
      accounts: [{ ...ACCOUNT, scopes: [...ACCOUNT.scopes] }],
      remote: { mcpUrl: mcp.url, domains: [] },
      ...manifest,
    },
    app,
  );
  const call = (tool: string, rest: Partial<CallRequest> = {}) =>
    calls.call(one, { tool, arguments: {}, project: 'project-1', chat: 'chat-1', ...rest });
  return { calls, call, app: one, mcp, cards, told, events, folder };
}
