import { footprintOf } from '@svc/permissions';
import { signToolRecord } from '@svc/signing';
import { DEEP, sampleManifest } from '@svc/testkit';
import { describe, expect, it, vi } from 'vitest';
import { createInstaller } from '../../src/install/installer.ts';
import { RuntimeError } from '../../src/platform/runtime-error.ts';
import { createRevocationWatch } from '../../src/revocations/revocation-watch.ts';
import { itAtSteps } from '../support/at-steps.ts';
import { killedWorld, wholeVersion } from '../support/killed-world.ts';
import { APP, BUNDLE, startSigningStore } from '../support/signing-store.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { NOW, openWorld, system } from '../support/world.ts';

const TOOLS = `/api/apps/${APP}/versions/1.0.0/tools`;

const WIDER = {
  version: '1.1.0',
  remote: { mcpUrl: 'https://mcp.example.com/mcp', domains: ['api.example.com', 'more.example.com'] },
};

/** A store with one app, and a client. */
async function started() {
  const store = await startSigningStore();
  const published = store.publish();
  return { store, published, ...(await openWorld(store)) };
}

const refused = (code: string, detail?: object) => ({
  code,
  ...(detail && { detail: expect.objectContaining(detail) }),
});

describe('installing', () => {
  it('shows the permissions of the verified manifest, installs with consent, and emits an event', async () => {
    const { store, published, installer, library, heard, installId } = await started();
    const sheet = await installer.prepareInstall(APP);
    const { manifest, release } = published;
    expect(sheet).toMatchObject({
      app: { appId: APP, name: 'Notes', version: '1.0.0', publisher: 'example' },
      permissions: manifest.permissions,
      footprint: { domains: ['api.example.com', 'mcp.example.com'], grants: ['files:receive'] },
      source: { store: store.url, sha256: release.sha256 },
      replaces: null,
      widened: null,
      needsConsent: true,
    });
    expect(library.list()).toEqual([]);
    const app = await installer.install(sheet, { accepted: true, binding: sheet.binding });
    expect(app).toMatchObject({
      appId: APP,
      version: '1.0.0',
      on: true,
      yanked: null,
      consent: sheet.footprint,
    });
    expect(library.requireUsable(APP)).toEqual(app);
    expect([...(await library.files(APP)).keys()]).toContain('plugin.json');
    expect(heard).toEqual([
      // The store of these tests has no log, which is said once.
      { type: 'log-missing', store: store.url },
      { type: 'app-installed', appId: APP, version: '1.0.0' },
    ]);
    expect(store.seen.filter((one) => one.installId !== undefined)).toEqual([{ url: BUNDLE, installId }]);
  });

  it('stores the verified source and the time of the installation', async () => {
    const { store, published, install, library } = await started();
    await install();
    const { sha256, keyId, publishedAt } = published.release;
    expect(library.get(APP)?.source).toEqual({
      ...{ kind: 'store', store: store.url, sha256, keyId, publishedAt },
      installedAt: new Date(NOW).toISOString(),
    });
  });

  it('takes permissions from the manifest, not from the catalogue', async () => {
    const { store, installer } = await started();
    const { version, ...entry } = (await (await fetch(`${store.url}/api/apps/${APP}`)).json()) as {
      version: string;
    };
    store.lie(`/api/apps/${APP}`, (response) =>
      store.answer(response, 200, {
        ...entry,
        version,
        permissions: ['Nothing at all.'],
        grants: [],
        domains: [],
      }),
    );
    const sheet = await installer.prepareInstall(APP);
    expect(sheet.permissions).toEqual(['Reads the files you hand to it.']);
    expect(sheet.footprint.grants).toEqual(['files:receive']);
  });

  it('installs nothing without consent, when the user declines, or with the binding of another sheet', async () => {
    const { store, installer, library } = await started();
    store.publish({ id: 'com.example.other' });
    const sheet = await installer.prepareInstall(APP);
    const other = await installer.prepareInstall('com.example.other');
    await expect(installer.install(sheet)).rejects.toMatchObject(refused('consent-needed'));
    await expect(installer.install(sheet, { accepted: true })).rejects.toMatchObject(
      refused('consent-needed'),
    );
    await expect(installer.install(sheet, { accepted: true, binding: other.binding })).rejects.toMatchObject(
      refused('consent-needed'),
    );
    await expect(installer.install(sheet, { accepted: false })).rejects.toMatchObject(refused('declined'));
    expect(library.list()).toEqual([]);
  });

  it('takes the record of the tools of a version that the store signed for it and a moderator saw', async () => {
    const store = await startSigningStore();
    store.publish();
    const seeded: unknown[] = [];
    const pins = {
      seed: (app: { version: string }, tools: unknown) => void seeded.push([app.version, tools]),
    };
    const { install } = await openWorld(store, { pins });
    await install();
    expect(seeded).toEqual([]);
    const tools = [{ name: 'list', inputSchema: { type: 'object' } }];
    const of = { appId: APP, source: 'store' as const, recordedAt: '2026-01-01T00:00:00.000Z', tools };
    const unseen = signToolRecord({ ...of, version: '1.0.1' }, store.state.key);
    const reviewedAt = '2026-01-02T00:00:00.000Z';
    const seen = signToolRecord({ ...of, reviewedAt, version: '1.1.0' }, store.state.key);
    for (const version of ['1.0.1', '1.1.0', '1.2.0']) {
      store.publish({ version });
      const signed = version === '1.0.1' ? unseen : seen;
      const path = `/api/apps/${APP}/versions/${version}/tools`;
      store.lie(path, (response) => store.answer(response, 200, signed));
      // The record of one version says nothing of the next.
      if (version !== '1.2.0') await install();
      else await expect(install()).rejects.toMatchObject({ code: 'not-verified' });
    }
    expect(seeded).toEqual([['1.1.0', tools]]);
  });

  it('goes on without a record that the store cannot send now, but not when the caller aborts', async () => {
    const { store, install, installer } = await started();
    const leaving = new AbortController();
    store.lie(TOOLS, (response) => store.refuse(response, 500, 'internal'));
    expect((await install()).version).toBe('1.0.0');
    store.lie(TOOLS, () => leaving.abort(new RuntimeError('too-slow')));
    await expect(installer.prepareInstall(APP, '1.0.0', leaving.signal)).rejects.toMatchObject(
      refused('too-slow'),
    );
  });

  it('takes no fault of the program for a store without a record', async () => {
    const world = await started();
    const toolRecord = () => Promise.reject(new TypeError('a fault'));
    const installer = createInstaller({ ...world, system, reader: { ...world.reader, toolRecord } });
    await expect(installer.prepareInstall(APP)).rejects.toThrow('a fault');
  });

  it('takes no record for the version that another process has installed since', async () => {
    const { store, ...world } = await started();
    const of = { source: 'store' as const, recordedAt: '2026-01-01T00:00:00.000Z', tools: [] };
    const reviewed = { ...of, reviewedAt: '2026-01-02T00:00:00.000Z', appId: APP, version: '1.0.0' };
    const record = signToolRecord(reviewed, store.state.key);
    store.lie(TOOLS, (response) => store.answer(response, 200, record));
    for (const version of ['1.0.0', '1.1.0']) {
      const get = (appId: string) => {
        const app = world.library.get(appId);
        return app && { ...app, version };
      };
      const seed = vi.fn();
      const library = { ...world.library, get };
      const installer = createInstaller({ ...world, system, library, pins: { seed } });
      const sheet = await installer.prepareInstall(APP);
      await installer.install(sheet, { accepted: true, binding: sheet.binding });
      expect(seed).toHaveBeenCalledTimes(version === '1.0.0' ? 1 : 0);
    }
  });

  it('refuses the record of another app', async () => {
    const { store, installer } = await started();
    const of = { source: 'store' as const, recordedAt: '2026-01-01T00:00:00.000Z', tools: [] };
    for (const appId of [APP, 'com.example.other']) {
      const record = signToolRecord({ ...of, appId, version: '1.0.0' }, store.state.key);
      store.lie(TOOLS, (response) => store.answer(response, 200, record));
      const preparing = installer.prepareInstall(APP);
      if (appId === APP) await preparing;
      else await expect(preparing).rejects.toMatchObject(refused('not-verified'));
    }
  });

  it('installs only a sheet that it created, and ignores later changes of the sheet', async () => {
    const { store, installer } = await started();
    const sheet = await installer.prepareInstall(APP);
    const answer = { accepted: true as const, binding: sheet.binding };
    await expect(installer.install({ ...sheet }, answer)).rejects.toMatchObject(refused('not-verified'));
    const { release } = store.publish(WIDER);
    Object.assign(sheet, { source: { ...sheet.source, sha256: release.sha256 }, footprint: {} });
    expect(await installer.install(sheet, answer)).toMatchObject({
      version: '1.0.0',
      consent: { domains: ['api.example.com', 'mcp.example.com'] },
    });
  });

  it.each([
    ['platforms', { platforms: ['darwin' as const] }],
    ['arch', { arch: ['arm64' as const] }],
  ])('refuses an app for other machines, according to its %s', async (_name, changes) => {
    const { store, installer } = await started();
    store.publish(changes);
    await expect(installer.prepareInstall(APP, '1.0.0')).rejects.toMatchObject(
      refused('not-for-this-machine'),
    );
  });

  it('refuses a yanked version with its reason, also while the store cannot be reached', async () => {
    const { store, ...world } = await started();
    const onFault = (error: unknown) => expect.fail(String(error));
    const shown = await world.installer.prepareInstall(APP);
    store.yank('2026-01-01T00:10:00.000Z', '1.0.0');
    await createRevocationWatch({ ...world, system, onFault }).check();
    store.lie(`/api/apps/${APP}/head`, (response) => response.destroy());
    const yanked = refused('yanked', { reason: 'It lost notes.' });
    await expect(world.installer.prepareInstall(APP, '1.0.0')).rejects.toMatchObject(yanked);
    const answer = { accepted: true as const, binding: shown.binding };
    await expect(world.installer.install(shown, answer)).rejects.toMatchObject(yanked);
  });

  it('installs the latest version that is left when a newer one that was seen is yanked', async () => {
    const { store, ...world } = await started();
    const onFault = (error: unknown) => expect.fail(String(error));
    store.publish({ version: '1.1.0' });
    expect((await world.installer.prepareInstall(APP)).app.version).toBe('1.1.0');
    store.yank('2026-01-01T00:10:00.000Z', '1.1.0');
    await createRevocationWatch({ ...world, system, onFault }).check();
    expect((await world.install()).version).toBe('1.0.0');
  });

  it('writes the bundle again when another process removed it while the sheet was shown', async () => {
    const { published, installer, library, storage } = await started();
    const sheet = await installer.prepareInstall(APP);
    storage.bundles.remove(published.release.sha256);
    await installer.install(sheet, { accepted: true, binding: sheet.binding });
    expect((await library.files(APP)).size).toBeGreaterThan(1);
  });

  it('asks the user about nothing that cannot be written to the disk', async () => {
    const { storage, installer } = await started();
    storage.bundles.keep = () => Promise.reject(new Error('The disk is full.'));
    await expect(installer.prepareInstall(APP)).rejects.toThrow('The disk is full.');
  });

  it('installs the app once for concurrent requests, also of two clients', async () => {
    const { store, folder, library, install } = await started();
    const other = await openWorld(store, { folder });
    const apps = await Promise.all([install(), install(), other.install(), other.install()]);
    expect(new Set(apps.map(({ version }) => version))).toEqual(new Set(['1.0.0']));
    expect(library.list()).toHaveLength(1);
    expect((await other.library.files(APP)).size).toBeGreaterThan(1);
  });
});

