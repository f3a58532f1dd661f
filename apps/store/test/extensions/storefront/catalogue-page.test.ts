import type { CatalogEntry } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { cataloguePage } from '../../../src/extensions/storefront/catalogue-page.ts';

const app = (name: string, screenshots: string[] = []) =>
  ({
    appId: `com.example.${name}`,
    ...{ name, screenshots, tagline: 'Keeps lists.', description: 'Keeps lists.', categories: [] },
    publisher: { slug: 'example', name: 'Example', verified: false, verifiedHost: '', website: '' },
    iconUrl: 'https://store.test/i.png',
    rating: { average: 0, count: 0 },
    installs: 0,
    ...{ accent: '', publishedAt: '2026-11-03T10:00:00.000Z', grants: [], domains: [], accounts: [] },
  }) as unknown as CatalogEntry;

const front = (featured: CatalogEntry[], apps: CatalogEntry[] = []) =>
  String(
    cataloguePage(
      {},
      { apps, total: apps.length, nextCursor: null },
      { featured, popular: [], shelves: [], offers: [], counts: null, hasCli: true },
    ).body,
  );

describe('the featured apps of the front page', () => {
  const seen = app('seen', ['https://store.test/one.png']);

  it('shows the first one with a picture large, and the others beside it', () => {
    const text = front([app('a'), seen, app('b')]);
    expect(text.match(/hero-picture/g)).toHaveLength(1);
    expect(text.indexOf('/apps/com.example.seen')).toBeLessThan(text.indexOf('/apps/com.example.a'));
  });

  it('shows none large when none has a picture', () => {
    const text = front([app('a'), app('b')]);
    expect(text).not.toContain('hero-');
    expect(text).toContain('/apps/com.example.b');
  });

  it('leaves those that it shows out of the list, and has no order for an empty one', () => {
    const featured = [seen, ...['a', 'b', 'c', 'd', 'e'].map((name) => app(name))];
    const text = front(featured, featured);
    expect(text.match(/"\/apps\/com.example.d"/g)).toHaveLength(1);
    expect(text.match(/"\/apps\/com.example.e"/g)).toHaveLength(1);
    expect(text).toContain('<select name="sort"');
    expect(front([])).not.toContain('<select name="sort"');
  });
});
