import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Account, Manifest } from '@svc/contracts';
import { eventually } from '@svc/testkit/eventually';
import { expect } from 'vitest';
import { serveSites } from './internet.ts';
import { startKilledClient, type Work } from './killed-client.ts';
import { relayServer } from './relay-server.ts';
import { openClient } from './runtime-world.ts';
import { APP, startSigningStore } from './signing-store.ts';
import { wildMcp, wildOAuth } from './wild-servers.ts';
import { vaultOf } from './wild-world.ts';

type Client = Awaited<ReturnType<typeof openClient>>;

const accountOf = (id: string): Account => ({
  id,
  label: id,
  scopes: [],
  clientId: 'public-client',
  authorizeUrl: 'https://login.example.com/authorize',
  tokenUrl: 'https://login.example.com/token',
  revokeUrl: 'https://login.example.com/revoke',
});

/** A version of the app, whose tool needs this account. */
const versionOf = (version: string, account: string): Partial<Manifest> => ({
  version,
  accounts: [accountOf(account)],
  contributes: { tools: [{ id: 'say', name: 'Say', description: 'Says it.', account }] },
  remote: { mcpUrl: 'https://mcp.example.com/mcp', domains: ['login.example.com'] },
});

/** The bundles in a folder whose hash differs from their name. */
async function brokenBundles(folder: string): Promise<string[]> {
  const names = await readdir(path.join(folder, 'bundles')).catch(() => []);
  const hashed = names
    .filter((name) => name.endsWith('.svc-app'))
    .map(async (name) => {
      const bytes = await readFile(path.join(folder, 'bundles', name));
      return name === `${createHash('sha256').update(bytes).digest('hex')}.svc-app` ? [] : [name];
    });
  return (await Promise.all(hashed)).flat();
}

/** The version of the app in a client, whose files are complete; null when the app is not installed. */
export async function wholeVersion({ runtime }: Client): Promise<string | null> {
  const app = runtime.library.get(APP);
  if (!app) return null;
  const manifest = (await runtime.library.files(APP)).get('plugin.json');
  expect(JSON.parse(new TextDecoder().decode(manifest))).toMatchObject({ id: APP, version: app.version });
  expect(app.manifest.version).toBe(app.version);
  return app.version;
}

/**
 * A store with two versions of an app, the servers of the app, and clients in folders of their own. Version 2.0.0 has another
 * account than version 1.0.0.
 */
export async function killedWorld() {
  const [store, relay, site] = await Promise.all([
    startSigningStore(),
    relayServer(),
    serveSites(['mcp.example.com', 'login.example.com']),
  ]);
  for (const at of ['/apps/oauth/callback', '/api/apps/oauth/result']) {
    store.lie(at, async (response, request) => {
      const answer = await fetch(relay.url + request.url);
      const type = answer.headers.get('content-type') ?? 'text/plain';
      response.writeHead(answer.status, { 'content-type': type }).end(await answer.text());
    });
  }
  const oauth = await wildOAuth(site.at('login.example.com'));
  await wildMcp(oauth, { stream: true, sessions: true }, site.at('mcp.example.com'));
  store.publish(versionOf('1.0.0', 'main'));
  store.publish(versionOf('2.0.0', 'other'));

  const open = (folder?: string) =>
    openClient({ store: store.url, connecting: site.connecting, ...(folder !== undefined && { folder }) });
  const call = ({ runtime }: Client) =>
    runtime.call(APP, { tool: 'say', arguments: {}, project: 'p', chat: 'c' });

  async function install({ runtime }: Client, version?: string): Promise<void> {
    const sheet = await runtime.installer.prepareInstall(APP, version);
    await runtime.installer.install(sheet, { accepted: true, binding: sheet.binding });
  }

  /** A client with the first version and a connected account. */
  async function connected(): Promise<Client> {
    const client = await open();
    await install(client, '1.0.0');
    await call(client);
    return client;
  }

  /** Runs an operation in another process in the folder of a client. @returns its number of steps; null when it was killed */
  const another = ({ folder }: Client, work: Work, killAt?: number): Promise<number | null> =>
    startKilledClient({
      ...{ folder, store: store.url, site, appId: APP, work },
      ...(killAt !== undefined && { killAt }),
    }).ended();

  /** Only connected accounts have tokens, in the vault and at the server, once pending revocations are done. */
  async function expectNoStrays({ runtime, folder }: Client): Promise<void> {
    const app = runtime.library.get(APP);
    const listed = app ? await runtime.accounts.list(app) : [];
    // Without the app no account is used, so pending revocations are started here.
    if (!app) await runtime.accounts.settle();
    const connectedOnes = listed.filter(({ connected: isOne }) => isOne).map(({ id }) => id);
    const { entries } = vaultOf(folder);
    await eventually(async () => {
      const kept = (await entries('account')).map(([[, , accountId]]) => accountId);
      expect([kept, await entries('revocation')]).toEqual([connectedOnes, []]);
      expect(oauth.refresh.size).toBe(connectedOnes.length);
    });
  }

  /** Checks the folder after another process was killed: a new client opens it, and finds complete apps and bundles. */
  async function reopened(client: Client): Promise<{ version: string | null }> {
    const fresh = await open(client.folder);
    const version = await wholeVersion(fresh);
    expect(await wholeVersion(client)).toBe(version);
    expect(await brokenBundles(client.folder)).toEqual([]);
    await expectNoStrays(fresh);
    await fresh.runtime.close();
    return { version };
  }

  /** Closes a client, and deletes its tokens at the server. */
  async function end(client: Client): Promise<void> {
    await client.runtime.close();
    oauth.refresh.clear();
    oauth.access.clear();
  }

  return { open, install, call, connected, another, reopened, expectNoStrays, end };
}
