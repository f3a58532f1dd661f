import { CATALOG_SORTS } from '@svc/contracts';
import { BOTH_DATABASES } from '@svc/testkit';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { createVersionCache, pageOf } from '../../../src/core/catalog/browse.ts';
import type { Position } from '../../../src/core/domain/listings/listing.ts';
import type { VersionFacts } from '../../../src/core/domain/listings/present.ts';
import type { VersionRef } from '../../../src/core/domain/versions/version-record.ts';
import { ADMIN_TOKEN, bodyOf, openTestStore, type TestStore } from '../../support/test-store.ts';

const APPS = [
  {
    id: 'com.example.alpha',
    name: 'Alpha Notes',
    description: 'Keeps 100% of your text.',
    categories: ['productivity'],
  },
  {
    id: 'com.example.beta',
    name: 'Beta',
    description: 'Draws charts from notes.',
    categories: ['data', 'design'],
  },
  { id: 'com.example.gamma', name: 'Gamma', description: 'Plays a game.', categories: ['games'] },
] as const;

async function filled(): Promise<TestStore> {
  const store = await openTestStore();
  const token = await store.publisherToken();
  for (const app of APPS) {
    await store.publish(token, { ...app, categories: [...app.categories] });
    await store.decide('approve', '1.0.0', {}, app.id);
    store.advance(60_000);
  }
  return store;
}

const namesOf = async (store: TestStore, query: string) => {
  const { apps } = await bodyOf(store.call('GET', `/api/apps/catalog${query}`));
  return apps.map(({ name }: { name: string }) => name);
};

