import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { sampleFiles, sampleManifest } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import type { Answer, Card } from '../src/cards/card.ts';
import { serveSites } from './support/internet.ts';
import { json, serveMcp, text } from './support/mcp-server.ts';
import { oidcServer } from './support/oidc-server.ts';
import { refused } from './support/refused.ts';
import { relayServer } from './support/relay-server.ts';
import { openClient } from './support/runtime-world.ts';
import { APP, startSigningStore } from './support/signing-store.ts';
import { tempFolder } from './support/temp-folder.ts';

const SHOWN = { theme: 'dark', locale: 'en' } as const;

/** A client with an app from a store: it has a panel, and may save into projects. */
async function withApp(ask?: (card: Card) => Promise<Answer>) {
  const store = await startSigningStore();
  store.publish(
    {
      contributes: { panels: [{ id: 'main', title: 'Notes', component: 'webview' }] },
      grants: ['project:write'],
    },
    { 'ui/index.html': '<!doctype html><title>Notes</title>' },
  );
  const client = await openClient({ store: store.url, ...(ask && { ask }) });
  const { installer } = client.runtime;
  const sheet = await installer.prepareInstall(APP);
  await installer.install(sheet, { accepted: true, binding: sheet.binding });
  return { ...client, store };
}

describe('a runtime', () => {
  it('closes once, and every call of close waits for it', async () => {
    const { runtime, folder } = await openClient();
    const first = runtime.close();
    expect(runtime.close()).toBe(first);
    await first;
    await runtime.close();
    // SQLite removes this file when the last connection is closed.
    expect(readdirSync(folder).filter((name) => name.endsWith('-wal'))).toEqual([]);
  });

  it('leaves nothing open when a part of it cannot be opened', async () => {
    const folder = await tempFolder();
    await writeFile(path.join(folder, 'activity.sqlite'), 'no database at all, but long enough to be one');
    await expect(openClient({ folder })).rejects.toThrow('not a database');
    expect(readdirSync(folder).filter((name) => name.endsWith('-wal'))).toEqual([]);
    await rm(path.join(folder, 'activity.sqlite'));
    const { runtime } = await openClient({ folder });
    expect(runtime.library.list()).toEqual([]);
  });

  it('shares its folder with other runtimes: an app that one switches off or removes is off or removed in all', async () => {
    const { runtime, folder, store } = await withApp();
    const other = await openClient({ folder, store: store.url });
    const panel = await other.runtime.openPanel(APP, 'main', { ...SHOWN, project: 'p' });
    const answers: { error?: { data?: { code: string } } }[] = [];
    panel.listen({ message: (message) => answers.push(JSON.parse(message)), closed: () => {} });
    runtime.library.switch(APP, false, 'p');
    await expect(other.runtime.openPanel(APP, 'main', { ...SHOWN, project: 'p' })).rejects.toEqual(
      refused('switched-off'),
    );
    const params = { account: 'notes' };
    panel.receive(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'accounts/token', params }));
    await expect.poll(() => answers[0]?.error?.data?.code).toBe('switched-off');
    await other.runtime.openPanel(APP, 'main', { ...SHOWN, project: 'another' });
    await runtime.remove(APP);
    await expect(other.runtime.tools(APP, { project: 'another' })).rejects.toEqual(refused('not-installed'));
  });

  it('saves nothing for an app that was switched off while the card was shown', async () => {
    const answer = Promise.withResolvers<Answer>();
    const shown = Promise.withResolvers<Card>();
    const { runtime } = await withApp((card) => {
      shown.resolve(card);
      return answer.promise;
    });
    const folder = await tempFolder();
    const request = { project: 'p', folder, path: 'note.txt', bytes: Buffer.from('A note.') };
    const saving = runtime.save(APP, request, new AbortController().signal).catch((error: unknown) => error);
    const card = await shown.promise;
    runtime.library.switch(APP, false);
    answer.resolve({ accepted: true, ...('binding' in card && { binding: card.binding }) });
    expect(await saving).toEqual(refused('switched-off'));
    expect(existsSync(path.join(folder, 'note.txt'))).toBe(false);

    runtime.library.switch(APP, true);
    await runtime.save(APP, request, new AbortController().signal);
    expect(existsSync(path.join(folder, 'note.txt'))).toBe(true);
  });

  it('adds a connector and calls its tools, and a connector that is off stays off when it is added again', async () => {
    const site = await serveSites(['mcp.example.com']);
    const serve = site.at('mcp.example.com');
    const mcp = await serveMcp(() => text('Found.'), { serve, tools: [{ name: 'search' }] });
    const { runtime, cards } = await openClient({ connecting: site.connecting });
    const { appId } = await runtime.addConnector(mcp.url);
    expect(await runtime.tools(appId, { project: 'p' })).toMatchObject([{ id: 'search', account: null }]);
    const request = { tool: 'search', arguments: {}, project: 'p', chat: 'c' };
    expect(await runtime.call(appId, request)).toMatchObject({ parts: [{ text: 'Found.' }] });
    expect(cards).toEqual([]);
    runtime.library.switch(appId, false);
    for (const url of [mcp.url, 'HTTPS://MCP.example.com:443/mcp/']) {
      expect(await runtime.addConnector(url)).toMatchObject({ appId, on: false });
    }
    expect(runtime.library.list()).toHaveLength(1);
    await expect(runtime.call(appId, request)).rejects.toEqual(refused('switched-off'));
  });

  it('gives a connector an account when its server requires a sign-in for one of its tools alone', async () => {
    const [site, relay] = await Promise.all([
      serveSites(['mcp.example.com', 'login.example.com']),
      relayServer(),
    ]);
    const oidc = await oidcServer(site.at('login.example.com'));
    const mcp = await serveMcp(() => text('Found.'), {
      // The challenge alone says where the metadata is.
      serve: (listener) =>
        site.at('mcp.example.com')((own) => {
          const open = listener(own);
          const body = {
            resource: `${own}/mcp`,
            authorization_servers: [oidc.issuer],
            scopes_supported: ['notes:read'],
          };
          return (request, response) =>
            request.url === '/metadata' ? json(response, body) : open(request, response);
        }),
      before({ request, response, message, url }) {
        const isOpen = message.params?.name !== 'mine' || request.headers.authorization !== undefined;
        const challenge = `Bearer resource_metadata="${url}/metadata"`;
        if (!isOpen) response.writeHead(401, { 'www-authenticate': challenge }).end();
        return !isOpen;
      },
      tools: [{ name: 'search' }, { name: 'mine' }],
    });
    let accepted = false;
    const cards: string[] = [];
    const { runtime } = await openClient({
      ...{ store: relay.url, connecting: site.connecting },
      ask: async (card) => {
        cards.push(card.kind === 'connect' ? `connect at ${card.host}` : card.kind);
        return { accepted, ...('binding' in card && { binding: card.binding }) };
      },
    });
    const { appId } = await runtime.addConnector(mcp.url);
    const call = (tool: string) => runtime.call(appId, { tool, arguments: {}, project: 'p', chat: 'c' });
    const accounts = async () => (await runtime.accounts.list(appId)).map(({ connected }) => connected);
    await call('search');
    await expect(call('mine')).rejects.toEqual(refused('declined'));
    accepted = true;
    oidc.setDown(true);
    await expect(call('mine')).rejects.toEqual(refused('connect-failed'));
    oidc.setDown(false);
    expect(await accounts()).toEqual([]);
    await call('search');
    cards.length = 0;
    expect(await call('mine')).toMatchObject({ parts: [{ text: 'Found.' }] });
    expect(await accounts()).toEqual([true]);
    await Promise.all(['search', 'mine'].map(call));
    expect(cards).toEqual(['connect at login.example.com']);
    expect(mcp.headersOf('tools/call').at(-1)).toHaveProperty('authorization');
  });

  const PROGRAM = `
    import { randomBytes } from 'node:crypto';
    import { setTimeout } from 'node:timers/promises';
    const { openRuntime } = await import(${JSON.stringify(new URL('../src/open-runtime.ts', import.meta.url).href)});
    const [folder, app] = process.argv.slice(1);
    const runtime = await openRuntime({
      folder,
      system: { now: Date.now, randomBytes, sleep: (ms, signal) => setTimeout(ms, undefined, { signal }) },
      store: 'http://127.0.0.1:1',
      client: { platform: 'linux', arch: 'x64', builtInApps: [], name: 'c', version: '1', origin: 'http://127.0.0.1:1' },
      keys: [{ kind: 'key-file', file: folder + '/key' }],
      identity: { name: 'c' },
      ask: async () => ({ accepted: false }),
      openBrowser: async () => {},
      onFault: (error) => { throw error; },
    });
    runtime.revocations.start();
    const { state } = await runtime.openFolder(app);
    const request = { arguments: {}, project: 'p', chat: 'c' };
    const { parts } = await runtime.call(state.appId, { ...request, tool: 'plain' });
    process.stdout.write(parts[0].text);
    const waiting = runtime.call(state.appId, { ...request, tool: 'wait' }).catch(({ code }) => code);
    await runtime.openPanel(state.appId, 'main', { theme: 'dark', locale: 'en', project: 'p' });
    await runtime.close();
    process.stdout.write(await waiting);`;

  it('keeps no resource open after it is closed: its process exits by itself', async () => {
    const mcp = await serveMcp(({ message }) =>
      message.params.name === 'plain' ? text('Done, ') : undefined,
    );
    const app = path.join(await tempFolder(), 'app');
    const tools = ['plain', 'wait'].map((id) => ({ id, name: id, description: `Does ${id}.` }));
    const manifest = sampleManifest({
      contributes: { tools, panels: [{ id: 'main', title: 'Notes', component: 'webview' }] },
      remote: { mcpUrl: mcp.url, domains: [] },
    });
    for (const [name, bytes] of sampleFiles(manifest, { 'ui/index.html': '<!doctype html>' })) {
      await mkdir(path.dirname(path.join(app, name)), { recursive: true });
      await writeFile(path.join(app, name), bytes);
    }
    const argv = ['--input-type=module', '-e', PROGRAM, await tempFolder(), app];
    const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'], timeout: 100_000 });
    const [said, [code]] = await Promise.all([textOf(child.stdout), once(child, 'exit')]);
    expect({ said, code }).toEqual({ said: 'Done, switched-off', code: 0 });
  }, 120_000);
});
