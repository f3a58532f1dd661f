import { keyRing, verifyManaged } from '@svc/signing';
import { BOTH_DATABASES } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { bodyOf, openTestStore, type TestStore } from '../../support/test-store.ts';

const PATH = '/api/admin/managed-settings';
const APP = 'com.example.notes';

async function opened(environment: Record<string, string> = {}): Promise<TestStore> {
  const store = await openTestStore({ environment });
  await store.publish(await store.publisherToken('example', true), { id: APP });
  await store.decide('approve', '1.0.0', {}, APP);
  return store;
}

const put = (store: TestStore, settings: unknown, more: object = {}) =>
  bodyOf(store.admin('PUT', PATH, { settings, ...more }));

async function served(store: TestStore) {
  const { publicKeyPem } = await bodyOf(store.call('GET', '/api/apps/public-key'));
  const statement = await bodyOf(store.call('GET', '/api/managed-settings'));
  expect(verifyManaged(statement, keyRing([{ publicKeyPem }]))).toBe(true);
  return statement;
}

const actions = async (store: TestStore) =>
  (await bodyOf(store.admin('GET', '/api/admin/audit?action=managed.change'))).entries;

describe('managed settings', () => {
  it('are signed from the start, empty before they are set', BOTH_DATABASES, async () => {
    const store = await opened();
    expect(await served(store)).toMatchObject({ managed: {}, changedAt: '1970-01-01T00:00:00.000Z' });
    const { changedAt } = await put(store, { requiredApps: [APP], exportChats: false });
    expect(await served(store)).toMatchObject({
      managed: { requiredApps: [APP], exportChats: false },
      changedAt,
    });
    expect(await bodyOf(store.admin('GET', PATH))).toMatchObject({ changedAt, warnings: [] });
  });

  it('change nothing when they are the same, and a dry run neither', BOTH_DATABASES, async () => {
    const store = await opened();
    const first = await put(store, { exportChats: false });
    expect(await put(store, { exportChats: false })).toEqual(first);
    await put(store, { exportChats: true }, { dryRun: true });
    expect(await served(store)).toMatchObject({
      managed: { exportChats: false },
      changedAt: first.changedAt,
    });
    expect(await actions(store)).toHaveLength(1);
  });

  it('have a later time at each change, also by a clock that was set back', BOTH_DATABASES, async () => {
    const store = await opened();
    const first = await put(store, { exportChats: false });
    store.advance(-5 * 86_400_000);
    const second = await put(store, {});
    expect(second.changedAt > first.changedAt).toBe(true);
  });

  it('are not overwritten by an administrator who read earlier ones', async () => {
    const store = await opened();
    const { changedAt } = await put(store, { exportChats: false }, { from: null });
    expect(await put(store, { exportChats: true }, { from: null })).toMatchObject({
      code: 'already_handled',
    });
    expect((await put(store, {}, { from: changedAt })).settings).toEqual({});
  });

  it.each<[string, object, string]>([
    [
      'a required app that is refused',
      { requiredApps: [APP], refusedApps: ['com.example.*'] },
      '/settings/requiredApps/0',
    ],
    [
      'a required connector that is refused',
      { requiredConnectors: ['https://mcp.example.com/mcp'], refusedConnectors: ['*.example.com'] },
      '/settings/requiredConnectors/0',
    ],
    [
      'a version that no desktop can have',
      { minimumVersions: { [APP]: '1.0.1' } },
      `/settings/minimumVersions/${APP}`,
    ],
    [
      'a permission that a required app needs',
      { requiredApps: [APP], refusedPermissions: ['files:receive'] },
      '/settings/requiredApps/0',
    ],
    ['members of a public store', { memberHours: 24 }, '/settings/memberHours'],
  ])('refuse %s', async (_, settings, path) => {
    const store = await opened();
    const refused = await put(store, settings);
    expect(refused).toMatchObject({ code: 'invalid_request', issues: [{ path }] });
    expect(await served(store)).toMatchObject({ managed: {} });
  });

  it.each([
    { requiredApps: ['Notes'] },
    { requiredConnectors: ['http://mcp.example.com'] },
    { allowedProviders: ['https://api.example.com'] },
    { updateHours: { from: '22:00', to: '22:00' } },
    { memberHours: 0 },
    { unknown: true },
  ])('refuse %j', async (settings) => {
    expect(await put(await opened(), settings)).toMatchObject({ code: 'invalid_request' });
  });

  it('stay as they are when a required app is yanked, and say so', async () => {
    const store = await opened();
    const settings = { requiredApps: [APP], minimumVersions: { [APP]: '1.0.0' } };
    expect((await put(store, settings)).warnings).toEqual([]);
    await store.admin('POST', `/api/apps/${APP}/versions/1.0.0/yank`, { reason: 'It leaks.' });
    const again = await put(store, settings);
    expect(again).toMatchObject({ settings, warnings: [expect.stringContaining(APP)] });
    expect((await served(store)).managed).toEqual(settings);
  });

  it('lock out neither their author nor the administration, however strict they are', async () => {
    const store = await opened({ SVC_READ: 'members' });
    const strictest = {
      ...{
        allowedApps: [],
        allowedConnectors: [],
        localConnectors: false,
        allowedProviders: [],
        allowedModels: [],
      },
      ...{
        allowedAgents: [],
        exportChats: false,
        developerMode: false,
        installUpdates: false,
        memberHours: 1,
      },
    };
    expect((await put(store, strictest)).settings).toEqual(strictest);
    const author = await store.signedIn('anna', { role: 'administrator' });
    expect((await store.call('GET', PATH, { session: author })).status).toBe(200);
    const back = store.call('PUT', PATH, { session: author, json: { settings: {} } });
    expect(await bodyOf(back)).toMatchObject({ settings: {} });
    expect(await bodyOf(store.admin('GET', PATH))).toMatchObject({ settings: {} });
  });

  it('are for members alone in a store that only members may read', async () => {
    const store = await opened({ SVC_READ: 'members' });
    expect((await store.call('GET', '/api/managed-settings', { token: null })).status).toBe(401);
    expect((await put(store, { memberHours: 24 })).settings).toEqual({ memberHours: 24 });
  });
});