describe('updating', () => {
  it('needs no consent for fewer permissions, but for a later update that adds them again', async () => {
    const { store, install, installer, library } = await started();
    await install();
    library.switch(APP, false);
    store.publish({ version: '1.1.0', remote: { mcpUrl: 'https://mcp.example.com/mcp', domains: [] } });
    const sheet = await installer.prepareInstall(APP);
    expect(sheet).toMatchObject({ replaces: '1.0.0', widened: null, needsConsent: false });
    expect(await installer.install(sheet)).toMatchObject({
      version: '1.1.0',
      consent: { domains: ['mcp.example.com'] },
      on: false,
    });
    store.publish({ version: '1.2.0' });
    const again = await installer.prepareInstall(APP);
    expect(again).toMatchObject({ needsConsent: true, widened: { domainsAdded: ['api.example.com'] } });
    await expect(installer.install(again)).rejects.toMatchObject({ code: 'consent-needed' });
  });

  it.each([
    ['name', { name: 'Letters' }, '/name'],
    ['author', { author: 'Example Ltd' }, '/author'],
    ['permission sentences', { permissions: ['Reads nothing.'] }, '/permissions'],
  ])('needs consent when the app changes its %s', async (_what, change, path) => {
    const { store, install, installer } = await started();
    await install();
    store.publish({ version: '1.1.0', ...change });
    const sheet = await installer.prepareInstall(APP);
    expect(sheet).toMatchObject({
      needsConsent: true,
      widened: { widens: false, changes: [{ path, kind: 'face' }] },
    });
    await expect(installer.install(sheet)).rejects.toMatchObject({ code: 'consent-needed' });
    await installer.install(sheet, { accepted: true, binding: sheet.binding });
    store.publish({ version: '1.2.0', ...change, description: 'Other words.' });
    expect(await installer.prepareInstall(APP)).toMatchObject({ needsConsent: false });
  });

  it('stores the verified permissions, even if the caller changes the sheet', async () => {
    const { installer } = await started();
    const sheet = await installer.prepareInstall(APP);
    sheet.footprint.domains.push('evil.example');
    const { consent } = await installer.install(sheet, { accepted: true, binding: sheet.binding });
    expect(consent.domains).toEqual(['api.example.com', 'mcp.example.com']);
  });

  it('needs consent for new permissions, and stores the new consent', async () => {
    const { store, install, installer, heard } = await started();
    await install();
    store.publish(WIDER);
    const sheet = await installer.prepareInstall(APP);
    expect(sheet).toMatchObject({ needsConsent: true, widened: { domainsAdded: ['more.example.com'] } });
    await expect(installer.install(sheet)).rejects.toMatchObject({ code: 'consent-needed' });
    const app = await installer.install(sheet, { accepted: true, binding: sheet.binding });
    expect(app.consent.domains).toContain('more.example.com');
    expect(heard.at(-1)).toEqual({ type: 'app-updated', appId: APP, version: '1.1.0' });
    // Also of a version that is installed by now.
    await expect(installer.install(sheet)).rejects.toMatchObject({ code: 'consent-needed' });
  });

  it('needs consent when the consent it relied on was removed after the sheet was prepared', async () => {
    const { store, install, installer, library } = await started();
    store.publish(WIDER);
    await install();
    store.publish({ ...WIDER, version: '1.2.0' });
    const sheet = await installer.prepareInstall(APP);
    expect(sheet.needsConsent).toBe(false);
    library.remove(APP);
    await install(APP, '1.0.0');
    await expect(installer.install(sheet)).rejects.toMatchObject({ code: 'consent-needed' });
  });

  it('removes the bundle of the replaced version, and downloads a missing bundle again', async () => {
    const { store, install, storage, library } = await started();
    const first = await install();
    store.publish(WIDER);
    const app = await install();
    const hash = ({ source }: typeof app) => (source.kind === 'store' ? source.sha256 : '');
    expect([storage.bundles.has(hash(app)), storage.bundles.has(hash(first))]).toEqual([true, false]);
    storage.bundles.remove(hash(app));
    await expect(library.files(APP)).rejects.toMatchObject({ code: 'not-verified' });
    await install();
    expect((await library.files(APP)).size).toBeGreaterThan(1);
  });
});

