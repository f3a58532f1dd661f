import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Manifest } from '@svc/contracts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { OAuthError } from '../../src/accounts/oauth-error.ts';
import { addressOf } from '../../src/accounts/requests.ts';
import { connectorApp } from '../../src/connectors/connector-app.ts';
import { forSignIn } from '../../src/library/loopback.ts';
import type { RuntimeOptions } from '../../src/open-runtime.ts';
import { guardedMcp } from '../support/mcp-guard.ts';
import { serveMcp, text } from '../support/mcp-server.ts';
import { refused } from '../support/refused.ts';
import { relayServer } from '../support/relay-server.ts';
import { openClient } from '../support/runtime-world.ts';
import { APP, startSigningStore } from '../support/signing-store.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { wildOAuth } from '../support/wild-servers.ts';

const TOOL = { id: 'search', name: 'Search', description: 'Searches notes.' };
const CALL = { tool: TOOL.id, arguments: {}, project: 'p', chat: 'c' };
const SHOWN = { theme: 'dark', locale: 'en', project: 'p' } as const;

const appAt = (mcpUrl: string, changes: Partial<Manifest> = {}): Partial<Manifest> => ({
  remote: { mcpUrl, domains: [] },
  contributes: { tools: [TOOL], panels: [{ id: 'main', title: 'Notes', component: 'webview' }] },
  ...changes,
});

type Client = Awaited<ReturnType<typeof openClient>>;

async function install({ runtime: { installer } }: Client): Promise<void> {
  const sheet = await installer.prepareInstall(APP);
  await installer.install(sheet, { accepted: true, binding: sheet.binding });
}

/** A store on this machine that signs any manifest, and a client of the store. */
async function localStore(changes: Partial<Manifest>, options: Partial<RuntimeOptions> = {}) {
  const store = await startSigningStore();
  store.publish(changes, { 'ui/index.html': '<!doctype html><title>Notes</title>' });
  const client = await openClient({ store: store.url, localApps: true, ...options });
  return { ...client, store };
}

/** A server that counts its requests, and answers each with an empty object. */
async function bystander() {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked: () => asked };
}

describe('an app on this machine', () => {
  it('is installed from a store on this machine, and called', async () => {
    const { url } = await serveMcp(() => text('found'), { tools: [{ name: TOOL.id }] });
    const client = await localStore(appAt(url));
    await install(client);
    expect((await client.runtime.call(APP, CALL)).parts).toMatchObject([{ type: 'text', text: 'found' }]);
  });

  it('is refused without localApps, although its store signed it', async () => {
    const { url, asked } = await serveMcp(() => text('found'));
    const client = await localStore(appAt(url), { localApps: false });
    await expect(install(client)).rejects.toMatchObject({
      code: 'invalid-app',
      detail: { issues: expect.arrayContaining([expect.objectContaining({ code: 'remote.url' })]) },
    });
    expect(asked).toEqual([]);
  });

  it('is refused over https too', async () => {
    const client = await localStore(appAt('https://localhost:1/mcp'), { localApps: false });
    await expect(install(client)).rejects.toMatchObject({
      code: 'invalid-app',
      detail: { issues: expect.arrayContaining([expect.objectContaining({ code: 'remote.url' })]) },
    });
  });

  it('is no longer called when the client is opened without localApps, or with another store', async () => {
    const { url, asked } = await serveMcp(() => text('found'), { tools: [{ name: TOOL.id }] });
    const folder = await tempFolder();
    const client = await localStore(appAt(url), { folder });
    await install(client);
    await client.runtime.close();
    const before = asked.length;
    const other = await startSigningStore();
    for (const options of [{ store: client.store.url }, { store: other.url, localApps: true }]) {
      const { runtime } = await openClient({ folder, ...options });
      await expect(runtime.call(APP, CALL)).rejects.toEqual(refused('address-refused'));
      await runtime.close();
    }
    expect(asked.length).toBe(before);
  });
});

