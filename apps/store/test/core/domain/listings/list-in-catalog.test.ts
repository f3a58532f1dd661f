import fc from 'fast-check';
import { expect, it } from 'vitest';
import { listInCatalog, listPublished } from '../../../../src/core/domain/listings/list-in-catalog.ts';
import type { Listing } from '../../../../src/core/domain/listings/listing.ts';

const APP = 'com.example.notes';

type Stores = Parameters<typeof listInCatalog>[0];
type Published = Parameters<typeof listPublished>[1];

/** In-memory stores of published versions and their listing. */
function catalogueOf(published: readonly Published[]) {
  let listing: Listing | null = null;
  const stores = {
    versions: {
      publishedNumbers: async () => published,
      find: async ({ version }: { version: string }) => published.find((one) => one.version === version),
    },
    listings: {
      listedVersion: async () => listing,
      put: async (put: Listing) => {
        listing = put;
      },
      remove: async () => {
        listing = null;
      },
    },
  };
  return { stores: stores as unknown as Stores, listing: () => listing };
}

const record = (version: string, day: number): Published =>
  ({
    appId: APP,
    version,
    manifest: {
      name: `Notes ${version}`,
      description: 'Keeps short notes.',
      categories: ['productivity'],
      branding: { icon: 'icon.png' },
    },
    files: [{ path: 'icon.png', look: version.padEnd(32, '0') }],
    publishedAt: `2026-01-${String(day).padStart(2, '0')}T00:00:00.000Z`,
  }) as Published;

const part = fc.integer({ min: 0, max: 3 });
const number = fc
  .tuple(part, part, fc.constantFrom('', '', '-alpha', '-beta.2', '-beta.10'))
  .map(([major, minor, before]) => `${major}.${minor}.0${before}`);

it('has the same listing after each publish as when it is computed from all versions, in any order of versions', async () => {
  const numbers = fc.uniqueArray(number, { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(numbers, async (versions) => {
      const published: Published[] = [];
      const [grown, read] = [catalogueOf(published), catalogueOf(published)];
      for (const [n, version] of versions.entries()) {
        const next = record(version, n + 1);
        published.push(next);
        await listPublished(grown.stores, next);
        await listInCatalog(read.stores, APP);
        expect(grown.listing()).toEqual(read.listing());
      }
    }),
  );
});
