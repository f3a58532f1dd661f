import { sampleBundle } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { ADMIN_TOKEN, bodyOf, openTestStore, type TestStore } from '../../../support/test-store.ts';

/** Names that a locale sorts differently from their bytes: case, accents, punctuation, other scripts. */
const NAMES = [
  'alpha',
  'Beta',
  '_under',
  'zulu',
  'éclair',
  'a-b',
  'a b',
  'ab',
  'Ωmega',
  '東京',
  '100% a',
  'straße',
];

const DESCRIPTION = 'Keeps short notes.';

async function listed(names: readonly string[]): Promise<TestStore> {
  const store = await openTestStore();
  await store.publisherToken();
  for (const [n, name] of names.entries()) {
    const id = `com.example.app${n}`;
    expect(
      (await store.upload(ADMIN_TOKEN, sampleBundle({ id, name, description: DESCRIPTION }))).status,
    ).toBe(201);
    expect((await store.decide('approve', '1.0.0', {}, id)).status).toBe(200);
  }
  return store;
}

const namesOf = async (store: TestStore, query: string): Promise<string[]> => {
  const { apps } = await bodyOf(store.call('GET', `/api/apps/catalog${query}`));
  return apps.map(({ name }: { name: string }) => name);
};

const byBytes = (a: string, b: string) =>
  Buffer.compare(Buffer.from(a.toLowerCase()), Buffer.from(b.toLowerCase()));

describe('the catalogue, on every database', () => {
  it('sorts names by the bytes of their lower case, also across pages', async () => {
    const store = await listed(NAMES);
    const expected = [...NAMES].sort(byBytes);
    expect(await namesOf(store, '?sort=name')).toEqual(expected);
    const paged: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const from: string = cursor && `&cursor=${cursor}`;
      const { apps, nextCursor } = await bodyOf(
        store.call('GET', `/api/apps/catalog?sort=name&limit=5${from}`),
      );
      paged.push(...apps.map(({ name }: { name: string }) => name));
      cursor = nextCursor;
    }
    expect(paged).toEqual(expected);
  });

  it.each([
    ['installs', '0.5'],
    ['installs', '1e300'],
    ['installs', '-0'],
    ['rating', '5e-324'],
    ['relevance', '9007199254740992'],
    ['name', '"\\u0000"'],
    ['name', '"\\ud800"'],
    ['updated', '"\' or 1=1 --"'],
  ])('accepts an invented cursor for the order %s with the key %s', async (sort, key) => {
    const store = await openTestStore();
    const cursor = Buffer.from(`["${sort}",${key},"com.example.\\u0000"]`).toString('base64url');
    const answer = await bodyOf(store.call('GET', `/api/apps/catalog?sort=${sort}&q=notes&cursor=${cursor}`));
    expect(answer).toMatchObject({ httpStatus: 200, apps: [], nextCursor: null });
  });

  it.each([
    ['installs', '"5"'],
    ['rating', '"NaN"'],
    ['name', '5'],
    ['installs', '1e999'],
    ['new', 'null'],
  ])('rejects a cursor for the order %s with the key %s of another type', async (sort, key) => {
    const store = await openTestStore();
    const cursor = Buffer.from(`["${sort}",${key},"com.example.notes"]`).toString('base64url');
    const answer = await bodyOf(store.call('GET', `/api/apps/catalog?sort=${sort}&cursor=${cursor}`));
    expect(answer).toMatchObject({ httpStatus: 400, code: 'invalid_request' });
  });
});
