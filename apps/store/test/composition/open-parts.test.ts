import { cp, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SettingError } from '../../src/composition/settings.ts';
import { onPostgres } from '../support/database.ts';
import { bodyOf, openTestStore, type TestStore } from '../support/test-store.ts';

/** Changes to a data folder that a test reverts without a restart. */
const REMOVALS: [name: string, part: string, harm: (path: string) => Promise<void>][] = [
  ['the folder of uploads is removed', 'incoming', (path) => rename(path, `${path}-away`)],
  ['the bundles are removed', 'blobs', (path) => rename(path, `${path}-away`)],
  ['an empty folder replaces the bundles', 'blobs', unmount],
  ['a copy replaces the bundles', 'blobs', exchange],
  ...(onPostgres()
    ? []
    : ([
        ['the database is removed', 'store.sqlite', (path) => rename(path, `${path}-away`)],
        ['the log of the database is removed', 'store.sqlite-wal', (path) => rename(path, `${path}-away`)],
        ['a copy replaces the database', 'store.sqlite', exchange],
      ] satisfies [string, string, (path: string) => Promise<void>][])),
];

async function unmount(path: string): Promise<void> {
  await rename(path, `${path}-away`);
  await mkdir(path);
}

async function exchange(path: string): Promise<void> {
  await cp(path, `${path}-copy`, { recursive: true });
  await rename(path, `${path}-away`);
  await rename(`${path}-copy`, path);
}

async function published(): Promise<{ store: TestStore; token: string }> {
  const store = await openTestStore();
  const token = await store.publisherToken('example', true);
  await store.publish(token);
  await store.decide('approve', '1.0.0');
  return { store, token };
}

describe('a running store whose files are removed', () => {
  it.each(REMOVALS)(
    '%s: it is not ready, refuses uploads, and works again once they are restored',
    async (_name, part, harm) => {
      const { store, token } = await published();
      const path = join(store.folder, part);
      expect((await store.call('GET', '/readyz')).status).toBe(200);
      await harm(path);
      expect(await bodyOf(store.call('GET', '/readyz'))).toMatchObject({
        httpStatus: 503,
        code: 'unavailable',
      });
      const refused = await store.publish(token, { version: '1.1.0' });
      expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
      expect(await bodyOf(refused)).toMatchObject({ httpStatus: 503, code: 'unavailable' });
      await rm(path, { recursive: true, force: true });
      await rename(`${path}-away`, path);
      expect((await store.call('GET', '/readyz')).status).toBe(200);
      expect((await store.publish(token, { version: '1.2.0' })).status).toBe(201);
    },
  );
});

describe('a store that starts with the wrong blob folder', () => {
  it.each([
    ['is empty', unmount, 'has none of the bundles'],
    [
      'belongs to another store',
      async (path: string) => {
        const other = await openTestStore();
        await rename(path, `${path}-away`);
        await cp(join(other.folder, 'blobs'), path, { recursive: true });
      },
      'belongs to the store',
    ],
  ])('refuses a folder that %s, and reports what to do', async (_name, harm, why) => {
    const { store } = await published();
    await store.close();
    const path = join(store.folder, 'blobs');
    await harm(path);
    const start = openTestStore({ folder: store.folder });
    await expect(start).rejects.toThrow(SettingError);
    await expect(start).rejects.toThrow(why);
    await expect(start).rejects.toThrow('Mount or name the right one');
    await rm(path, { recursive: true });
    await rename(`${path}-away`, path);
    expect((await (await openTestStore({ folder: store.folder })).call('GET', '/readyz')).status).toBe(200);
  });
});

it('starts without some of its bundles, logs that, and answers 503 for each of these', async () => {
  const { store } = await published();
  const address = '/api/apps/com.example.notes/versions/1.0.0/bundle';
  const sha256 = (await store.call('GET', address)).headers.get('x-svc-sha256') as string;
  await store.close();
  await rm(join(store.folder, 'blobs', sha256.slice(0, 2), sha256));
  const again = await openTestStore({ folder: store.folder });
  const reported = again.lines.find((line) => line.includes('lacks files of versions')) ?? '{}';
  const { missing, of } = JSON.parse(reported);
  expect([missing, of > 1]).toEqual([[sha256], true]);
  expect(await bodyOf(again.call('GET', address))).toMatchObject({ httpStatus: 503, code: 'unavailable' });
});
