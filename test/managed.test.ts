import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MANAGED_KEYS, type ManagedKey, type ManagedSettings } from '@svc/contracts';
import { generateSigningKeyPem, readSigningKey, signManaged } from '@svc/signing';
import { openScriptModel } from '@svc/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openTestDesktop } from '../apps/desktop/test/support/test-desktop.ts';
import { APP } from '../packages/runtime/test/support/signing-store.ts';
import { tempFolder } from '../packages/runtime/test/support/temp-folder.ts';
import { connectAgent } from './support/gateway-world.ts';
import {
  desktopWith,
  type From,
  type ManagedDesktop,
  managedDesktop,
  managedStore,
  movableSystem,
} from './support/managed-world.ts';

const HOUR_MS = 3_600_000;
const ADDRESS = 'https://mcp.example.com/mcp';

/** The refusal of a company, by this setting. */
const notAllowed = (setting: ManagedKey) =>
  expect.objectContaining({ code: 'not-allowed', detail: expect.objectContaining({ setting }) });

/** A setting, and what of it is seen at a desktop: without the setting, the same is allowed. */
type Case<Key extends ManagedKey = ManagedKey> = {
  set: NonNullable<ManagedSettings[Key]>;
  /** @param isSet whether the setting is in force */
  seen(desktop: ManagedDesktop, isSet: boolean, advance: (ms: number) => void): Promise<void>;
};

async function modelsOf(isSet: boolean, { page }: ManagedDesktop, model: string, message: RegExp) {
  const script = await openScriptModel(() => ({ text: ['Hello.'] }));
  onTestFinished(() => script.close());
  const asked = { baseUrl: script.baseUrl, key: null, model };
  const { body } = await page.call('models.check', asked);
  expect(body.fault?.message ?? '').toMatch(isSet ? message : /^(?!.*company)/);
  const added = await page.call('models.add', { name: 'Script', ...asked });
  expect(added.status === 200).toBe(!isSet);
}

