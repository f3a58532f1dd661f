import type { Manifest } from '@svc/contracts';
import { footprintOf } from '@svc/permissions';
import { sampleManifest } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import type { InstalledApp } from '../../src/library/installed-app.ts';
import { hashIn } from '../../src/library/library-database.ts';
import { APP, startSigningStore } from '../support/signing-store.ts';
import { openWorld } from '../support/world.ts';

const CONNECTOR = 'https://charts.example.com/mcp';

const connector = (changes: Partial<InstalledApp> = {}): InstalledApp => {
  const manifest = sampleManifest({ id: 'connector.charts', remote: { mcpUrl: CONNECTOR, domains: [] } });
  return {
    ...{ appId: 'connector.charts', version: '1.0.0', manifest, on: true, yanked: null },
    consent: footprintOf(manifest),
    source: { kind: 'connector', url: CONNECTOR },
    ...changes,
  };
};

const developed = (id: string) => {
  const app = connector({ appId: id, source: { kind: 'developer', folder: '/home/dev/app' } });
  return { app, entries: new Map([['plugin.json', new Uint8Array()]]) };
};

async function started(changes: Partial<Manifest> = {}, given: Parameters<typeof openWorld>[1] = {}) {
  const store = await startSigningStore();
  store.publish(changes);
  const world = await openWorld(store, given);
  return { store, ...world };
}

const code = (name: string) => expect.objectContaining({ code: name });

describe('an installed app', () => {
  it('is visible to every client of the folder, also to those that are opened later', async () => {
    const { store, folder, install, library } = await started();
    const other = await openWorld(store, { folder });
    const app = await install();
    const later = await openWorld(store, { folder });
    for (const each of [library, other.library, later.library]) expect(each.list()).toEqual([app]);
    expect(other.installId).toBe(later.installId);
    other.library.remove(APP);
    expect(library.get(APP)).toBeNull();
    expect(() => library.remove(APP)).toThrow(code('not-installed'));
    expect(other.heard).toEqual([{ type: 'app-removed', appId: APP, version: '1.0.0' }]);
  });

  it('stores the consent of the user, with the hashes of the pictures', async () => {
    const { install, library } = await started();
    const { manifest } = await install();
    const hashOf = hashIn(await library.files(APP));
    expect(library.get(APP)?.consent).toEqual(footprintOf(manifest, hashOf));
    expect(library.get(APP)?.consent.face.icon).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is switched in one project or in all projects', async () => {
    const { install, library, heard } = await started();
    await install();
    library.switch(APP, false, 'project-1');
    expect([library.get(APP)?.on, library.get(APP, 'project-1')?.on]).toEqual([true, false]);
    expect(() => library.requireUsable(APP, 'project-1')).toThrow(code('switched-off'));
    library.switch(APP, false);
    library.switch(APP, true, 'project-2');
    expect(library.list('project-2').map(({ on }) => on)).toEqual([true]);
    expect(library.get(APP)?.on).toBe(false);
    library.switch(APP, true);
    library.switch(APP, false);
    expect(library.get(APP, 'project-2')?.on).toBe(false);
    expect(heard.at(-1)).toEqual({
      type: 'app-switched',
      appId: APP,
      version: '1.0.0',
      on: false,
      project: null,
    });
    expect(() => library.switch('com.example.none', true)).toThrow(code('not-installed'));
    expect(() => library.requireUsable('com.example.none')).toThrow(code('not-installed'));
  });

  it('cannot be switched on or used on a platform that it does not support', async () => {
    const { store, folder, install } = await started({ platforms: ['linux'] });
    await install();
    const { library } = await openWorld(store, { folder, platform: 'darwin' });
    expect(() => library.requireUsable(APP)).toThrow(code('not-for-this-machine'));
    library.switch(APP, false);
    expect(() => library.switch(APP, true)).toThrow(code('not-for-this-machine'));
  });
});