describe('the ports of this machine', () => {
  it.each(['https://store.example.com', 'https://192.168.1.7', 'https://localhost.example.com'])(
    'are not available to apps of %s: the runtime refuses to open',
    async (store) => {
      await expect(openClient({ store, localApps: true })).rejects.toThrow('leave out localApps');
    },
  );

  it('other than the declared one are not called after a redirect', async () => {
    const other = await bystander();
    const { url, asked } = await serveMcp(() => text('found'), {
      tools: [{ name: TOOL.id }],
      before({ response }) {
        response.writeHead(307, { location: `${other.url}/mcp` }).end();
        return true;
      },
    });
    const client = await localStore(appAt(url));
    await install(client);
    await expect(client.runtime.call(APP, CALL)).rejects.toEqual(refused('address-refused'));
    expect(asked).toHaveLength(1);
    expect(other.asked()).toBe(0);
  });

  it('are not called by a sign-in that the app did not declare', async () => {
    const other = await bystander();
    const metadata = { authorization_servers: [other.url] };
    const server = await serveMcp(() => text('found'), {
      before({ response, request }) {
        if (request.url?.includes('.well-known')) {
          response.writeHead(200, { 'content-type': 'application/json' });
          response.end(JSON.stringify({ resource: server.url, ...metadata }));
        } else {
          response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
        }
        return true;
      },
    });
    const accounts = [{ id: 'notes', label: 'Notes', auth: 'mcp' as const, scopes: [] }];
    const client = await localStore(appAt(server.url, { accounts }));
    await install(client);
    const app = client.runtime.library.requireUsable(APP, 'p');
    await expect(client.runtime.accounts.connect(app, 'notes')).rejects.toEqual(refused('connect-failed'));
    expect(server.asked.length).toBeGreaterThan(0);
    expect(other.asked()).toBe(0);
  });

  it('of the client, its panels and the store are not available to apps, under any host name', async () => {
    const [page, other] = [await bystander(), await bystander()];
    const files = { 'ui/index.html': '<!doctype html><title>Notes</title>' };
    const about = {
      platform: 'linux',
      arch: 'x64',
      builtInApps: [],
      name: 'A chat client',
      version: '1.0.0',
    };
    const client = await localStore(appAt(`${other.url}/mcp`), { client: { ...about, origin: page.url } });
    await install(client);
    // The port of another server is called, although no MCP server answers there.
    await expect(client.runtime.call(APP, CALL)).rejects.not.toEqual(refused('address-refused'));
    expect(other.asked()).toBeGreaterThan(0);
    const { frame } = await client.runtime.openPanel(APP, 'main', SHOWN);
    let minor = 1;
    for (const own of [page.url, client.store.url, frame.origin]) {
      for (const host of ['localhost', '127.0.0.1']) {
        const mcpUrl = `http://${host}:${new URL(own).port}/mcp`;
        client.store.publish(appAt(mcpUrl, { version: `1.${minor}.0` }), files);
        minor += 1;
        await install(client);
        await expect(client.runtime.call(APP, CALL)).rejects.toEqual(refused('address-refused'));
      }
    }
    expect(page.asked()).toBe(0);
  });
});

describe('a connector on this machine', () => {
  it('signs in at another port of this machine, which its card shows', async () => {
    const oauth = await wildOAuth();
    const relay = await relayServer();
    const { runtime } = await openClient({ localConnectors: true, store: relay.url });
    const app = await runtime.addLocalConnector({ url: await guardedMcp(oauth.url) });
    const { host } = new URL(oauth.url);
    expect(await runtime.accounts.signInDetails(app, 'server')).toMatchObject({ host });
    await runtime.accounts.connect(app, 'server');
    expect(await runtime.accounts.token(app, 'server', { host, tool: 'x' })).toEqual(expect.any(String));
  });

  it('may have any name of this machine', async () => {
    const { url } = await serveMcp(() => text('found'), { tools: [{ name: 'search' }] });
    const { runtime } = await openClient({ localConnectors: true });
    for (const name of ['app.localhost', '127.0.0.1']) {
      const { appId } = await runtime.addLocalConnector({ url: url.replace('localhost', name) });
      const found = await runtime.call(appId, { tool: 'search', arguments: {}, project: 'p', chat: 'c' });
      expect(found.parts).toMatchObject([{ text: 'found' }]);
    }
  });
});

it('the sign-ins of an app on this machine reach all of it, but for the ports of the client', () => {
  const app = (mcpUrl: string) => connectorApp(mcpUrl, true);
  const own = () => ['http://localhost:8787', 'https://client.invalid'];
  const reachOf = forSignIn(({ manifest }) => [new URL(manifest.remote.mcpUrl).origin], own);
  const reach = reachOf(app('http://127.0.0.1:3000/mcp'));
  for (const url of ['http://localhost:4000/', 'https://app.localhost/', 'http://[::1]:3000/'])
    expect(addressOf(url, reach).href).toBe(url);
  for (const url of ['http://localhost:8787/', 'http://127.0.0.1:8787/', 'http://0.0.0.0:4000/'])
    expect(() => addressOf(url, reach)).toThrow(OAuthError);
  // The server of another app, on the Internet, leads nowhere on this machine.
  expect(() => addressOf('http://localhost:4000/', reachOf(app('https://mcp.example.com/')))).toThrow();
});