/** What each setting does. A setting without a case does not compile, and a case that shows nothing fails without the setting. */
const CASES: { [Key in ManagedKey]-?: Case<Key> } = {
  mirrors: {
    set: ['http://127.0.0.1:9/svc'],
    async seen({ runtime, page }, isSet) {
      // A mirror that is away stops nothing.
      expect((await runtime.reader.detail(APP)).appId).toBe(APP);
      const left = { since: expect.any(Number), why: expect.stringContaining('does not answer') };
      expect(runtime.mirrors()).toEqual(isSet ? [{ address: 'http://127.0.0.1:9/svc', left }] : []);
      const { body } = await page.call('client.show', {});
      expect(body.mirrors.map(({ address }: { address: string }) => address)).toEqual(
        isSet ? ['http://127.0.0.1:9/svc'] : [],
      );
    },
  },
  requiredApps: {
    set: [APP],
    async seen({ runtime }, isSet) {
      expect(runtime.library.get(APP) !== null).toBe(isSet);
      if (!isSet) return;
      expect(() => runtime.library.switch(APP, false)).toThrow(notAllowed('requiredApps'));
      await expect(runtime.remove(APP)).rejects.toEqual(notAllowed('requiredApps'));
      expect(runtime.library.requireUsable(APP).on).toBe(true);
    },
  },
  allowedApps: {
    set: ['com.other.*'],
    async seen({ install }, isSet) {
      if (isSet) await expect(install()).rejects.toEqual(notAllowed('allowedApps'));
      else expect((await install()).appId).toBe(APP);
    },
  },
  refusedApps: {
    set: ['com.example.*'],
    async seen({ install }, isSet) {
      if (isSet) await expect(install()).rejects.toEqual(notAllowed('refusedApps'));
      else expect((await install()).appId).toBe(APP);
    },
  },
  minimumVersions: {
    set: { [APP]: '2.0.0' },
    async seen({ install, runtime, store }, isSet) {
      if (isSet) await expect(install()).rejects.toEqual(notAllowed('minimumVersions'));
      else await install();
      store.publish({ id: APP, version: '2.0.0' });
      expect((await install('2.0.0')).version).toBe('2.0.0');
      expect(runtime.library.requireUsable(APP).version).toBe('2.0.0');
    },
  },
  requiredConnectors: {
    set: [ADDRESS],
    async seen({ runtime }, isSet) {
      const [added] = runtime.library.list().filter(({ source }) => source.kind === 'connector');
      expect(added !== undefined).toBe(isSet);
      if (added) await expect(runtime.remove(added.appId)).rejects.toEqual(notAllowed('requiredConnectors'));
    },
  },
  allowedConnectors: {
    set: ['*.corp.example'],
    async seen({ runtime }, isSet) {
      if (isSet) await expect(runtime.addConnector(ADDRESS)).rejects.toEqual(notAllowed('allowedConnectors'));
      else expect((await runtime.addConnector(ADDRESS)).on).toBe(true);
    },
  },
  refusedConnectors: {
    set: ['mcp.example.com'],
    async seen({ runtime }, isSet) {
      if (isSet) await expect(runtime.addConnector(ADDRESS)).rejects.toEqual(notAllowed('refusedConnectors'));
      else expect((await runtime.addConnector(ADDRESS)).on).toBe(true);
    },
  },
  localConnectors: {
    set: false,
    async seen({ runtime }, isSet) {
      const added = runtime.addLocalConnector({ command: '/no/such/program' });
      await expect(added).rejects.toMatchObject({ code: isSet ? 'not-offered' : 'command-refused' });
    },
  },
  refusedPermissions: {
    set: ['files:receive'],
    async seen({ install }, isSet) {
      if (isSet) await expect(install()).rejects.toEqual(notAllowed('refusedPermissions'));
      else expect((await install()).appId).toBe(APP);
    },
  },
  allowedProviders: {
    set: ['models.corp.example'],
    seen: (desktop, isSet) =>
      modelsOf(isSet, desktop, 'script', /company does not allow models at localhost/),
  },
  allowedModels: {
    set: ['corp-*'],
    seen: (desktop, isSet) => modelsOf(isSet, desktop, 'script', /company does not allow the model script/),
  },
  allowedAgents: {
    set: ['codex'],
    async seen({ agent }, isSet) {
      const client = await connectAgent(agent, { name: 'claude-code', query: { project: 'project-1' } });
      if (isSet) await expect(client.listTools()).rejects.toThrow('Your company does not allow this agent');
      else expect((await client.listTools()).tools).not.toEqual([]);
    },
  },
  exportChats: {
    set: false,
    async seen({ page }, isSet) {
      const { chat } = (await page.call('chats.create', { project: 'project-1' })).body;
      const one = await page.call('chats.export', { chat: chat.id });
      expect([one.body.code, (await page.get('/conversations')).status === 200]).toEqual(
        isSet ? ['not-allowed', false] : [undefined, true],
      );
    },
  },
  developerMode: {
    set: false,
    async seen({ runtime }, isSet) {
      const folder = await tempFolder();
      await mkdir(join(folder, 'assets'));
      await writeFile(join(folder, 'plugin.json'), '{}');
      const opened = runtime.openFolder(folder);
      if (isSet) await expect(opened).rejects.toEqual(notAllowed('developerMode'));
      else await (await opened).close();
    },
  },
  installUpdates: {
    set: true,
    async seen({ runtime, page, install, store }, isSet) {
      await install();
      await page.call('apps.installUpdates', { on: false });
      store.publish({ id: APP, version: '1.1.0' });
      expect((await page.call('apps.updates', {})).body.installsNow).toBe(isSet);
      expect(runtime.library.get(APP)?.version).toBe('1.0.0');
    },
  },
  updateHours: {
    // A minute that is not now, whenever this test runs.
    set: otherMinute(),
    async seen({ page }, isSet) {
      expect((await page.call('apps.updates', {})).body.installsNow).toBe(!isSet);
    },
  },
  memberHours: {
    set: 24,
    async seen({ install, runtime }, isSet, advance) {
      await install();
      expect(runtime.library.requireUsable(APP).on).toBe(true);
      advance(25 * HOUR_MS);
      if (isSet) expect(() => runtime.library.requireUsable(APP)).toThrow('not reached for 24 hours');
      else expect(runtime.library.requireUsable(APP).on).toBe(true);
    },
  },
};

