import type { Category } from '@svc/contracts';

/** The page of an app. */
export const addressOfApp = (appId: string): string => `/apps/${encodeURIComponent(appId)}`;

/** The page of a category. */
export const addressOfCategory = (category: Category): string => `/categories/${category}`;

/** The page of a publisher. */
export const addressOfPublisher = (slug: string): string => `/publishers/${slug}`;

/** Where a person who is signed in rates an app, and reports what others say of it. */
export const addressOfRating = (appId: string): string => `/account/apps/${encodeURIComponent(appId)}/review`;

/**
 * An address of the store as a path. A client that reaches the store under another name than its own still sees its pictures, and
 * a page loads nothing from elsewhere.
 */
export const pathOf = (address: string): string => {
  const { pathname, search } = new URL(address);
  return pathname + search;
};

/** The address of a picture of an app as pages show it: drawn by the store, so that it takes no page long. */
export const rasterOf = (address: string): string => `${new URL(address).pathname}?raster`;
