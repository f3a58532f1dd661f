import { CATALOG_SORTS } from '@svc/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Position } from '../../../../src/domain/listings/listing.ts';
import { pageOf } from '../../../../src/features/catalog/search/page-of.ts';

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
