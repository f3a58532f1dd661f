import path from 'node:path';
import type { Account } from '@svc/contracts';
import { onTestFinished } from 'vitest';
import { type AccountsDeps, openAccounts } from '../../src/accounts/accounts.ts';
import { createCalls } from '../../src/calls/calls.ts';
import type { Answer, Card } from '../../src/cards/card.ts';
import { createEvents, type RuntimeEvent } from '../../src/events/events.ts';
import type { InstalledApp } from '../../src/library/installed-app.ts';
import { type EntryKind, openVault } from '../../src/vault/vault.ts';
import { browse } from './browser.ts';
import { fakeSystem, HOUR } from './open-accounts.ts';
import { relayServer } from './relay-server.ts';
import { appWith } from './sample-apps.ts';
import { tempFolder } from './temp-folder.ts';
import { type McpKind, wildMcp, wildOAuth } from './wild-servers.ts';

/** How the account of an app is declared. */
export type Auth = 'declared' | 'mcp';

const TOOLS = [
  { id: 'say', name: 'Say', description: 'Says it.', account: 'main' },
  { id: 'held', name: 'Held', description: 'Takes its time.', account: 'main' },
  { id: 'sure', name: 'Sure', description: 'Asks.', account: 'main', confirm: { title: 'Sure?' } },
];

/** The answer of a user to a card; accepted by default. */
type UserAnswer = (card: Card) => Answer | Promise<Answer>;

const yes: UserAnswer = (card) => ({ accepted: true, ...('binding' in card && { binding: card.binding }) });

/** Servers of an app: an authorization server, an MCP server that takes its tokens, and a relay. */
export async function wildServers(kind: McpKind = { stream: false, sessions: true }) {
  const [oauth, relay] = await Promise.all([wildOAuth(), relayServer()]);
  const mcp = await wildMcp(oauth, kind);
  return { oauth, relay, mcp };
}

/** An app with these servers. */
export function wildApp(
  { oauth, mcp }: Pick<Awaited<ReturnType<typeof wildServers>>, 'oauth' | 'mcp'>,
  auth: Auth,
): InstalledApp {
  const declared: Account = {
    id: 'main',
    label: 'Notes',
    authorizeUrl: `${oauth.url}/authorize`,
    tokenUrl: `${oauth.url}/token`,
    revokeUrl: `${oauth.url}/revoke`,
    clientId: 'public-client',
    scopes: ['notes'],
  };
  const account: Account = auth === 'mcp' ? { id: 'main', label: 'Notes', auth, scopes: [] } : declared;
  const app = appWith([account], { mcpUrl: mcp.url });
  app.manifest.contributes = { tools: TOOLS };
  return app;
}

/** One process of a client, with accounts and calls. */
export async function wildClient(
  servers: Awaited<ReturnType<typeof wildServers>>,
  app: InstalledApp,
  options: Partial<
    Pick<AccountsDeps, 'installed' | 'loopbackOf' | 'openBrowser' | 'identity' | 'fetchStore'>
  > & {
    folder?: string;
    answer?: UserAnswer;
  } = {},
) {
  const folder = options.folder ?? (await tempFolder());
  const system = fakeSystem();
  const cards: Card[] = [];
  const told: RuntimeEvent[] = [];
  const opened: string[] = [];
  const events = createEvents((error) => {
    throw error;
  });
  events.subscribe((event) => told.push(event));
  let answer = options.answer ?? yes;
  const ask = async (card: Card): Promise<Answer> => {
    cards.push(card);
    return answer(card);
  };
  const accounts = openAccounts({
    folder,
    keys: [{ kind: 'key-file', file: path.join(folder, 'key') }],
    system,
    events,
    guard: () => globalThis.fetch,
    fetchStore: globalThis.fetch,
    store: servers.relay.url,
    identity: { name: 'A chat client' },
    ask,
    ...options,
    openBrowser: async (url, page) => {
      opened.push(url);
      if (options.openBrowser) return options.openBrowser(url, page);
      await browse(url);
    },
  });
  const calls = createCalls({
    system,
    events,
    ask,
    tokens: accounts,
    storage: { keep: () => Promise.reject(new Error('nothing is kept')) },
    prepare: () => Promise.reject(new Error('nothing is prepared')),
    client: { name: 'test', version: '1' },
    ...(options.loopbackOf && { loopbackOf: options.loopbackOf }),
  });
  const close = async () => {
    await calls.stop();
    await accounts.close();
  };
  onTestFinished(close);
  const call = (tool = 'say', signal?: AbortSignal) =>
    calls.call(app, { tool, arguments: {}, project: 'p', chat: 'c', ...(signal && { signal }) });
  const { vault } = vaultOf(folder);
  return {
    ...{ accounts, call, cards, told, opened, folder, events, close, vault },
    pass: system.pass,
    /** Advances the clock until the access token has expired. */
    expire: () => system.pass(HOUR),
    setAnswer: (next: UserAnswer) => {
      answer = next;
    },
    kinds: () => cards.map(({ kind }) => kind),
  };
}

/** The vault of a folder, as another process sees it. */
export function vaultOf(folder: string) {
  const vault = openVault({
    folder,
    keys: [{ kind: 'key-file', file: path.join(folder, 'key') }],
    system: fakeSystem(),
  });
  const entries = async (kind: EntryKind) =>
    Promise.all((await vault.names(kind)).map(async (name) => [name, await vault.read(name)] as const));
  return { vault, entries };
}
