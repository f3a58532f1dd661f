import type { CATALOG_SORTS, Category, Publisher } from '@svc/contracts';
import type { VersionRef } from '../versions/version-store.ts';

/** What makes an app findable: its latest published version, in the columns that pages and searches look at. */
export type Listing = {
  appId: string;
  version: string;
  name: string;
  description: string;
  categories: readonly Category[];
  /** When the app was first published, and when the listed version was. */
  firstPublishedAt: string;
  updatedAt: string;
};

/** An app as it is listed, but for what its listed version says. */
export type ListedApp = VersionRef & {
  /** When the listed version was published. */
  publishedAt: string;
  publisher: Publisher;
  installs: number;
  rating: { average: number; count: number };
};

export type Sort = (typeof CATALOG_SORTS)[number];

/** The orders of apps that nobody searched for. */
export type BrowseSort = Exclude<Sort, 'relevance'>;

/** Where a page ends: the sort key and the id of its last app. The next page starts behind it. */
export type Position = { key: string | number; appId: string };

export type ListingQuery = {
  category: Category | null;
  /** Only apps whose listed version was published then or later. */
  updatedSince: string | null;
  sort: BrowseSort;
  limit: number;
  after: Position | null;
};
