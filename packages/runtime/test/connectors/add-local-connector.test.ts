import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { DEEP, needs } from '@svc/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Answer, Card, LocalConnectorCard } from '../../src/cards/card.ts';
import type { Runtime } from '../../src/runtime.ts';
import { isAlive, pidsIn, testCommand } from '../support/local-connectors.ts';
import { serveMcp, text } from '../support/mcp-server.ts';
import { refused } from '../support/refused.ts';
import { openClient } from '../support/runtime-world.ts';
import { APP, startSigningStore } from '../support/signing-store.ts';
import { tempFolder } from '../support/temp-folder.ts';

const PROJECT = { project: 'p' };
const WHERE = { project: 'p', chat: 'c' };

/** A client that offers local connectors, and a command for it. */
async function openLocal(
  more: { wild?: string; folder?: string; ask?: (card: Card) => Promise<Answer> } = {},
) {
  const { command, record } = await testCommand(more.wild);
  const { program, args, folder } = command;
  const client = await openClient({
    localConnectors: true,
    onFault: () => undefined,
    ...(more.folder !== undefined && { folder: more.folder }),
    ...(more.ask && { ask: more.ask }),
  });
  return { ...client, command, record, request: { command: program, args, folder } };
}

const callOf = (runtime: Runtime, appId: string, tool: string) =>
  runtime.call(appId, { tool, arguments: {}, ...WHERE });

