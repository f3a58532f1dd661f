import { BOTH_DATABASES } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { needsExtension } from '../../support/extensions.ts';
import { bodyOf, openTestStore, type TestStore } from '../../support/test-store.ts';

const PAGES = needsExtension('storefront');

const PATH = '/api/admin/featured';
const IDS = ['a', 'b', 'c'].map((name) => `com.example.${name}`);
const [A = '', B = '', C = ''] = IDS;

async function opened(): Promise<TestStore> {
  const store = await openTestStore();
  const token = await store.publisherToken('example', true);
  for (const id of IDS) {
    await store.publish(token, { id, name: `App ${id.at(-1)}` });
    await store.decide('approve', '1.0.0', {}, id);
  }
  return store;
}

const set = (store: TestStore, apps: unknown, from?: unknown) =>
  bodyOf(store.admin('PUT', PATH, { apps, ...(from !== undefined && { from }) }));

const idsOf = ({ apps }: { apps: { appId: string }[] }) => apps.map(({ appId }) => appId);

/** The ids of the featured apps, in their order, as clients get them. */
const listed = async (store: TestStore): Promise<string[]> =>
  idsOf(await bodyOf(store.call('GET', '/api/apps/catalog?featured=1')));

/** Those on a page of the catalogue. */
async function shown(store: TestStore, path: string): Promise<string[]> {
  const text = await (await store.call('GET', path)).text();
  const [row = ''] = /<section class="featured".*?<\/section>/s.exec(text) ?? [];
  return Array.from(row.matchAll(/<a href="\/apps\/([^"]+)">/g), ([, id = '']) => id);
}

const actions = async (store: TestStore) =>
  (await bodyOf(store.admin('GET', '/api/admin/audit?action=featured.change'))).entries;

describe('the featured apps', () => {
  it(
    'are empty at first, and then shown in the order that the administrator chooses',
    BOTH_DATABASES,
    async () => {
      const store = await opened();
      expect((await bodyOf(store.admin('GET', PATH))).apps).toEqual([]);
      expect(await listed(store)).toEqual([]);
      expect(idsOf(await set(store, [C, A]))).toEqual([C, A]);
      expect(await listed(store)).toEqual([C, A]);
      await set(store, [A, C, B]);
      expect(await listed(store)).toEqual([A, C, B]);
      await set(store, []);
      expect(await listed(store)).toEqual([]);
    },
  );

  it('are alone in their list for clients, with their number', async () => {
    const store = await opened();
    const list = () => bodyOf(store.call('GET', '/api/apps/catalog?featured=1'));
    expect(await list()).toMatchObject({ apps: [], nextCursor: null, total: 0 });
    await set(store, [C, A]);
    expect(await list()).toMatchObject({ nextCursor: null, total: 2 });
  });

  it('are shown only on the first page of the catalogue, for any sort order', PAGES, async () => {
    const store = await opened();
    for (const apps of [[C, B], [B], []]) {
      await set(store, apps);
      expect(await shown(store, '/')).toEqual(apps);
      expect(await shown(store, '/?sort=name')).toEqual(apps);
      for (const path of ['/?q=app', '/?category=media', '/categories/media'])
        expect([path, await shown(store, path)]).toEqual([path, []]);
    }
  });

  it.each([
    [
      'the app is suspended',
      (store: TestStore, suspended: boolean) => store.admin('PATCH', `/api/admin/apps/${B}`, { suspended }),
    ],
    [
      'its publisher is suspended',
      (store: TestStore, suspended: boolean) =>
        store.admin('PATCH', '/api/admin/publishers/example', { suspended }),
    ],
    [
      'its version is yanked',
      (store: TestStore, yanked: boolean) =>
        store.admin(
          'POST',
          yanked ? `/api/apps/${B}/versions/1.0.0/yank` : `/api/admin/apps/${B}/versions/1.0.0/unyank`,
          { reason: 'It lost notes.' },
        ),
    ],
  ] as const)('omit an app while %s, and show it at its position afterwards', async (_what, turn) => {
    const store = await opened();
    await set(store, [A, B]);
    expect(await listed(store)).toContain(B);
    expect((await turn(store, true)).status).toBe(200);
    expect(await listed(store)).not.toContain(B);
    const { apps } = await bodyOf(store.admin('GET', PATH));
    expect(apps[1]).toEqual({ appId: B, name: 'App b', publisher: 'The example', version: null });
    // A changed list may still contain it.
    expect((await set(store, [B, A])).httpStatus).toBe(200);
    await turn(store, false);
    expect(await listed(store)).toEqual([B, A]);
  });

  it('reject invalid lists and apps that are not listed, with the path of each', async () => {
    const store = await opened();
    for (const [apps, path] of [
      [['com.example.none'], '/apps/0'],
      [[A, 'com.example.none'], '/apps/1'],
      [[A, A], '/apps'],
      [Array.from({ length: 13 }, (_, n) => `com.example.app${n}`), '/apps'],
      [['x'.repeat(65)], '/apps/0'],
      [A, '/apps'],
    ] as const) {
      const issues = expect.arrayContaining([expect.objectContaining({ path })]);
      expect(await set(store, apps)).toMatchObject({ httpStatus: 400, code: 'invalid_request', issues });
    }
    expect((await bodyOf(store.admin('GET', PATH))).apps).toEqual([]);
  });

  it('reject an app that waits for its first review', async () => {
    const store = await opened();
    await store.publish(await store.publisherToken('other'), { id: 'org.other.new', publisher: 'other' });
    expect(await set(store, ['org.other.new'])).toMatchObject({ issues: [{ path: '/apps/0' }] });
  });

  it(
    'accept one of two concurrent changes of the same list, and answer 409 to the other',
    BOTH_DATABASES,
    async () => {
      const store = await opened();
      await set(store, [A]);
      const both = await Promise.all([set(store, [A, B], [A]), set(store, [A, C], [A])]);
      expect(both.map(({ httpStatus }) => httpStatus).sort()).toEqual([200, 409]);
      expect(both.find(({ httpStatus }) => httpStatus === 409)?.code).toBe('already_handled');
    },
  );

  it('record each change in the audit log, with the list before', async () => {
    const store = await opened();
    await set(store, [A, B]);
    await set(store, [A, B]);
    await set(store, [B]);
    expect(await actions(store)).toMatchObject([
      { actor: 'automation', detail: { apps: [B], before: [A, B] } },
      { actor: 'automation', detail: { apps: [A, B], before: [] } },
    ]);
  });
});