describe('the catalogue', () => {
  it('is searched, filtered and sorted', BOTH_DATABASES, async () => {
    const store = await filled();
    const answers: [string, string[]][] = [
      ['', ['Alpha Notes', 'Beta', 'Gamma']],
      ['?q=notes', ['Alpha Notes', 'Beta']],
      ['?q=NOTES+charts', ['Beta', 'Alpha Notes']],
      ['?q=beta', ['Beta']],
      ['?q=com.example.gamma', ['Gamma']],
      ['?q=the+example', ['Alpha Notes', 'Beta', 'Gamma']],
      ['?q=100%25', ['Alpha Notes']],
      ['?q=%25', []],
      ['?q=_', []],
      ['?q=nothing', []],
      ['?category=data', ['Beta']],
      ['?category=data&q=gamma', []],
      ['?sort=name', ['Alpha Notes', 'Beta', 'Gamma']],
      ['?sort=updated', ['Gamma', 'Beta', 'Alpha Notes']],
      ['?sort=new', ['Gamma', 'Beta', 'Alpha Notes']],
    ];
    for (const [query, names] of answers)
      expect([query, await namesOf(store, query)]).toEqual([query, names]);
  });

  it.each(['installs', 'rating', 'updated', 'new', 'name', 'relevance'])(
    'returns every app once across its pages, sorted by %s',
    BOTH_DATABASES,
    async (sort) => {
      const store = await filled();
      const whole = await namesOf(store, `?sort=${sort}&q=example`);
      const pages: string[] = [];
      let next: string | null = `/api/apps/catalog?sort=${sort}&q=example&limit=1`;
      while (next) {
        const response: Response = await store.call('GET', next);
        const { apps, nextCursor, total } = await bodyOf(response);
        expect(total).toBe(3);
        pages.push(...apps.map(({ name }: { name: string }) => name));
        const link: string | null = response.headers.get('link');
        expect(link === null).toBe(nextCursor === null);
        next = link && (/^<https:\/\/store\.test(.*)>; rel="next"$/.exec(link)?.[1] ?? null);
      }
      expect(pages).toEqual(whole);
    },
  );

  it.each([
    '?category=nope',
    '?sort=nope',
    '?limit=0',
    '?limit=101',
    '?limit=x',
    '?cursor=x',
    '?cursor=WyJuYW1lIiwxXQ',
    '?updatedSince=yesterday',
  ])('rejects %s', async (query) => {
    const store = await openTestStore();
    const answer = await bodyOf(store.call('GET', `/api/apps/catalog${query}`));
    expect(answer).toMatchObject({ httpStatus: 400, code: 'invalid_request', issues: [{ level: 'error' }] });
  });

  it('lists apps that were published since a time, for mirrors', async () => {
    const store = await filled();
    const all = await bodyOf(store.call('GET', '/api/apps/catalog?sort=updated'));
    const times: string[] = all.apps.map(({ publishedAt }: { publishedAt: string }) => publishedAt);
    for (const [n, time] of times.entries()) {
      const since = `?sort=updated&updatedSince=${time}`;
      const found = await bodyOf(store.call('GET', `/api/apps/catalog${since}`));
      expect([found.apps.length, found.total]).toEqual([n + 1, n + 1]);
      expect(await namesOf(store, `${since}&category=games`)).toEqual(['Gamma']);
      expect(await namesOf(store, `${since}&q=gamma`)).toEqual(['Gamma']);
    }
    expect(await namesOf(store, '?updatedSince=9999-12-31T23:59:59Z')).toEqual([]);
    expect(await namesOf(store, '?updatedSince=9999-12-31T23:59:59Z&q=gamma')).toEqual([]);
  });

  it.each(['x'.repeat(10_000), 'notes '.repeat(1_000), '"notes* OR', "' or 1=1 --", '\0\ud800%_'])(
    'accepts any text as a search query: %.20s',
    async (q) => {
      const store = await filled();
      const answer = await bodyOf(
        store.call('GET', `/api/apps/catalog?q=${encodeURIComponent(q.toWellFormed())}`),
      );
      expect(answer).toMatchObject({ httpStatus: 200 });
    },
  );

  it('accepts a URL that is not valid UTF-8', async () => {
    const store = await filled();
    for (const q of ['%ff%fe', '%', '%00', '%ed%a0%80', '+', '']) {
      expect((await store.call('GET', `/api/apps/catalog?q=${q}`)).status).toBe(200);
    }
  });

  it('rejects a cursor of another order', async () => {
    const store = await filled();
    const { nextCursor } = await bodyOf(store.call('GET', '/api/apps/catalog?sort=name&limit=1'));
    const other = await bodyOf(store.call('GET', `/api/apps/catalog?sort=new&limit=1&cursor=${nextCursor}`));
    expect(other).toMatchObject({ httpStatus: 400, code: 'invalid_request' });
  });

  it('is cacheable for 30 seconds, and answers 304 for a matching ETag', async () => {
    const store = await filled();
    const first = await store.call('GET', '/api/apps/catalog');
    expect(first.headers.get('cache-control')).toBe('public, max-age=30');
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]+"$/);
    expect(first.headers.get('vary')).toBe('Accept-Encoding');
    const again = await store.call('GET', '/api/apps/catalog', {
      headers: { 'if-none-match': `"x", ${etag}` },
    });
    expect([again.status, await again.text()]).toEqual([304, '']);
    const other = await store.call('GET', '/api/apps/catalog', { headers: { 'if-none-match': '"x"' } });
    expect(other.status).toBe(200);
  });

  it('hides suspended apps and publishers', async () => {
    const store = await filled();
    await store.admin('PATCH', '/api/admin/apps/com.example.beta', { suspended: true });
    expect(await namesOf(store, '')).toEqual(['Alpha Notes', 'Gamma']);
    expect((await store.call('GET', '/api/apps/com.example.beta')).status).toBe(410);
    expect((await store.call('GET', '/api/apps/com.example.beta/versions/1.0.0/bundle')).status).toBe(404);
    await store.admin('PATCH', '/api/admin/publishers/example', { suspended: true });
    expect(await namesOf(store, '')).toEqual([]);
  });
});

describe('too many concurrent searches', () => {
  it('wait in a bounded queue, and get 503 and Retry-After beyond it; other requests do not wait', async () => {
    const store = await filled();
    const searches = Array.from({ length: 300 }, (_, n) =>
      store.call('GET', `/api/apps/catalog?q=notes+${n}`),
    );
    const others = await Promise.all([
      store.call('GET', '/api/apps/catalog'),
      store.call('GET', '/healthz'),
      store.call('GET', '/api/moderation/queue', { token: ADMIN_TOKEN }),
    ]);
    expect(others.map(({ status }) => status)).toEqual([200, 200, 200]);
    const answers = await Promise.all(searches);
    const shed = answers.filter(({ status }) => status === 503);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(68);
    expect(shed.length).toBeGreaterThan(100);
    expect(shed.map(({ headers }) => headers.get('retry-after'))).toEqual(shed.map(() => '1'));
    expect((await store.call('GET', '/api/apps/catalog?q=notes+299')).status).toBe(200);
  });
});