describe('a program that a user adds', () => {
  it('is shown on one card with everything that will run, and then works like other connectors', async () => {
    const { runtime, cards, command, request } = await openLocal();
    const { appId } = await runtime.addLocalConnector({
      ...request,
      name: 'Notes\u202e',
      variables: ['PATH'],
    });
    const [card] = cards as LocalConnectorCard[];
    expect(card).toMatchObject({
      kind: 'local-connector',
      app: { appId, name: 'Notes', publisher: 'local' },
      access: {
        kind: 'command',
        program: command.program,
        args: command.args,
        folder: command.folder,
        variables: ['PATH'],
        environment: ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER'],
      },
    });
    expect(cards).toHaveLength(1);
    expect(await runtime.tools(appId, PROJECT)).toContainEqual(expect.objectContaining({ id: 'wait' }));
    expect(await callOf(runtime, appId, 'environment')).toMatchObject({ isError: false });
    expect((await runtime.resources.list(appId, PROJECT)).resources.entries).not.toEqual([]);
    expect(await runtime.resources.read(appId, 'note://one', WHERE)).toMatchObject([
      { type: 'text', text: 'Hello' },
    ]);
    expect((await runtime.prompts.list(appId, PROJECT)).entries).toMatchObject([{ id: 'greet' }]);
    const filled = await runtime.prompts.get(appId, 'greet', { ...WHERE, arguments: { who: 'Ada' } });
    expect(filled.messages[0]).toEqual({ role: 'user', part: { type: 'text', text: 'Greet Ada' } });
    await expect(runtime.prompts.get(appId, 'greet', { project: 'p' } as never)).rejects.toThrow(TypeError);
    runtime.library.switch(appId, false);
    await expect(runtime.resources.list(appId, PROJECT)).rejects.toEqual(refused('switched-off'));
  });

  it.each([
    ['declined', { accepted: false } as const],
    ['accepted with the binding of another card', { accepted: true, binding: 'x' } as const],
    ['accepted without a binding', { accepted: true } as const],
  ])('is not started and not saved when its card is %s', async (_what, answer) => {
    const { runtime, request, record } = await openLocal({ ask: async () => answer });
    await expect(runtime.addLocalConnector(request)).rejects.toEqual(refused('declined'));
    expect(existsSync(record)).toBe(false);
    expect(runtime.library.list()).toEqual([]);
  });

  it('is not started when its caller aborts before the user answers', async () => {
    const caller = new AbortController();
    const { runtime, request, record } = await openLocal({
      ask: async (card) => {
        caller.abort(new Error('enough'));
        return { accepted: true, ...('binding' in card && { binding: card.binding }) };
      },
    });
    await expect(runtime.addLocalConnector(request, caller.signal)).rejects.toThrow('enough');
    expect(existsSync(record)).toBe(false);
    expect(runtime.library.list()).toEqual([]);
  });

  it('is ended and not saved when it is not an MCP server', async () => {
    const { runtime, request, record } = await openLocal({ wild: 'no-server' });
    await expect(runtime.addLocalConnector(request)).rejects.toEqual(refused('server-failed'));
    await expect.poll(() => pidsIn(record).filter(isAlive)).toEqual([]);
    expect(runtime.library.list()).toEqual([]);
  });

  it(
    'is another connector, with a card of its own, when its arguments, folder or variables change',
    DEEP,
    async () => {
      const { runtime, cards, request, command } = await openLocal();
      const { appId } = await runtime.addLocalConnector(request);
      const ids = new Set([appId]);
      for (const change of [
        { args: [...command.args, '--write'] },
        { folder: '/' },
        { variables: ['PATH'] },
        { args: [command.args.join(' ')], name: 'The same' },
      ]) {
        const answer = await runtime.addLocalConnector({ ...request, ...change }).catch(() => null);
        if (answer) ids.add(answer.appId);
      }
      expect(ids.size).toBe(4);
      expect(cards).toHaveLength(5);
      expect(new Set(cards.map((card) => (card as LocalConnectorCard).binding)).size).toBe(5);
      expect((await runtime.addLocalConnector(request)).appId).toBe(appId);
      expect(cards).toHaveLength(6);
    },
  );

  it('ends when it is removed or switched off, and when the client is closed', DEEP, async () => {
    const { runtime, request, record } = await openLocal();
    const { appId } = await runtime.addLocalConnector(request);
    runtime.library.switch(appId, false);
    await expect.poll(() => pidsIn(record).filter(isAlive)).toEqual([]);
    runtime.library.switch(appId, true);
    await callOf(runtime, appId, 'environment');
    await runtime.remove(appId);
    await expect.poll(() => pidsIn(record).filter(isAlive)).toEqual([]);
    await expect(callOf(runtime, appId, 'environment')).rejects.toEqual(refused('not-installed'));
    await runtime.addLocalConnector(request);
    await runtime.close();
    expect(pidsIn(record)).toHaveLength(3);
    expect(pidsIn(record).filter(isAlive)).toEqual([]);
  });

  it('is available to every client of the folder that offers local connectors, also after a restart, and to no other client', async () => {
    const one = await openLocal();
    const { appId } = await one.runtime.addLocalConnector(one.request);
    const other = await openLocal({ folder: one.folder });
    await callOf(other.runtime, appId, 'environment');
    expect(pidsIn(one.record)).toHaveLength(2);
    const { runtime: without } = await openClient({ folder: one.folder });
    expect(without.library.list()).toEqual([]);
    await expect(callOf(without, appId, 'environment')).rejects.toEqual(refused('not-installed'));
    await expect(without.addLocalConnector(one.request)).rejects.toEqual(refused('not-offered'));
    await one.runtime.remove(appId);
    await expect(callOf(other.runtime, appId, 'environment')).rejects.toEqual(refused('not-installed'));
    await one.runtime.addLocalConnector(one.request);
    await Promise.all([one.runtime.close(), other.runtime.close()]);
    const again = await openLocal({ folder: one.folder });
    expect(await callOf(again.runtime, appId, 'environment')).toMatchObject({ isError: false });
    expect(again.cards).toEqual([]);
  });

  const CLIENT = `
    const { openRuntime } = await import(${JSON.stringify(new URL('../../src/open-runtime.ts', import.meta.url).href)});
    const [folder, appId] = process.argv.slice(1);
    const runtime = await openRuntime({ folder, store: 'http://127.0.0.1:1', ask: async () => ({ accepted: false }), localConnectors: true });
    await runtime.call(appId, { tool: 'cling', arguments: {}, project: 'p', chat: 'c' });
    process.stdout.write('called');
    setInterval(() => {}, 1000);`;

  it('leaves no process behind when its client is killed, even if the program ignores requests to exit', {
    ...DEEP,
    ...needs(process.platform !== 'win32', 'needs groups of processes'),
  }, async () => {
    const { runtime, request, record, folder } = await openLocal();
    const { appId } = await runtime.addLocalConnector(request);
    await runtime.close();
    const client = spawn(process.execPath, ['--input-type=module', '-e', CLIENT, folder, appId], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void client.kill('SIGKILL'));
    await once(client.stdout, 'data');
    expect(pidsIn(record).filter(isAlive)).toHaveLength(2);
    client.kill('SIGKILL');
    await once(client, 'exit');
    await expect.poll(() => pidsIn(record).filter(isAlive)).toEqual([]);
  });
});