function otherMinute() {
  const hour = (new Date().getHours() + 12) % 24;
  const text = String(hour).padStart(2, '0');
  return { from: `${text}:00`, to: `${text}:01` };
}

/** A machine does not know who is a member of a store. */
const ONLY_FROM_STORE: readonly ManagedKey[] = ['memberHours'];

describe.each<From>(['machine', 'store'])('a desktop of a company whose settings are from the %s', (from) => {
  const keys = MANAGED_KEYS.filter((key) => from === 'store' || !ONLY_FROM_STORE.includes(key));

  it.each(keys)('obeys %s, and names it in its settings', async (key) => {
    const system = movableSystem();
    const { set, seen } = CASES[key] as Case;
    const desktop = await desktopWith({ [key]: set }, from, { system });
    const { managed } = (await desktop.page.call('client.show', {})).body;
    expect(managed?.settings).toMatchObject([{ key, from, title: expect.stringMatching(/./) }]);
    await seen(desktop, true, system.advance);
  });
});

describe('a desktop without settings of a company', () => {
  it.each(MANAGED_KEYS)('does what %s would refuse', async (key) => {
    const system = movableSystem();
    const desktop = await desktopWith({}, 'store', { system });
    await (CASES[key] as Case).seen(desktop, false, system.advance);
  });
});

