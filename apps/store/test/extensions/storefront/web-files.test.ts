import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSitemap, type WebFileDeps } from '../../../src/extensions/storefront/web-files.ts';
import { has, needsExtension } from '../../support/extensions.ts';
import { openListedStore } from '../../support/listed-store.ts';

/** What Google requires of a software app (developers.google.com, "Software App structured data"), and recommends. */
const SoftwareApp = z.looseObject({
  '@context': z.literal('https://schema.org'),
  '@type': z.literal('SoftwareApplication'),
  name: z.string().min(1),
  offers: z.object({
    '@type': z.literal('Offer'),
    price: z.number().min(0),
    priceCurrency: z.string().length(3),
  }),
  applicationCategory: z.string().min(1),
  operatingSystem: z.string().min(1),
  image: z.url({ protocol: /^https$/ }),
  aggregateRating: z
    .object({
      '@type': z.literal('AggregateRating'),
      ratingValue: z.number().min(1).max(5),
      ratingCount: z.int().min(1),
    })
    .optional(),
});

describe('the files for programs that know the web', () => {
  it('tell crawlers which pages to read, and agents where to begin', async () => {
    const store = await openListedStore();
    if (has('log')) await store.runJob('Publishing the log');
    const robots = await store.call('GET', '/robots.txt');
    expect(robots.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await robots.text()).toMatch(/^User-agent: \*\nDisallow: /);
    const links = [...(await (await store.call('GET', '/llms.txt')).text()).matchAll(/\]\(([^)]*)\)/g)];
    expect(links.length).toBeGreaterThan(5);
    for (const [, address = ''] of links) {
      const { pathname } = new URL(address);
      expect([pathname, (await store.call('GET', pathname)).status]).toEqual([pathname, 200]);
    }
  });
});

describe('the files for search engines and readers', () => {
  it('list every page of an app with its last change', async () => {
    const store = await openListedStore();
    expect(await (await store.call('GET', '/robots.txt')).text()).toContain(
      'Sitemap: https://store.test/sitemap.xml\n',
    );
    const text = await (await store.call('GET', '/sitemap.xml')).text();
    expect([...text.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, address]) => address)).toEqual([
      'https://store.test/',
      'https://store.test/apps/com.example.board',
      'https://store.test/apps/com.example.notes',
    ]);
    expect(text).toContain('<lastmod>2026-03-01T12:01:00.000Z</lastmod>');
    expect(await (await store.call('GET', '/sitemaps/1')).text()).toBe(text);
    expect((await store.call('GET', '/sitemaps/2')).status).toBe(404);
  });

  it('are an index where there are more than 50,000, each app in one part', async () => {
    const store = await openListedStore();
    const all = Array.from({ length: 100_001 }, (_, n) => ({
      appId: `a.${String(n).padStart(6, '0')}`,
      updatedAt: 'now',
    }));
    const most = { sent: 0 };
    const listings = {
      updatesAfter: async (after: string, { limit, offset = 0 }: { limit: number; offset?: number }) => {
        most.sent = Math.max(most.sent, limit);
        const from = after === '' ? 0 : Number(after.slice(2)) + 1;
        return all.slice(from + offset, from + offset + limit);
      },
    };
    const deps = {
      listings,
      baseUrl: 'https://store.test',
      clock: () => new Date(),
    } as unknown as WebFileDeps;
    const sitemap = createSitemap(deps);
    const textOf = async (part: number | null) => new Response(await sitemap(part)).text();
    expect((await textOf(null)).match(/<loc>/g)).toHaveLength(3);
    const parts = await Promise.all([1, 2, 3].map(textOf));
    const found = parts.flatMap((part) => [...part.matchAll(/apps\/(a\.\d+)</g)].map(([, id]) => id));
    expect(found).toEqual(all.map(({ appId }) => appId));
    for (const part of parts) expect(part.match(/<loc>/g)?.length).toBeLessThanOrEqual(50_000);
    expect(most.sent).toBe(200);
    await store.close();
  });

  it('describe an app as JSON-LD that ends no script early', needsExtension('ratings'), async () => {
    const store = await openListedStore();
    const page = await (await store.call('GET', '/apps/com.example.notes')).text();
    const [, json = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(page) ?? [];
    const data = SoftwareApp.parse(JSON.parse(json));
    expect(data).toMatchObject({ name: 'Notes & <Lists>', offers: { priceCurrency: 'USD' } });
    expect(data.aggregateRating).toBeUndefined();
    expect(json).not.toContain('<');
    const session = await store.signedIn('bea');
    const headers = { 'x-svc-install-id': 'b'.repeat(20) };
    const app = '/api/apps/com.example.notes';
    await (await store.call('GET', `${app}/versions/1.0.0/bundle`, { headers })).arrayBuffer();
    const rating = { session, json: { rating: 4 }, headers };
    expect((await store.call('PUT', `${app}/reviews/mine`, rating)).status).toBe(200);
    store.advance(60_000);
    const rated = await (await store.call('GET', '/apps/com.example.notes')).text();
    const [, second = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(rated) ?? [];
    expect(SoftwareApp.parse(JSON.parse(second)).aggregateRating).toMatchObject({
      ...{ ratingValue: 4, ratingCount: 1 },
    });
  });
});
