import type { Category } from '@svc/contracts';
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

/** What a feed lists: apps by their first version, or by their latest; or yanked versions. */
export const FEEDS = {
  new: { sort: 'new', title: 'New apps' },
  updated: { sort: 'updated', title: 'Updated apps' },
  yanks: { sort: null, title: 'Yanked versions' },
} as const;

export type FeedName = keyof typeof FEEDS;

/** A feed, as pages announce it to readers of feeds. @param path its path without the format */
export const feedLink = (title: string, path: string) => ({
  ...{ type: 'application/atom+xml', title },
  href: `${path}.atom`,
});

/** The feeds of the whole store. */
export const STORE_FEEDS = Object.entries(FEEDS).map(([name, { title }]) =>
  feedLink(title, `/feeds/${name}`),
);
