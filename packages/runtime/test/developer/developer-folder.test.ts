import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Manifest } from '@svc/contracts';
import { sampleFiles, sampleManifest } from '@svc/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { asDeveloperManifest, openDeveloperFolder } from '../../src/developer/developer-folder.ts';
import type { RuntimeEvent } from '../../src/events/events.ts';
import { APP, startSigningStore } from '../support/signing-store.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { fail, openWorld, system } from '../support/world.ts';

const LOCAL = { remote: { mcpUrl: 'http://localhost:3000/mcp', domains: [] } };

async function write(folder: string, manifest: unknown): Promise<void> {
  for (const [name, bytes] of sampleFiles(manifest)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), bytes);
  }
}

/** A folder with an app; `open` opens it in a client. */
async function started(changes: Partial<Manifest> = LOCAL) {
  const store = await startSigningStore();
  const world = await openWorld(store);
  const folder = path.join(await tempFolder(), 'app');
  await mkdir(folder);
  await write(folder, sampleManifest(changes));
  const open = async () => {
    const opened = await openDeveloperFolder({ ...world, system }, folder, fail);
    onTestFinished(() => opened.close());
    return opened;
  };
  /** The next event about a change of the folder. */
  const nextChange = () =>
    new Promise<RuntimeEvent>((resolve) => {
      const stop = world.events.subscribe((event) => {
        if (event.type !== 'developer-app-changed') return;
        stop();
        resolve(event);
      });
    });
  return { store, ...world, folder, open, nextChange };
}

describe('a folder under development', () => {
  it('is an app while it is open, and returns the findings of the validator', async () => {
    const { folder, library, open, heard } = await started();
    const opened = await open();
    expect(opened.state).toMatchObject({
      appId: APP,
      fault: null,
      issues: [{ code: 'remote.localhost', level: 'warning' }],
    });
    expect(library.requireUsable(APP)).toMatchObject({
      source: { kind: 'developer', folder },
      consent: { mcpUrl: LOCAL.remote.mcpUrl },
    });
    expect([...(await library.files(APP)).keys()]).toContain('plugin.json');
    expect(heard).toEqual([{ type: 'developer-app-changed', appId: APP, folder, issues: 1 }]);
    opened.close();
    expect(library.get(APP)).toBeNull();
  });

  it('is reloaded when a file in it changes, and is not an app while it has errors', async () => {
    const { folder, library, open, nextChange } = await started();
    const opened = await open();
    library.switch(APP, false);
    let next = nextChange();
    await writeFile(path.join(folder, 'plugin.json'), '{ "id": ');
    expect(await next).toMatchObject({ appId: null, issues: 1 });
    expect(opened.state).toMatchObject({ appId: null, issues: [{ code: 'bundle.manifest.json' }] });
    expect(library.get(APP)).toBeNull();
    next = nextChange();
    await writeFile(
      path.join(folder, 'plugin.json'),
      JSON.stringify(sampleManifest({ ...LOCAL, version: '2.0.0' })),
    );
    expect(await next).toMatchObject({ appId: APP });
    expect(library.get(APP)).toMatchObject({ version: '2.0.0', on: false });
  });

  it('is unreadable while it is missing, and loaded when another folder replaces it', async () => {
    const { folder, library, open, nextChange } = await started();
    const opened = await open();
    let next = nextChange();
    await rename(folder, `${folder}-away`);
    expect(await next).toMatchObject({ appId: null });
    expect(opened.state.fault).toMatchObject({ code: 'unreadable' });
    next = nextChange();
    await write(`${folder}-new`, sampleManifest({ ...LOCAL, version: '3.0.0' }));
    await rename(`${folder}-new`, folder);
    expect(await next).toMatchObject({ appId: APP });
    expect(library.get(APP)?.version).toBe('3.0.0');
  });

  it('has the fault no-server when its manifest has no remote server', async () => {
    const { folder, open } = await started();
    const { remote, ...rest } = sampleManifest();
    await writeFile(path.join(folder, 'plugin.json'), JSON.stringify({ ...rest, pluginApiVersion: 2 }));
    expect((await open()).state).toMatchObject({ appId: null, fault: { code: 'no-server' } });
    expect(remote).toBeDefined();
  });

  it('is unreadable with a symbolic link to a file outside', async () => {
    const { folder, open } = await started();
    await rm(path.join(folder, 'README.md'));
    await symlink('/etc/passwd', path.join(folder, 'README.md'));
    expect((await open()).state).toMatchObject({ appId: null, fault: { code: 'unreadable' } });
  });

  it('does not replace an installed app until that app is removed', async () => {
    const { store, install, library, open } = await started();
    store.publish();
    await install();
    const opened = await open();
    expect(opened.state).toMatchObject({ appId: null, fault: { code: 'id-taken' } });
    expect(library.get(APP)?.source.kind).toBe('store');
    library.remove(APP);
    expect(await opened.reload()).toMatchObject({ appId: APP, fault: null });
    expect(library.get(APP)?.source.kind).toBe('developer');
  });
});

describe('developer manifest', () => {
  const remote = { mcpUrl: 'http://localhost:3000/mcp', domains: [] };

  it('returns a manifest that the store accepts without changes', () => {
    const manifest = sampleManifest();
    expect(asDeveloperManifest(manifest)).toEqual(manifest);
  });

  it('accepts addresses of this machine, and does not need the fields that only a store requires', () => {
    const { publisher, branding, permissions, ...rest } = sampleManifest({ remote });
    const accounts = [
      {
        id: 'me',
        label: 'Me',
        authorizeUrl: 'http://localhost:1/a',
        tokenUrl: 'http://127.0.0.1:1/t',
        clientId: 'c',
        scopes: [],
      },
    ];
    const requires = { connectors: [{ url: 'http://localhost:2/mcp', reason: 'Draws.' }] };
    const found = asDeveloperManifest({ ...rest, pluginApiVersion: 2, accounts, requires, author: 7 });
    expect(found).toMatchObject({ pluginApiVersion: 3, remote, accounts, requires, publisher: 'developer' });
    expect([publisher, branding, permissions]).not.toContain(undefined);
  });

  it('removes the grants that only built-in apps can have', () => {
    expect(
      asDeveloperManifest({ ...sampleManifest(), grants: ['exec', 'storage', 'network'] })?.grants,
    ).toEqual(['storage']);
  });

  it.each([
    ['a server in the bundle', { remote: undefined, server: 'server.js' }],
    ['an address that is not http or https', { remote: { mcpUrl: 'file:///etc/passwd', domains: [] } }],
  ])('returns null for a manifest with %s', (_name, changes) => {
    expect(asDeveloperManifest({ ...sampleManifest(), ...changes })).toBeNull();
  });
});
