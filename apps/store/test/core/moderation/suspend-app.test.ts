import { BOTH_DATABASES } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { openModeratedStore } from '../../support/moderated-store.ts';
import { bodyOf } from '../../support/test-store.ts';

async function opened() {
  const store = await openModeratedStore();
  const token = await store.publisherToken();
  for (const name of ['a', 'b', 'c']) await store.publish(token, { id: `com.example.${name}` });
  const list = async (query = '') => {
    const { apps, nextCursor } = await bodyOf(store.admin('GET', `/api/admin/apps?${query}`));
    return { ids: apps.map(({ appId }: { appId: string }) => appId.split('.').at(-1)).join(''), nextCursor };
  };
  return { store, list };
}

describe('the list of apps for administrators', () => {
  it('includes unpublished apps, and finds them by id, page by page', BOTH_DATABASES, async () => {
    const { list } = await opened();
    const first = await list('limit=2');
    expect(first.ids).toBe('ab');
    expect((await list(`limit=2&cursor=${first.nextCursor}`)).ids).toBe('c');
    expect((await list('q=AMPLE.b')).ids).toBe('b');
    expect((await list('appId=com.example.c')).ids).toBe('c');
    expect((await list('q=com%25')).ids).toBe('');
    expect((await list('publisher=other')).ids).toBe('');
  });

  it('shows the name of the newest upload, and finds it', async () => {
    const { store } = await opened();
    const token = await store.publisherToken();
    await store.publish(token, { id: 'com.example.b', version: '2.0.0', name: 'Renamed' });
    const { apps } = await bodyOf(store.admin('GET', '/api/admin/apps'));
    const found = await bodyOf(store.admin('GET', '/api/admin/apps?q=ren'));
    expect(found.apps).toMatchObject([
      {
        appId: 'com.example.b',
        publisherName: 'The example',
        versions: 2,
        installs: 0,
        newest: { version: '2.0.0', status: 'in_review' },
      },
    ]);
    const named = apps.map(({ appId, name }: { appId: string; name: string }) => [appId, name]);
    expect(named).toEqual([
      ['com.example.a', 'Notes'],
      ['com.example.b', 'Renamed'],
      ['com.example.c', 'Notes'],
    ]);
  });

  it('filters by suspension', async () => {
    const { store, list } = await opened();
    await store.admin('PATCH', '/api/admin/apps/com.example.b', { suspended: true });
    expect((await list('suspended=true')).ids).toBe('b');
    expect((await list('suspended=false')).ids).toBe('ac');
  });

  it('shows the state of each app in the catalogue, and filters by it', BOTH_DATABASES, async () => {
    const store = await openModeratedStore();
    const token = await store.publisherToken();
    for (const name of ['a', 'b', 'c', 'd']) await store.publish(token, { id: `com.example.${name}` });
    for (const name of ['a', 'b', 'c'])
      await store.admin('POST', `/api/moderation/apps/com.example.${name}/versions/1.0.0/approve`, {});
    await store.admin('PATCH', '/api/admin/apps/com.example.b', { suspended: true });
    const stateOf = async (query: string) => {
      const { apps } = await bodyOf(store.admin('GET', `/api/admin/apps?${query}`));
      return apps.map(({ appId, state }: { appId: string; state: string }) => [appId.at(-1), state]);
    };
    expect(await stateOf('')).toEqual([
      ['a', 'listed'],
      ['b', 'suspended'],
      ['c', 'listed'],
      ['d', 'unpublished'],
    ]);
    for (const [state, ids] of Object.entries({ listed: 'ac', suspended: 'b', unpublished: 'd', held: '' }))
      expect((await stateOf(`state=${state}`)).map(([id]: [string]) => id).join('')).toBe(ids);
    await store.admin('PATCH', '/api/admin/publishers/example', { suspended: true });
    expect(await stateOf('state=suspended')).toHaveLength(4);
    expect((await store.admin('GET', '/api/admin/apps?state=gone')).status).toBe(400);
  });

  it.each([
    ['', 'abcz'],
    ['sort=id&direction=desc', 'zcba'],
    ['sort=publisher', 'zabc'],
    ['sort=publisher&direction=desc', 'cbaz'],
    ['sort=created', 'zabc'],
    ['sort=created&direction=desc', 'cbaz'],
  ])('is sorted by %s across pages, and then by id', BOTH_DATABASES, async (query, ids) => {
    const store = await openModeratedStore();
    const other = await store.publisherToken('aardvark');
    await store.publish(other, { id: 'com.example.z', publisher: 'aardvark' });
    store.advance(1_000);
    const token = await store.publisherToken();
    for (const name of ['a', 'b', 'c']) await store.publish(token, { id: `com.example.${name}` });
    let [seen, cursor] = ['', ''];
    do {
      const page = await bodyOf(store.admin('GET', `/api/admin/apps?limit=1&${query}${cursor}`));
      seen += page.apps.map(({ appId }: { appId: string }) => appId.at(-1)).join('');
      cursor = page.nextCursor === null ? '' : `&cursor=${page.nextCursor}`;
    } while (cursor !== '');
    expect(seen).toBe(ids);
  });

  it('rejects an unknown order, and a cursor of another order', async () => {
    const { store, list } = await opened();
    const { nextCursor } = await list('limit=1');
    for (const query of ['sort=name', 'direction=up', `limit=1&sort=created&cursor=${nextCursor}`])
      expect((await store.admin('GET', `/api/admin/apps?${query}`)).status).toBe(400);
  });
});

describe('the suspension of an app', () => {
  it('is decided, mailed and ended once, however often it is asked for', async () => {
    const store = await openModeratedStore();
    const appId = 'com.example.notes';
    const token = await store.publisherToken();
    await store.publish(token);
    await store.signedIn('carl', { membership: { example: 'owner' } });
    const suspend = async (suspended: boolean, reason: string) => {
      store.advance(1_000);
      const answer = await store.admin('PATCH', `/api/admin/apps/${appId}`, { suspended, reason });
      expect(answer.status).toBe(200);
      const last = await store.stores.decisions.lastAbout({
        publisher: 'example',
        kinds: ['app-suspended'],
        appId,
      });
      const mails = await store.stores.mails.due(store.clock().toISOString(), 100);
      return [last?.note ?? null, mails.map(({ kind }) => kind).sort()];
    };
    expect(await suspend(false, 'It never was.')).toEqual([null, []]);
    expect(await suspend(true, 'It leaks.')).toEqual(['It leaks.', ['app-suspended']]);
    expect(await suspend(true, 'It still leaks.')).toEqual(['It leaks.', ['app-suspended']]);
    const both = ['app-suspended', 'decision-undone'];
    expect(await suspend(false, 'It was fixed.')).toEqual(['It leaks.', both]);
    expect(await suspend(false, 'It was fixed.')).toEqual(['It leaks.', both]);
  });
});