describe('the managed settings of a store', () => {
  const fromStore = { settings: {}, fromStore: true };

  it('take effect while the desktop runs, and end what they refuse', async () => {
    const store = await managedStore();
    store.set({});
    const desktop = await managedDesktop(store, fromStore);
    const { runtime } = desktop;
    await desktop.install();
    const heard: unknown[] = [];
    runtime.events.subscribe((event) => heard.push(event));
    store.set({ refusedApps: [APP] });
    expect(await runtime.managed?.check()).toBeNull();
    expect(() => runtime.library.requireUsable(APP)).toThrow(notAllowed('refusedApps'));
    expect(heard).toContainEqual(expect.objectContaining({ type: 'app-switched', appId: APP, on: false }));
    store.set({});
    await runtime.managed?.check();
    expect(runtime.library.requireUsable(APP).on).toBe(true);
  });

  it('are refused by another key, as older ones, and while the store is gone: the last ones stay', async () => {
    const store = await managedStore();
    const first = store.set({ exportChats: false });
    const desktop = await managedDesktop(store, fromStore);
    const { managed } = desktop.runtime;
    const strict = managed?.rules();
    expect(strict?.[1]).toEqual({ exportChats: false });
    const foreign = readSigningKey(generateSigningKeyPem());
    store.offer(signManaged({ managed: {}, changedAt: '2027-01-01T00:00:00.000Z' }, first.signedAt, foreign));
    expect(await managed?.check()).toBe('not-verified');
    store.offer({ ...first, managed: {} });
    expect(await managed?.check()).toBe('not-verified');
    store.set({}, '2025-01-01T00:00:00.000Z');
    expect(await managed?.check()).toBe('rolled-back');
    store.lie('/api/managed-settings', (response) => response.writeHead(503).end());
    expect(await managed?.check()).toBe('store-unreachable');
    expect(managed?.rules()).toEqual(strict);
    expect(managed?.ofStore()).toMatchObject({ changedAt: first.changedAt, refused: 'store-unreachable' });
  });

  it('allow nothing that they could refuse before the first ones came', async () => {
    const store = await managedStore();
    const desktop = await managedDesktop(store, fromStore);
    await expect(desktop.install()).rejects.toEqual(notAllowed('allowedApps'));
    expect(desktop.runtime.managed?.ofStore()).toMatchObject({ changedAt: null, refused: 'store-refused' });
    store.set({});
    await desktop.runtime.managed?.check();
    expect((await desktop.install()).appId).toBe(APP);
  });

  it('leave a required app off while it is yanked, and install its fix', async () => {
    const store = await managedStore();
    store.set({ requiredApps: [APP] });
    const { runtime } = await managedDesktop(store, fromStore);
    expect(runtime.library.get(APP)?.version).toBe('1.0.0');
    store.yank('2026-01-02T00:00:00.000Z', '1.0.0');
    await runtime.revocations.check();
    await runtime.managed?.check();
    expect(runtime.library.get(APP)).toMatchObject({
      version: '1.0.0',
      yanked: { reason: 'It lost notes.' },
    });
    expect(() => runtime.library.requireUsable(APP)).toThrow(expect.objectContaining({ code: 'yanked' }));
    store.publish({ id: APP, version: '1.0.1' });
    await runtime.managed?.check();
    expect(runtime.library.requireUsable(APP).version).toBe('1.0.1');
  });

  it('stay while the store is gone for a month: its apps stop after the hours of the company, and work again at the next contact', async () => {
    const store = await managedStore();
    const system = movableSystem();
    store.set({ memberHours: 24, exportChats: false });
    const { runtime, install } = await managedDesktop(store, fromStore, { system });
    await install();
    store.lie('/api/managed-settings', (response) => response.writeHead(503).end());
    for (let day = 0; day < 30; day += 1) {
      system.advance(24 * HOUR_MS);
      expect(await runtime.managed?.check()).toBe('store-unreachable');
    }
    expect(runtime.managed?.rules()[1]).toEqual({ memberHours: 24, exportChats: false });
    const usable = () => runtime.library.requireUsable(APP);
    expect(usable).toThrow(expect.objectContaining({ code: 'store-unreachable' }));
    store.set({ memberHours: 24 });
    store.comeBack();
    expect(await runtime.managed?.check()).toBeNull();
    expect(usable().version).toBe('1.0.0');
  });

  it('apply to a laptop that wakes after a year, with the yanks of that year, at its first contact', async () => {
    const store = await managedStore();
    const system = movableSystem();
    store.set({});
    const { runtime, install } = await managedDesktop(store, fromStore, { system });
    await install();
    system.advance(365 * 24 * HOUR_MS);
    store.yank(new Date(system.now()).toISOString(), '1.0.0');
    store.publish({ id: APP, version: '1.0.1' });
    store.set({ requiredApps: [APP], minimumVersions: { [APP]: '1.0.1' } });
    expect((await runtime.revocations.check()).refused).toBeNull();
    expect(() => runtime.library.requireUsable(APP)).toThrow(expect.objectContaining({ code: 'yanked' }));
    expect(await runtime.managed?.check()).toBeNull();
    expect(runtime.library.requireUsable(APP).version).toBe('1.0.1');
  });

  it('apply on a computer whose clock is five days ahead, as yanks do, and nothing waits for that time once it is right', async () => {
    const store = await managedStore();
    const system = movableSystem();
    store.set({ memberHours: 24 });
    const { runtime, install } = await managedDesktop(store, fromStore, { system });
    await install();
    const usable = () => runtime.library.requireUsable(APP).version;
    const FIVE_DAYS_MS = 5 * 24 * HOUR_MS;
    system.advance(FIVE_DAYS_MS);
    expect(usable).toThrow(expect.objectContaining({ code: 'store-unreachable' }));
    expect(await runtime.managed?.check()).toBeNull();
    expect(usable()).toBe('1.0.0');
    store.yank(new Date().toISOString(), '1.0.0');
    // By this clock the newest list is five days old.
    expect(await runtime.revocations.check()).toMatchObject({ refused: null, stale: true });
    expect(usable).toThrow(expect.objectContaining({ code: 'yanked' }));
    store.set({ memberHours: 24, requiredApps: [APP] });
    store.publish({ id: APP, version: '1.0.1' });
    expect(await runtime.managed?.check()).toBeNull();
    expect(usable()).toBe('1.0.1');
    system.advance(-FIVE_DAYS_MS);
    // A contact in the future counts as none.
    expect(usable).toThrow(expect.objectContaining({ code: 'store-unreachable' }));
    expect(await runtime.managed?.check()).toBeNull();
    expect(await runtime.revocations.check()).toMatchObject({ refused: null, stale: false });
    expect(usable()).toBe('1.0.1');
    store.set({ memberHours: 24, refusedApps: [APP] });
    expect(await runtime.managed?.check()).toBeNull();
    expect(usable).toThrow(notAllowed('refusedApps'));
  });

  it('need the key of the store', async () => {
    const store = await managedStore();
    await expect(
      openTestDesktop({ store: store.url, managed: fromStore, fetchStore: fetch }),
    ).rejects.toThrow(/need the key of the store/);
  });
});
