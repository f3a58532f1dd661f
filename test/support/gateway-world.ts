import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, type ClientCapabilities, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Manifest } from '@svc/contracts';
import type { Runtime } from '@svc/runtime';
import { onTestFinished } from 'vitest';
import { createCardDesk } from '../../apps/desktop/src/cards/card-desk.ts';
import type { Desktop } from '../../apps/desktop/src/desktop.ts';
import { type GatewayOptions, openGateway } from '../../apps/desktop/src/gateway/gateway.ts';
import { serveSites } from '../../packages/runtime/test/support/internet.ts';
import { behindSignIn } from '../../packages/runtime/test/support/mcp-guard.ts';
import { type Play, type ServerOptions, serveMcp } from '../../packages/runtime/test/support/mcp-server.ts';
import { oidcServer } from '../../packages/runtime/test/support/oidc-server.ts';
import { realAmbient } from '../../packages/runtime/test/support/real-ambient.ts';
import { relayServer } from '../../packages/runtime/test/support/relay-server.ts';
import { openClient } from '../../packages/runtime/test/support/runtime-world.ts';
import { startSigningStore } from '../../packages/runtime/test/support/signing-store.ts';
import { tempFolder } from '../../packages/runtime/test/support/temp-folder.ts';

export const BEARER = 'bearer-of-a-test-0123456789abcdef';

/** A store whose relay is there too, so that accounts of its apps can be connected. */
async function storeWithRelay() {
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

/** Settings that are kept nowhere. */
function testSettings(folder: string): Desktop['settings'] {
  const allowed: string[] = [];
  const nothing = async () => undefined;
  return {
    projects: () => [
      { id: 'p-1', name: 'First', folder },
      { id: 'p-2', name: 'Second', folder: null },
    ],
    addProject: () => Promise.reject(new Error('No projects are added here.')),
    removeProject: nothing,
    allowedFolders: () => allowed,
    allowFolder: async (one) => void allowed.push(one),
    disallowFolder: nothing,
    appValues: () => ({}),
    saveAppValues: nothing,
  };
}

/** Where agents find a gateway: a server on a port of its own. */
export async function serveGateway(desktop: Desktop, options: Partial<GatewayOptions> = {}) {
  const server = createServer((request, response) => void gateway.handle(request, response));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  const gateway = openGateway({
    desktop,
    ambient: realAmbient,
    bearer: BEARER,
    origin: () => origin,
    onFault: (error) => {
      throw error;
    },
    ...options,
  });
  onTestFinished(async () => {
    await gateway.close();
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  return { gateway, url: `${origin}/mcp` };
}

export type World = {
  play?: Play;
  server?: ServerOptions & { signIn?: boolean };
  apps?: readonly Partial<Manifest>[];
  gateway?: Partial<GatewayOptions>;
};

/** Installs an app from the store of the world. */
async function install(runtime: Runtime, appId: string): Promise<void> {
  const sheet = await runtime.installer.prepareInstall(appId);
  await runtime.installer.install(sheet, { accepted: true, binding: sheet.binding });
}

/** A desktop with apps of a store, its gateway, and how agents come to it. */
export async function openWorld({
  play = () => ({ content: [] }),
  server = {},
  apps = [{}],
  gateway,
}: World) {
  const [store, servers, folder] = await Promise.all([
    storeWithRelay(),
    startServers(play, server),
    tempFolder(),
  ]);
  let cards = 0;
  const desk = createCardDesk({
    now: () => new Date(),
    newId: () => {
      cards += 1;
      return `card-${cards}`;
    },
  });
  const { runtime } = await openClient({ store: store.url, connecting: servers.connecting, ask: desk.ask });
  for (const app of apps) {
    const { manifest } = store.publish(app);
    await install(runtime, manifest.id);
  }
  const desktop: Desktop = { runtime, desk, settings: testSettings(folder) };
  const served = await serveGateway(desktop, gateway);
  return { ...served, ...servers, store, desktop, runtime, desk, folder };
}

/** An agent: the official client, as some agent that is known. */
export async function connectAgent(
  url: string,
  {
    name = 'claude-code',
    capabilities = {},
    query = '',
    prepare,
  }: {
    name?: string;
    capabilities?: ClientCapabilities;
    query?: string;
    prepare?(client: Client): void;
  } = {},
): Promise<Client> {
  const client = new Client({ name, version: '1.0.0' }, { capabilities });
  prepare?.(client);
  const requestInit = { headers: { authorization: `Bearer ${BEARER}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url + query), { requestInit }));
  onTestFinished(() => client.close());
  return client;
}

/** The texts of an answer, one below the other. */
export const textOf = (result: { content?: unknown }): string =>
  (result.content as { type: string; text?: string }[]).flatMap(({ text }) => text ?? []).join('\n');
