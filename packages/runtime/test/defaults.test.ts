import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { withDefaults } from '../src/defaults.ts';
import { openRuntime } from '../src/open-runtime.ts';
import { serveMcp, text } from './support/mcp-server.ts';
import { refused } from './support/refused.ts';
import { openClient } from './support/runtime-world.ts';
import { APP, startSigningStore } from './support/signing-store.ts';
import { tempFolder } from './support/temp-folder.ts';

const ask = async () => ({ accepted: false }) as const;

describe('the runtime', () => {
  it('needs a folder, a store and a way to ask', async () => {
    const folder = await tempFolder();
    const runtime = await openRuntime({ folder, store: 'http://127.0.0.1:1', ask });
    expect(runtime.library.list()).toEqual([]);
    await runtime.close();
    const { client, keys, identity } = withDefaults({ folder, store: 'http://127.0.0.1:1', ask });
    expect(client).toMatchObject({ platform: process.platform, arch: process.arch, builtInApps: [] });
    expect(keys.map(({ kind }) => kind)).toEqual(['keyring', 'key-file']);
    expect(identity).toEqual({ name: client.name });
    const named = withDefaults({ folder, store: 'x', ask, client: { name: 'Mine' } });
    expect([named.client.name, named.identity]).toEqual(['Mine', { name: 'Mine' }]);
  });

  it('takes ids in the place of apps', async () => {
    const store = await startSigningStore();
    store.publish({
      accounts: [
        {
          ...{ id: 'notes', label: 'Notes', scopes: [], clientId: 'client' },
          authorizeUrl: 'https://login.example.com/a',
          tokenUrl: 'https://login.example.com/t',
        },
      ],
    });
    const { runtime } = await openClient({ store: store.url });
    const sheet = await runtime.installer.prepareInstall(APP);
    const app = await runtime.installer.install(sheet, { accepted: true, binding: sheet.binding });
    expect(await runtime.accounts.list(APP)).toEqual(await runtime.accounts.list(app));
    expect(runtime.library.requirementsOf(APP)).toEqual([]);
    for (const asked of [runtime.accounts.list('com.example.other'), runtime.accounts.disconnect('x', 'y')]) {
      await expect(asked).rejects.toEqual(refused('not-installed'));
    }
  });

  it.each([undefined, null, 5, '', 'a b', 'a\nb', 'x'.repeat(201)])(
    'does not take %j for a project or a chat',
    async (id) => {
      const { runtime } = await openClient();
      const where = { project: id as string, chat: 'chat-1' };
      const request = { tool: 'x', arguments: {} };
      await expect(runtime.call(APP, { ...request, ...where })).rejects.toThrow(TypeError);
      await expect(runtime.tools(APP, where)).rejects.toThrow(TypeError);
      expect(() => runtime.toolsNow(APP, where)).toThrow(TypeError);
      expect(() => runtime.allToolsNow(where)).toThrow(TypeError);
      const panel = runtime.openPanel(APP, 'main', { ...where, theme: 'dark', locale: 'en' });
      await expect(panel).rejects.toThrow(TypeError);
    },
  );
});

describe('the first example of the README', () => {
  const block = async () => {
    const readme = await readFile(path.join(import.meta.dirname, '../README.md'), 'utf8');
    return /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  };

  it('is ten lines, without its frame', async () => {
    const lines = (await block()).split('\n').filter((line) => line.startsWith('  '));
    expect(lines.length).toBeLessThanOrEqual(10);
  });

  it('runs as it stands, against a store and a server of an app', async () => {
    const store = await startSigningStore();
    const mcp = await serveMcp(() => text('tea'), { tools: [{ name: 'find' }] });
    store.publish({
      contributes: { tools: [{ id: 'find', name: 'Find', description: 'Finds notes.' }] },
      remote: { mcpUrl: mcp.url, domains: [] },
    });
    const program = path.join(await tempFolder(), 'example.ts');
    // What the example takes for granted is a server on the Internet: this one is on the machine of the test.
    const local = (await block())
      .replace('@svc/runtime', new URL('../src/index.ts', import.meta.url).href)
      .replace('{ folder, store, ask }', '{ folder, store, ask, localApps: true }');
    const args = JSON.stringify([await tempFolder(), store.url, APP]).slice(1, -1);
    const end = `\nconst { parts } = await demonstrate(${args}, async () => ({ accepted: false }));\nconsole.log(JSON.stringify(parts));\n`;
    await writeFile(program, local + end);
    const { stdout } = await promisify(execFile)(process.execPath, [program]);
    expect(JSON.parse(stdout)).toEqual([{ type: 'text', text: 'tea' }]);
  });
});
