import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { createStores, createUnitOfWork } from '../../../../../src/adapters/database/stores.ts';
import { search } from '../../../../../src/core/catalog/search/search.ts';
import { toSearchDocument } from '../../../../../src/core/domain/listings/search/search-writer.ts';
import { jobMover } from '../../../../../src/core/domain/versions/changes.ts';
import { openDatabase } from '../../../../support/database.ts';
import { addPublisher, submitVersion } from '../../../../support/version-row.ts';

const at = '2026-01-01T00:00:00.000Z';

async function opened() {
  const db = await openDatabase();
  await addPublisher(db);
  const stores = createStores(db);
  const put = (n: number, name: string, description = 'Text.') =>
    createUnitOfWork(db)((tx) =>
      tx.listings.put({
        ...{ appId: `com.example.app${n}`, version: '1.0.0', name, description, categories: ['games'] },
        ...{ firstPublishedAt: at, updatedAt: at },
      }),
    );
  const list = async (n: number, name: string, description?: string) => {
    await submitVersion(stores, { appId: `com.example.app${n}`, version: '1.0.0' }, 'example');
    await put(n, name, description);
  };
  const found = async (q: string) =>
    (await search(stores.searchIndex, q, null)).map(({ appId }) => appId).sort();
  return { db, stores, put, list, found };
}

/** The number of lists with a wrong count of apps, and of postings without a list or a listing. */
async function inconsistencies(db: Awaited<ReturnType<typeof opened>>['db']): Promise<number> {
  const { rows } = await sql<{ wrong: number }>`select
    (select count(*) from search_lists l where apps <> (select count(*) from search_postings p where p.list_id = l.id))
    + (select count(*) from search_postings p where not exists (select 1 from listings where listings.place = p.place))
    + (select count(*) from search_postings p where not exists (select 1 from search_lists l where l.id = p.list_id))
    as wrong`.execute(db);
  return rows[0]?.wrong ?? -1;
}

describe('the search index', () => {
  it('has the words of the latest version of an app, and not those of earlier versions', async () => {
    const { db, list, put, found } = await opened();
    await list(1, 'Pixel Forge', 'Resizes.');
    await put(1, 'Canvas Forge', 'Paints.');
    expect([await found('pixel'), await found('resizes'), await found('canvas paints')]).toEqual([
      [],
      [],
      ['com.example.app1'],
    ]);
    expect(await inconsistencies(db)).toBe(0);
  });

  it('has no words of an app that is no longer listed', async () => {
    const { db, stores, list, found } = await opened();
    await list(1, 'Pixel Forge');
    await stores.listings.remove('com.example.app1');
    expect(await found('pixel')).toEqual([]);
    const { rows } = await sql<{ left: number }>`select count(*) as left from search_postings`.execute(db);
    expect([rows[0]?.left, await inconsistencies(db)]).toEqual([0, 0]);
    await stores.listings.remove('com.example.app1');
  });

  it('updates the rank of an app in every list', async () => {
    const { db, stores, list, found } = await opened();
    await list(1, 'Pixel Forge');
    await list(2, 'Pixel Press');
    await stores.listings.updateRank('com.example.app1', {
      installs: 5_000,
      rating: { average: 5, count: 80 },
    });
    const [best] = (await search(stores.searchIndex, 'pixel', null)).toSorted((a, b) => b.score - a.score);
    expect(best).toMatchObject({
      appId: 'com.example.app1',
      installs: 5_000,
      rating: { average: 5, count: 80 },
    });
    expect([await found('forge'), await inconsistencies(db)]).toEqual([['com.example.app1'], 0]);
    await stores.listings.updateRank('com.example.nobody', { installs: 1, rating: { average: 0, count: 0 } });
  });

  it('does not change for a version with the same words', async () => {
    const { db, list, put } = await opened();
    await list(1, 'Pixel Forge');
    const rows = async () =>
      (await sql<object>`select * from search_postings order by list_id, place`.execute(db)).rows;
    const before = await rows();
    await put(1, 'Pixel Forge');
    expect(await rows()).toEqual(before);
    expect(await inconsistencies(db)).toBe(0);
  });

  it('stays consistent when many apps are listed at once', async () => {
    const { db, list, found } = await opened();
    await Promise.all(Array.from({ length: 20 }, (_, n) => list(n, `Pixel ${n}`)));
    expect(await found('pixel')).toHaveLength(20);
    expect(await inconsistencies(db)).toBe(0);
  });

  it('corrects a typing error in a name, and in a description only when two apps use the word', async () => {
    const { list, found } = await opened();
    await list(1, 'Typography', 'Kerning.');
    expect(await found('typografy')).toEqual(['com.example.app1']);
    expect(await found('kernign')).toEqual([]);
    await list(2, 'Fonts', 'Kerning.');
    expect(await found('kernign')).toEqual(['com.example.app1', 'com.example.app2']);
  });

  it('hides an app while it or its publisher is suspended', async () => {
    const { stores, list, found } = await opened();
    await list(1, 'Pixel Forge');
    await list(2, 'Pixel Press');
    const shown = async () => {
      const query = { category: 'games', updatedSince: null, sort: 'name', limit: 9, after: null } as const;
      const { apps, total } = await stores.listings.page(query);
      return { found: await found('pixel'), page: apps.map(({ appId }) => appId), total };
    };
    const both = ['com.example.app1', 'com.example.app2'];
    expect(await shown()).toEqual({ found: both, page: both, total: 2 });
    await stores.apps.suspend(
      'com.example.app1',
      { reason: 'Malware', at: '2026-03-01T12:00:00.000Z' },
      jobMover('store', '2026-03-01T12:00:00.000Z'),
    );
    const second = ['com.example.app2'];
    expect(await shown()).toEqual({ found: second, page: second, total: 1 });
    await stores.publishers.change('example', { suspended: true });
    expect(await shown()).toEqual({ found: [], page: [], total: 0 });
    await stores.publishers.change('example', { suspended: false });
    expect(await shown()).toEqual({ found: second, page: second, total: 1 });
    await stores.apps.suspend('com.example.app1', null, jobMover('store', '2026-03-01T12:00:00.000Z'));
    expect(await shown()).toEqual({ found: both, page: both, total: 2 });
  });
});

it('indexes an app by its words, the prefixes of the words in its name, and its categories', () => {
  const { keys, nameWords, publisherWords, mainWords } = toSearchDocument(
    { appId: 'com.acme.gear-box', name: 'NotePad X', description: 'Writes notes.', categories: ['data'] },
    { slug: 'acme', name: 'Acmé' },
  );
  expect([...keys].sort()).toEqual(
    [
      ...[
        'name:note',
        'name:notepad',
        'name:pad',
        'name:notepadx',
        'name:x',
        'start:n',
        'start:no',
        'start:not',
        'start:p',
        'start:pa',
      ],
      ...['start:pad', 'category:data', 'word:acme', 'word:box', 'word:gear', 'word:note', 'word:notepad'],
      ...['start:x', 'word:gearbox', 'word:notepadx', 'word:notes', 'word:pad', 'word:writes', 'word:x'],
    ].sort(),
  );
  expect({ nameWords, publisherWords }).toEqual({
    nameWords: ['notepad', 'x'],
    publisherWords: ['acme', 'acme'],
  });
  expect(mainWords).toEqual(new Set(['notepad', 'x', 'note', 'pad', 'acme']));
});