it('refuses to install under the id of an open folder, also one that was opened while the sheet was shown', async () => {
  const { installer, library, store } = await started();
  const sheet = await installer.prepareInstall(APP);
  const manifest = sampleManifest();
  const app = { appId: APP, version: '1.0.0', manifest, on: true, yanked: null };
  const source = { kind: 'developer', folder: '/home/dev/app' } as const;
  library.present({ app: { ...app, consent: footprintOf(manifest), source }, entries: new Map() });
  const installing = installer.install(sheet, { accepted: true, binding: sheet.binding });
  await expect(installing).rejects.toMatchObject({ code: 'id-taken' });
  const asked = store.seen.length;
  await expect(installer.prepareInstall(APP)).rejects.toMatchObject({ code: 'id-taken' });
  expect(store.seen.length).toBe(asked);
});

it('refuses to install under the id of a connector', async () => {
  const store = await startSigningStore();
  store.publish();
  const { library, installer } = await openWorld(store, { folder: await tempFolder() });
  const manifest = sampleManifest();
  library.addConnector({
    ...{ appId: APP, version: '1.0.0', manifest, on: true, yanked: null },
    consent: footprintOf(manifest),
    source: { kind: 'connector', url: 'https://mcp.example.com/mcp' },
  });
  await expect(installer.prepareInstall(APP)).rejects.toMatchObject({
    code: 'id-taken',
    message: 'Another app on this computer has this id.',
  });
});