const time = fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z');
const found = fc.record({
  place: fc.nat(),
  appId: fc.string({ unit: fc.constantFrom('a', 'b', '\uffff', '😀'), minLength: 1, maxLength: 5 }),
  score: fc.nat(3),
  installs: fc.nat(3),
  rating: fc.record({ average: fc.integer({ min: 1, max: 5 }), count: fc.nat(2) }),
  nameKey: fc.string({ unit: fc.constantFrom('a', 'b', '\uffff', '😀'), maxLength: 2 }),
  updatedAt: time,
  firstPublishedAt: time,
  nameWords: fc.constant([]),
  publisherWords: fc.constant([]),
  isVerified: fc.boolean(),
});
const all = { updatedSince: null, category: null } as const;

describe('pages of search results', () => {
  it('contain every app once in every order, also when other apps appear and disappear between pages', () => {
    const apps = fc.uniqueArray(found, { selector: ({ appId }) => appId, maxLength: 30 });
    fc.assert(
      fc.property(apps, apps, fc.constantFrom(...CATALOG_SORTS), (stay, others, sort) => {
        const ids = new Set(stay.map(({ appId }) => appId));
        const come = others.filter(({ appId }) => !ids.has(appId));
        const seen: string[] = [];
        let after: Position | null = null;
        for (let n = 0; n === 0 || after !== null; n += 1) {
          const now = n % 2 === 0 ? stay : [...come, ...stay];
          const page: ReturnType<typeof pageOf> = pageOf(now, { ...all, sort, limit: 3, after });
          seen.push(...page.appIds.filter((id) => ids.has(id)));
          after = page.end;
        }
        const whole = pageOf(stay, { ...all, sort, limit: 100, after: null });
        expect(seen).toEqual(whole.appIds);
        expect(whole).toMatchObject({ total: stay.length, end: null });
      }),
    );
  });

  it('sort names by their bytes, like the database', () => {
    const names = ['\uffff', '😀', 'a'].map((nameKey) => ({ nameKey, appId: nameKey }));
    // biome-ignore lint/suspicious/noExplicitAny: only the name is read
    const { appIds } = pageOf(names as any, { ...all, sort: 'name', limit: 9, after: null });
    expect(appIds).toEqual(['a', '\uffff', '😀']);
  });
});

const ref = (n: number): VersionRef => ({ appId: `a.b${n}`, version: '1.0.0' });
const factsOf = (one: VersionRef) => ({ ...one, name: `Of ${one.appId}` }) as VersionFacts;

describe('createVersionCache', () => {
  it('loads missing versions once, and returns all in the requested order', async () => {
    const cache = createVersionCache<VersionFacts>(2_000);
    const load = vi.fn(async (missing: VersionRef[]) => missing.map(factsOf).reverse());
    await cache.get([ref(1), ref(2)], load);
    const found = await cache.get([ref(3), ref(1), ref(2)], load);
    expect(found.map(({ appId }) => appId)).toEqual(['a.b3', 'a.b1', 'a.b2']);
    expect(load.mock.calls).toEqual([[[ref(1), ref(2)]], [[ref(3)]]]);
  });

  it('distinguishes versions of the same app', async () => {
    const cache = createVersionCache<VersionFacts>(2_000);
    const load = async (missing: VersionRef[]) => missing.map(factsOf);
    await cache.get([ref(1)], load);
    const [found] = await cache.get([{ appId: 'a.b1', version: '1.0.1' }], load);
    expect(found?.version).toBe('1.0.1');
  });

  it('omits versions that do not exist, and does not cache that', async () => {
    const cache = createVersionCache<VersionFacts>(2_000);
    const none = vi.fn(async () => []);
    expect(await cache.get([ref(1)], none)).toEqual([]);
    expect(await cache.get([ref(1)], none)).toEqual([]);
    expect(none).toHaveBeenCalledTimes(2);
  });

  it('caches a bounded number of versions, but returns more', async () => {
    const cache = createVersionCache<VersionFacts>(2_000);
    const load = vi.fn(async (missing: VersionRef[]) => missing.map(factsOf));
    const many = Array.from({ length: 5_000 }, (_, n) => ref(n));
    expect(await cache.get(many, load)).toHaveLength(5_000);
    load.mockClear();
    await cache.get([ref(4_999)], load);
    expect(load).not.toHaveBeenCalled();
    await cache.get([ref(0)], load);
    expect(load).toHaveBeenCalledOnce();
  });

  it('does not cache a failure', async () => {
    const cache = createVersionCache<VersionFacts>(2_000);
    await expect(cache.get([ref(1)], () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(await cache.get([ref(1)], async (missing) => missing.map(factsOf))).toHaveLength(1);
  });
});