describe('a requirement of an app', () => {
  const reason = 'Draws the charts.';

  it('is shown on the sheet, with its presence', async () => {
    const { installer } = await started({
      requires: {
        apps: [
          { id: 'media', reason },
          { id: 'com.example.other', reason },
        ],
        connectors: [{ url: CONNECTOR, reason }],
        optional: [{ id: 'browser-use', reason }],
        providers: ['codex'],
      },
    });
    const sheet = await installer.prepareInstall(APP);
    expect(sheet.providers).toEqual(['codex']);
    expect(sheet.requirements).toEqual([
      { kind: 'app', name: 'media', reason, need: 'required', presence: 'here' },
      { kind: 'app', name: 'com.example.other', reason, need: 'required', presence: 'missing' },
      { kind: 'connector', name: CONNECTOR, reason, need: 'fallback', presence: 'missing' },
      { kind: 'app', name: 'browser-use', reason, need: 'optional', presence: 'missing' },
    ]);
  });

  it('prevents the use of the app until it is installed and on', async () => {
    const { install, library } = await started({
      // Another spelling than the one under which the connector is added.
      requires: { connectors: [{ url: `${CONNECTOR}/`, reason, required: true }] },
    });
    const app = await install();
    expect(() => library.requireUsable(APP)).toThrow(code('requirement-missing'));
    library.addConnector(connector());
    expect(library.requireUsable(APP)).toEqual(app);
    library.switch('connector.charts', false, 'project-1');
    expect(() => library.requireUsable(APP, 'project-1')).toThrow(code('requirement-missing'));
    expect(library.requirementsOf(app, 'project-1')).toMatchObject([{ presence: 'off' }]);
  });

  it('does not prevent the use of the app when it is a fallback', async () => {
    const { install, library } = await started({ requires: { connectors: [{ url: CONNECTOR, reason }] } });
    await install();
    expect(library.requireUsable(APP).on).toBe(true);
  });
});

describe('connectors and developers’ apps', () => {
  it('have an account from their server, unless the user removed or switched them meanwhile', async () => {
    const { library } = await started();
    const { manifest, ...rest } = connector();
    library.addConnector({ ...rest, manifest: { ...manifest, accounts: [] } });
    const account = { id: 'server', label: 'Charts', auth: 'mcp' as const, scopes: [] };
    const withAccount = connector({ manifest: { ...manifest, accounts: [account] } });
    const undo = library.addAccount(withAccount);
    expect(library.get('connector.charts')?.manifest.accounts).toEqual([account]);
    library.addAccount(withAccount)();
    expect(library.get('connector.charts')?.manifest.accounts).toEqual([account]);
    library.switch('connector.charts', false);
    undo();
    expect(library.get('connector.charts')).toMatchObject({ on: false, manifest: { accounts: [] } });
    const undoLater = library.addAccount(withAccount);
    library.remove('connector.charts');
    undoLater();
    expect(library.get('connector.charts')).toBeNull();
  });

  it('are listed with the installed apps, and cannot use the id of an installed app', async () => {
    const { install, library, heard } = await started();
    await install();
    library.addConnector(connector());
    library.addConnector(connector({ version: '1.0.1' }));
    expect(library.list().map(({ appId, version }) => [appId, version])).toEqual([
      [APP, '1.0.0'],
      ['connector.charts', '1.0.1'],
    ]);
    // The store of these tests has no log.
    expect(heard.map(({ type }) => type)).toEqual([
      'log-missing',
      'app-installed',
      'app-installed',
      'app-updated',
    ]);
    const { manifest } = connector();
    library.addConnector(
      connector({ appId: 'connector.other', manifest: { ...manifest, name: `${manifest.name}!` } }),
    );
    // Models call its tools by its name, so that no two connectors may have the same.
    expect(library.get('connector.other')?.manifest.name).toBe(`${manifest.name}! 2`);
    library.remove('connector.other');
    expect(() => library.addConnector(connector({ appId: APP }))).toThrow(code('id-taken'));
    expect(() => library.present(developed(APP))).toThrow(code('id-taken'));
    expect(library.get(APP)?.source.kind).toBe('store');
    expect(await library.files('connector.charts')).toEqual(new Map());
    library.remove('connector.charts');
    expect(library.get('connector.charts')).toBeNull();
  });

  it('are available while the folder is open, can be switched, and are not replaced by an install', async () => {
    const { store, folder, library, installer } = await started();
    const end = library.present(developed(APP));
    expect(() => library.present(developed(APP))).toThrow(code('id-taken'));
    expect([...(await library.files(APP)).keys()]).toEqual(['plugin.json']);
    library.switch(APP, false);
    expect(library.list()).toMatchObject([{ appId: APP, on: false, source: { kind: 'developer' } }]);
    await expect(installer.prepareInstall(APP)).rejects.toMatchObject({ code: 'id-taken' });
    // Another process does not know the folder: the app that it installs takes precedence.
    const other = await openWorld(store, { folder });
    await other.install();
    expect(library.list()).toMatchObject([{ appId: APP, source: { kind: 'store' } }]);
    end();
    expect(library.get(APP)?.source.kind).toBe('store');
  });
});
