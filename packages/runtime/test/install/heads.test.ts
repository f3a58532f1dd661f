import { describe, expect, it } from 'vitest';
import { createHeads } from '../../src/install/heads.ts';
import { checkUpdates } from '../../src/install/update-apps.ts';
import { APP, newKey, startSigningStore } from '../support/signing-store.ts';
import { openWorld, system } from '../support/world.ts';

const HEAD = `/api/apps/${APP}/head`;
const NEVER = new AbortController().signal;

async function started() {
  const store = await startSigningStore();
  store.publish();
  const world = await openWorld(store);
  const seen: string[] = [];
  // That its store has no log is a test of logs.
  world.events.subscribe(({ type }) => type !== 'log-missing' && seen.push(type));
  const check = () => checkUpdates({ ...world, decide: { ask: async () => ({ accepted: false }) } }, NEVER);
  return { store, ...world, seen, check };
}

describe('the head of an app', () => {
  it('decides which version is the latest, whatever the catalogue says', async () => {
    const { store, installer } = await started();
    const old = store.headOf(APP);
    store.publish({ version: '1.1.0' });
    store.lie(`/api/apps/${APP}`, (response) => response.writeHead(500).end());
    expect((await installer.prepareInstall(APP)).app.version).toBe('1.1.0');
    expect(old?.latest).toBe('1.0.0');
  });

  it.each([
    ['as they were signed', {}],
    ['with another name of the key, which is not signed', { keyId: 'mirror' }],
  ])(
    'of a mirror that replays old answers %s is refused by a client that has seen a newer one',
    async (_, changed) => {
      const { store, installer, install, library, check } = await started();
      const replayed = { head: store.headOf(APP), bundle: [...store.state.published.values()][0] };
      await install();
      store.publish({ version: '1.0.7' });
      expect(await check()).toMatchObject([{ outcome: 'updated', to: '1.0.7' }]);
      store.lie(HEAD, (response) => store.answer(response, 200, { ...replayed.head, ...changed }));
      await expect(installer.prepareInstall(APP)).rejects.toMatchObject({ code: 'rolled-back' });
      expect(await check()).toMatchObject([{ outcome: 'refused', reason: 'rolled-back' }]);
      expect(library.get(APP)?.version).toBe('1.0.7');
      store.lie(HEAD, null);
      expect(await check()).toMatchObject([{ outcome: 'current' }]);
    },
  );

  it('with the time of the last accepted one but other versions is refused', async () => {
    const { store, installer, install } = await started();
    await install();
    const at = store.state.headAt;
    store.publish({ version: '1.1.0' });
    store.state.headAt = at;
    await expect(installer.prepareInstall(APP)).rejects.toMatchObject({ code: 'rolled-back' });
  });

  it('must cover the version with its bytes', async () => {
    const { store, installer } = await started();
    const covered = store.headOf(APP);
    store.publish({ version: '1.1.0' });
    store.lie(HEAD, (response) => store.answer(response, 200, covered));
    await expect(installer.prepareInstall(APP, '1.1.0')).rejects.toMatchObject({ code: 'not-verified' });
    expect((await installer.prepareInstall(APP, '1.0.0')).app.version).toBe('1.0.0');
  });

  it.each([
    [
      'by another key',
      'is not signed by the current key',
      (head: object) => ({ ...head, signature: `${'A'.repeat(86)}==` }),
    ],
    ['with another list', 'not those that the store signed', (head: object) => ({ ...head, list: [] })],
    [
      'with another version in its list',
      'not those that the store signed',
      ({ list = [], ...head }: { list?: object[] }) => ({
        ...head,
        list: [...list, { version: '9.0.0', sha256: 'a'.repeat(64), state: 'published' }],
      }),
    ],
    [
      'without its list',
      'not those that the store signed',
      ({ list: _, ...head }: { list?: unknown }) => head,
    ],
    ['with an unknown field', 'invalid', (head: object) => ({ ...head, extra: 1 })],
    [
      'under the name of another app',
      'is not signed',
      (head: object) => ({ ...head, appId: 'com.example.other' }),
    ],
    ['with another latest version', 'is not signed', (head: object) => ({ ...head, latest: '0.9.0' })],
  ])('%s is refused', async (_what, message, change) => {
    const { store, installer } = await started();
    const head = store.headOf(APP) as object;
    store.lie(HEAD, (response) => store.answer(response, 200, change(head)));
    await expect(installer.prepareInstall(APP)).rejects.toMatchObject({
      code: expect.stringMatching(/not-verified|store-unreachable/),
      message: expect.stringContaining(message),
    });
  });

  it('of another app, which the store signed for that one, is refused', async () => {
    const { store, installer } = await started();
    store.publish({ id: 'com.example.other', version: '9.0.0' });
    store.lie(HEAD, (response) => store.answer(response, 200, store.headOf('com.example.other')));
    await expect(installer.latest(APP)).rejects.toMatchObject({
      code: 'not-verified',
      message: 'The store answered with the list of versions of another app.',
    });
  });

  it('of a retired key is refused, and that of its successor accepted', async () => {
    const { store, installer, install, check } = await started();
    await install();
    const retired = store.headOf(APP);
    store.rotate('2026-02-01T00:00:00.000Z');
    const current = store.headOf(APP);
    store.lie(HEAD, (response) =>
      store.answer(response, 200, { ...current, signature: `${'A'.repeat(86)}==` }),
    );
    await expect(installer.prepareInstall(APP)).rejects.toMatchObject({ code: 'not-verified' });
    store.lie(HEAD, null);
    expect(await check()).toMatchObject([{ outcome: 'current' }]);
    store.lie(HEAD, (response) => store.answer(response, 200, retired));
    await expect(installer.prepareInstall(APP)).rejects.toMatchObject({ code: 'not-verified' });
    const stranger = newKey();
    store.state.key = stranger;
    store.lie(HEAD, null);
    await expect(installer.prepareInstall(APP)).rejects.toMatchObject({ code: 'not-verified' });
  });

  it('of a key that another process has replaced meanwhile is refused', async () => {
    const { store, install, folder, ...world } = await started();
    await install();
    const other = await openWorld(store, { folder });
    const keys = {
      ...world.keys,
      async forRevocations() {
        const ring = await world.keys.forRevocations();
        store.rotate('2026-02-01T00:00:00.000Z');
        await other.keys.follow();
        return ring;
      },
    };
    const heads = createHeads({ ...world, system, keys });
    await expect(heads.of(APP)).rejects.toMatchObject({ code: 'rolled-back' });
  });

  it('is reported when it is more than three hours old, and still used', async () => {
    const { store, installer, install, seen, check, folder } = await started();
    store.state.headAt = system.now() - 3 * 3_600_000 - 1;
    expect((await install()).version).toBe('1.0.0');
    expect(seen).toEqual(['head-stale', 'app-installed']);
    const stale = {
      ...{ store: store.url, appId: APP, receivedAt: new Date(system.now()).toISOString() },
      signedAt: new Date(store.state.headAt).toISOString(),
    };
    expect(installer.stale()).toEqual([stale]);
    // Another process of the client knows it too.
    expect((await openWorld(store, { folder })).installer.stale()).toEqual([stale]);
    store.state.headAt = system.now() - 3 * 3_600_000;
    await check();
    expect([seen.length, installer.stale()]).toEqual([2, []]);
  });

  it('is no longer reported as old once its app is removed', async () => {
    const { store, installer, install, library } = await started();
    store.state.headAt = system.now() - 3 * 3_600_000 - 1;
    await install();
    expect(installer.stale()).toHaveLength(1);
    library.remove(APP);
    expect(installer.stale()).toEqual([]);
  });

  it('is missing in older stores, which is said once, but never after there was one', async () => {
    const { store, installer, seen } = await started();
    store.state.headAt = null;
    expect((await installer.prepareInstall(APP)).app.version).toBe('1.0.0');
    await installer.prepareInstall(APP);
    expect(seen).toEqual(['heads-missing']);
    store.state.headAt = system.now();
    await installer.prepareInstall(APP);
    store.state.headAt = null;
    await expect(installer.prepareInstall(APP)).rejects.toMatchObject({ code: 'rolled-back' });
    await expect(installer.prepareInstall('com.example.gone')).rejects.toMatchObject({
      code: 'store-refused',
    });
    expect(seen).toEqual(['heads-missing']);
  });
});
