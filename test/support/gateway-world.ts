import path from 'node:path';
import { Client, type ClientCapabilities, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Manifest } from '@svc/contracts';
import type { Runtime } from '@svc/runtime';
import { onTestFinished } from 'vitest';
import { agentBearer } from '../../apps/desktop/src/gateway/agent-bearer.ts';
import { type DesktopOptions, openDesktop } from '../../apps/desktop/src/open-desktop.ts';
import { openPage } from '../../apps/desktop/test/support/test-desktop.ts';
import { serveSites } from '../../packages/runtime/test/support/internet.ts';
import { behindSignIn } from '../../packages/runtime/test/support/mcp-guard.ts';
import { type Play, type ServerOptions, serveMcp } from '../../packages/runtime/test/support/mcp-server.ts';
import { oidcServer } from '../../packages/runtime/test/support/oidc-server.ts';
import { realSystem } from '../../packages/runtime/test/support/real-system.ts';
import { relayServer } from '../../packages/runtime/test/support/relay-server.ts';
import { startSigningStore } from '../../packages/runtime/test/support/signing-store.ts';
import { tempFolder } from '../../packages/runtime/test/support/temp-folder.ts';
import { browserOn } from './persons-browser.ts';

/** The app that is installed by default, and its tools as agents see them. */
export const APP = 'com.example.notes';
export const ADD = 'com_example_notes__add_note';
export const CLEAR = 'com_example_notes__clear';

const SCHEMA = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] };
/** The tools that its server lists. */
export const TOOLS = [
  { name: 'add_note', inputSchema: SCHEMA, annotations: { readOnlyHint: false } },
  { name: 'clear' },
];

/** Another app. */
export const OTHER: Partial<Manifest> = {
  id: 'com.example.paint',
  name: 'Paint',
  contributes: { tools: [{ id: 'draw', name: 'Draw', description: 'Draws a picture of a thing.' }] },
};

/** A store with an OAuth relay, so that accounts of its apps can be connected. */
export async function storeWithRelay() {
  const [store, relay] = await Promise.all([startSigningStore(), relayServer()]);
  for (const path of ['/apps/oauth/callback', '/api/apps/oauth/result']) {
    store.lie(path, async (response, request) => {
      const answer = await fetch(relay.url + request.url);
      response.writeHead(answer.status, {
        'content-type': answer.headers.get('content-type') ?? 'text/plain',
      });
      response.end(await answer.text());
    });
  }
  return store;
}

/** An MCP server at `mcp.example.com`; with `signIn`, behind an authorization server. */
async function startServers(
  play: Play,
  { signIn = false, ...options }: ServerOptions & { signIn?: boolean },
) {
  const site = await serveSites(['mcp.example.com', 'login.example.com']);
  const at = site.at('mcp.example.com');
  if (!signIn)
    return { connecting: site.connecting, mcp: await serveMcp(play, { ...options, serve: at }), oidc: null };
  const oidc = await oidcServer(site.at('login.example.com'));
  const mcp = await serveMcp(play, {
    ...options,
    serve: (listener) =>
      at(behindSignIn(oidc.issuer, async (token) => Boolean(await oidc.find(token)), listener)),
  });
  return { connecting: site.connecting, mcp, oidc };
}

export type World = {
  play?: Play;
  server?: ServerOptions & { signIn?: boolean };
  apps?: readonly Partial<Manifest>[];
  /** Files of the bundles. */
  files?: Record<string, string>;
  gateway?: DesktopOptions['gateway'];
  /** The first sign-in pages of this number fail to open. */
  lostPages?: number;
  /** Shortens the heartbeats of waiting calls. */
  shortWaits?: boolean;
} & Pick<DesktopOptions, 'localConnectors'>;

/** Installs an app from the store of the world. */
async function install(runtime: Pick<Runtime, 'installer'>, appId: string): Promise<void> {
  const sheet = await runtime.installer.prepareInstall(appId);
  await runtime.installer.install(sheet, { accepted: true, binding: sheet.binding });
}

/** Waits between two notifications of a call that waits for the user, and the last one, in milliseconds. */
const HEARTBEATS = [10_000, 5_000];

/** Shortens delays of one second, as the server responds immediately; also those of waiting calls if asked to. */
const systemWith = (shortWaits: boolean) => ({
  ...realSystem,
  sleep: (ms: number, signal?: AbortSignal) =>
    realSystem.sleep(ms === 1000 || (shortWaits && HEARTBEATS.includes(ms)) ? 5 : ms, signal),
});