describe('a process that is killed', () => {
  const SAID = { parts: [{ text: 'did say' }] };

  itAtSteps(
    'during an install leaves no app or a complete one, which others can install and call',
    async (choose) => {
      const { open, another, reopened, install, call, end } = await killedWorld();
      const first = await open();
      const steps = (await another(first, 'install')) ?? 0;
      expect(steps).toBeGreaterThan(8);
      await end(first);
      const points = choose(steps);
      const found = new Set<string | null>();
      let killed = 0;
      for (const at of points) {
        const client = await open();
        // The number of steps varies by background work.
        if ((await another(client, 'install', at)) === null) killed += 1;
        const { version } = await reopened(client);
        found.add(version);
        if (version === null) await install(client);
        expect(await call(client)).toMatchObject(SAID);
        await end(client);
      }
      expect(found.isSubsetOf(new Set([null, '2.0.0']))).toBe(true);
      if (points.length === steps) expect(found.size).toBe(2);
      expect(killed).toBeGreaterThan(points.length / 2);
    },
    DEEP,
  );

  itAtSteps(
    'during an update leaves the old version or the new one, and no token of an account that the update dropped',
    async (choose) => {
      const { connected, another, reopened, install, call, end, expectNoStrays } = await killedWorld();
      const first = await connected();
      const steps = (await another(first, 'install')) ?? 0;
      expect(steps).toBeGreaterThan(10);
      await end(first);
      const points = choose(steps);
      const found = new Set<string | null>();
      let killed = 0;
      for (const at of points) {
        const client = await connected();
        // The number of steps varies by background work.
        if ((await another(client, 'install', at)) === null) killed += 1;
        const { version } = await reopened(client);
        found.add(version);
        expect(await call(client)).toMatchObject(SAID);
        if (version === '1.0.0') await install(client);
        expect(await wholeVersion(client)).toBe('2.0.0');
        expect(await call(client)).toMatchObject(SAID);
        await expectNoStrays(client);
        await end(client);
      }
      expect(found.isSubsetOf(new Set(['1.0.0', '2.0.0']))).toBe(true);
      if (points.length === steps) expect(found.size).toBe(2);
      expect(killed).toBeGreaterThan(points.length / 2);
    },
    DEEP,
  );
});
