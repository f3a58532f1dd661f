import { describe, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { withDefaults } from '../src/defaults.ts';
import { openRuntime } from '../src/open-runtime.ts';
import { defaultSystem } from '../src/platform/default-system.ts';
import { refused } from './support/refused.ts';
import { openClient } from './support/runtime-world.ts';
import { APP, startSigningStore } from './support/signing-store.ts';
import { tempFolder } from './support/temp-folder.ts';

const ask = async () => ({ accepted: false }) as const;

describe('the runtime', () => {
  it('needs only a folder, a store and an ask function', async () => {
    const folder = await tempFolder();
    const runtime = await openRuntime({ folder, store: 'http://127.0.0.1:1', ask });
    expect(runtime.library.list()).toEqual([]);
    await runtime.close();
    const { client, keys, identity } = withDefaults({ folder, store: 'http://127.0.0.1:1', ask });
    expect(client).toMatchObject({ platform: process.platform, arch: process.arch, builtInApps: [] });
    expect(client.version).toBe(manifest.version);
    expect(keys.map(({ kind }) => kind)).toEqual(['keyring', 'key-file']);
    expect(identity).toEqual({ name: client.name });
    const named = withDefaults({ folder, store: 'x', ask, client: { name: 'Mine' } });
    expect([named.client.name, named.identity]).toEqual(['Mine', { name: 'Mine' }]);
  });

  it('uses the system of the options', async () => {
    const options = { folder: await tempFolder(), store: 'x', ask };
    const system = { ...defaultSystem };
    expect(withDefaults(options).system).toBe(defaultSystem);
    expect(withDefaults({ ...options, system }).system).toBe(system);
  });

  it('accepts ids in place of apps', async () => {
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
    'refuses %j as the id of a project or a chat',
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