/** A desktop with apps of a store, its gateway, and the credentials of an agent. */
export async function openWorld({
  play = () => ({ content: [] }),
  server = {},
  apps = [{}],
  files = {},
  gateway,
  lostPages = 0,
  localConnectors = false,
  shortWaits = false,
}: World) {
  const [store, servers, folder, own] = await Promise.all([
    storeWithRelay(),
    startServers(play, server),
    tempFolder(),
    tempFolder(),
  ]);
  const browser = browserOn(servers.connecting);
  let opens = 0;
  const opened = await openDesktop({
    folder: own,
    system: systemWith(shortWaits),
    store: store.url,
    fetchStore: fetch,
    port: 0,
    pageFolder: path.join(own, 'no-page'),
    client: { name: 'A desktop', version: '1.0.0', platform: 'linux', arch: 'x64' },
    keys: [{ kind: 'key-file', file: path.join(own, 'key') }],
    openPage: async (address) => {
      opens += 1;
      return opens <= lostPages || browser(address);
    },
    connecting: servers.connecting,
    onFault: (error) => {
      throw error;
    },
    // Built-in apps would appear in every list.
    builtIn: [],
    localConnectors,
    ...(gateway && { gateway }),
  });
  onTestFinished(() => opened.close());
  const { desktop } = opened;
  for (const app of apps) await install(desktop.runtime, store.publish(app, files).manifest.id);
  await desktop.settings.addProject('First', folder);
  const bearer = await agentBearer(own);
  const { runtime, prompts, origin } = desktop;
  return {
    ...servers,
    store,
    /** The number of pages that were opened for the user. */
    opens: () => opens,
    opened,
    desktop,
    runtime,
    prompts,
    folder,
    own,
    origin,
    port: Number(new URL(origin).port),
    agent: { origin, bearer },
  };
}

/**
 * Answers the approval cards that the page gets.
 * @returns the cautions of the files of each card, `first` for a file without one
 */
export function answerApprovals(
  { listen, answer }: Awaited<ReturnType<typeof openWorld>>['prompts'],
  accepted: () => boolean = () => true,
): string[][] {
  const asked: string[][] = [];
  listen({
    shown({ id, card }) {
      if (card.kind !== 'approval') return;
      asked.push(card.files.map(({ caution }) => caution ?? 'first'));
      queueMicrotask(() =>
        answer(id, accepted() ? { accepted: true, binding: card.binding } : { accepted: false }),
      );
    },
    gone: () => undefined,
  });
  return asked;
}

export type AgentOptions = {
  name?: string;
  capabilities?: ClientCapabilities;
  query?: Record<string, string>;
  /** The only revision of MCP that it speaks. Default: 2025-11-25. */
  revision?: '2026-07-28';
  prepare?(client: Client): void;
};

/** Connects an agent: the official MCP client under the name of a known agent, in the project `First`. */
export async function connectAgent(
  { origin, bearer }: { origin: string; bearer: string },
  { name = 'claude-code', capabilities = {}, query = {}, revision, prepare }: AgentOptions = {},
): Promise<Client> {
  const versionNegotiation = { mode: revision === undefined ? ('legacy' as const) : { pin: revision } };
  const client = new Client({ name, version: '1.0.0' }, { capabilities, versionNegotiation });
  prepare?.(client);
  const requestInit = { headers: { authorization: `Bearer ${bearer}` } };
  const url = new URL(`${origin}/mcp?${new URLSearchParams({ project: 'First', ...query })}`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  onTestFinished(() => client.close());
  return client;
}

/** The texts of a result, separated by newlines. */
export const textOf = (result: { content?: unknown }): string =>
  (result.content as { type: string; text?: string }[]).flatMap(({ text }) => text ?? []).join('\n');

/** A page of the desktop whose user accepts every card. */
export async function pageOf({ opened, prompts, origin }: Awaited<ReturnType<typeof openWorld>>) {
  const kinds: string[] = [];
  prompts.listen({
    shown: ({ id, card }) => {
      kinds.push(card.kind);
      queueMicrotask(() =>
        prompts.answer(id, { accepted: true, ...('binding' in card && { binding: card.binding }) }),
      );
    },
    gone: () => undefined,
  });
  return { kinds, page: await openPage({ opened, port: Number(new URL(origin).port) }) };
}