describe('a server on this machine that a user adds', () => {
  it('is shown on one card with its address, and called there', async () => {
    const mcp = await serveMcp(() => text('Found.'), { tools: [{ name: 'search' }] });
    const { runtime, cards } = await openLocal();
    const { appId } = await runtime.addLocalConnector({ url: mcp.url });
    const { host } = new URL(mcp.url);
    expect(cards).toMatchObject([
      {
        kind: 'local-connector',
        access: { kind: 'address', url: mcp.url, host, place: 'this-machine', isEncrypted: false },
      },
    ]);
    expect(await callOf(runtime, appId, 'search')).toMatchObject({ parts: [{ text: 'Found.' }] });
    expect(await runtime.addLocalConnector({ url: `${mcp.url}/` })).toMatchObject({ appId });
    expect(runtime.library.list()).toHaveLength(1);
  });

  it('receives no request before the user agrees', async () => {
    const mcp = await serveMcp(() => text('Found.'));
    const { runtime } = await openLocal({ ask: async () => ({ accepted: false }) });
    await expect(runtime.addLocalConnector({ url: mcp.url })).rejects.toEqual(refused('declined'));
    expect(mcp.asked).toEqual([]);
    await expect(runtime.addConnector(mcp.url)).rejects.toEqual(refused('address-refused'));
    expect(mcp.asked).toEqual([]);
  });

  it('has an account when it requires the user to sign in', async () => {
    const before = async ({ response }: { response: { writeHead(status: number): { end(): void } } }) => {
      response.writeHead(401).end();
      return true;
    };
    const mcp = await serveMcp(() => text('Found.'), { before });
    const { runtime } = await openLocal();
    const app = await runtime.addLocalConnector({ url: mcp.url });
    expect(app.manifest.accounts).toMatchObject([{ id: 'server', auth: 'mcp' }]);
  });

  it('cannot redirect to another server on this machine', async () => {
    const other = await serveMcp(() => text('Found.'));
    const before = async ({
      response,
      message,
    }: Parameters<NonNullable<Parameters<typeof serveMcp>[1]>['before'] & {}>[0]) => {
      if (message.method !== 'tools/call') return false;
      response.writeHead(307, { location: other.url }).end();
      return true;
    };
    const mcp = await serveMcp(() => text('Found.'), { before, tools: [{ name: 'search' }] });
    const { runtime } = await openLocal();
    const { appId } = await runtime.addLocalConnector({ url: mcp.url });
    await expect(callOf(runtime, appId, 'search')).rejects.toEqual(refused('address-refused'));
    expect(other.asked).toEqual([]);
  });

  it('is called only at the addresses that the user agreed to, even if its name resolves to others later', async () => {
    const mcp = await serveMcp(() => text('Found.'), { tools: [{ name: 'search' }] });
    const url = mcp.url.replace(/127\.0\.0\.1|localhost/, 'mcp.test');
    let address = '127.0.0.1';
    const connecting = { lookUp: async () => [{ address, family: 4 }] };
    const folder = await tempFolder();
    const client = () => openClient({ folder, localConnectors: true, connecting });
    const { runtime, cards } = await client();
    const { appId } = await runtime.addLocalConnector({ url });
    expect(cards).toMatchObject([{ access: { host: new URL(url).host, addresses: ['127.0.0.1'] } }]);
    await callOf(runtime, appId, 'search');
    await runtime.close();
    const asked = mcp.asked.length;
    address = '127.0.0.2';
    const { runtime: later } = await client();
    await expect(callOf(later, appId, 'search')).rejects.toEqual(refused('address-refused'));
    expect(mcp.asked).toHaveLength(asked);
    expect((await later.addLocalConnector({ url }).catch(() => null))?.appId ?? appId).toBe(appId);
  });

  it('cannot be the client itself', async () => {
    const { runtime } = await openLocal();
    const panels = `http://localhost:${new URL(runtime.panelSource.replace('*.', '')).port}/mcp`;
    await expect(runtime.addLocalConnector({ url: panels })).rejects.toEqual(refused('address-refused'));
  });
});

it('no store or app can add a local connector: one that an app requires is missing until the user adds it', async () => {
  const mcp = await serveMcp(() => text('Found.'));
  const store = await startSigningStore();
  const url = 'https://nas.local/mcp';
  store.publish({ requires: { connectors: [{ url, reason: 'Reads notes.', required: true }] } });
  const lookUp = async () => [{ address: '127.0.0.1', family: 4 }];
  const { runtime, cards } = await openClient({
    store: store.url,
    localConnectors: true,
    connecting: { lookUp, port: Number(new URL(mcp.url).port) },
  });
  const sheet = await runtime.installer.prepareInstall(APP);
  await runtime.installer.install(sheet, { accepted: true, binding: sheet.binding });
  const request = { tool: 'any', arguments: {}, ...WHERE };
  await expect(runtime.call(APP, request)).rejects.toEqual(refused('requirement-missing'));
  await expect(runtime.addConnector(url)).rejects.toEqual(refused('address-refused'));
  expect(runtime.library.list().map(({ appId }) => appId)).toEqual([APP]);
  expect(cards).toEqual([]);
  expect(mcp.asked).toEqual([]);
});
