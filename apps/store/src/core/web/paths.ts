import type { Category } from '@svc/contracts';
import type { Parts } from '../domain/parts/parts.ts';
import type { RasterSize } from '../pictures/rasters.ts';

export const addressOfApp = (appId: string): string => `/apps/${encodeURIComponent(appId)}`;

export const addressOfCategory = (category: Category): string => `/categories/${category}`;

export const addressOfPublisher = (slug: string): string => `/publishers/${slug}`;

/** The page on which a signed-in user rates an app and reports reviews. */
export const addressOfRating = (appId: string): string => `/account/apps/${encodeURIComponent(appId)}/review`;

/**
 * The path of a URL of the store. With paths, a client that reaches the store under another host name still gets its pictures, and
 * pages load nothing from other hosts.
 */
export const pathOf = (address: string): string => {
  const { pathname, search } = new URL(address);
  return pathname + search;
};

/** The path of the raster of an app's picture, which the store has drawn. */
export const rasterOf = (address: string, size: RasterSize): string =>
  `${new URL(address).pathname}?raster=${size}`;

/** The rasters of a screenshot by their width, for `srcset`: a phone takes the small one. */
export const rastersOf = (address: string): string =>
  (['768', '1280'] as const).map((size) => `${rasterOf(address, size)} ${size}w`).join(', ');

/** A link that a client opens. Any local program can claim its scheme, so it carries no secret. */
export const addressInClient = (action: 'install' | 'rate', appId: string, store: string): string =>
  `svc://${action}/${encodeURIComponent(appId)}?store=${encodeURIComponent(store)}`;

/** The URL of an app for readers outside of the store: its page, or what the API says in a store without such pages. */
export const urlOfApp = (
  { baseUrl, routeNames }: Pick<Parts, 'baseUrl' | 'routeNames'>,
  appId: string,
): string => `${baseUrl}${routeNames.has('appPage') ? '' : '/api'}${addressOfApp(appId)}`;
