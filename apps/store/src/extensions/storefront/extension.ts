import { LIMITS } from '@svc/contracts';
import type { Extension } from '../../core/access/extension.ts';
import type { BrandBook } from '../../core/domain/brand/brand.ts';
import type { RasterCache, Rasters } from '../../core/pictures/rasters.ts';
import type { Invalidation } from '../../platform/invalidation.ts';
import { createPageCache } from '../../platform/page-cache.ts';
import type { PictureRenderer } from '../../platform/picture-renderer.ts';
import type { SimilarApps } from './load-app-page.ts';
import { createPreviews } from './previews.ts';
import { type StorefrontDeps, storefrontRoutes } from './routes.ts';

type StorefrontParts = Omit<StorefrontDeps, 'similar' | 'previews'> & {
  invalidation: Invalidation;
  pictures: Pick<PictureRenderer, 'draw' | 'drawPreview'>;
  rasterCache: RasterCache;
  rasters: Pick<Rasters, 'rasterOf'>;
  brandBook: Pick<BrandBook, 'now' | 'accent' | 'logoBytes'>;
};

/** What the previews show of the store. */
const storeOf =
  ({ brandBook, baseUrl }: StorefrontParts) =>
  () => {
    const { name, logo } = brandBook.now();
    const { host } = new URL(baseUrl);
    return { name, host, accent: brandBook.accent(), logo: { name: logo, bytes: brandBook.logoBytes() } };
  };

/**
 * The pages of the catalogue, which search engines and people without a client read: the front page with its shelves, categories, apps and
 * publishers, their link previews, and the files for crawlers. Other extensions add to them through `Additions`.
 */
export const storefront: Extension<StorefrontParts> = {
  name: 'storefront',
  open: (parts) => {
    const { clock, invalidation, pictures: renderer, rasterCache: cache, rasters } = parts;
    const lifetimeMs = LIMITS.catalog.cacheSeconds * 1000;
    return {
      routes: storefrontRoutes({
        ...parts,
        previews: createPreviews({ renderer, cache, rasters, store: storeOf(parts) }),
        similar: createPageCache<SimilarApps>(clock, invalidation, { lifetimeMs, graceMs: 0 }),
      }),
    };
  },
};
