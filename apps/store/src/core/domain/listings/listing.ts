import type { CATALOG_SORTS, Category, Publisher } from '@svc/contracts';
import type { VersionRef } from '../versions/version-record.ts';

/** A listing: the fields of the latest published version of an app that pages and searches use. */
export type Listing = {
  appId: string;
  version: string;
  name: string;
  description: string;
  categories: readonly Category[];
  /** The ids of the apps that it requires. */
  requires?: readonly string[];
  /** The look of the icon; null when it has none. */
  iconLook?: string | null;
  /** When the app was first published, and when the listed version was. */
  firstPublishedAt: string;
  updatedAt: string;
};

/** A listed app, without the facts of its listed version. */
export type ListedApp = VersionRef & {
  /** When the listed version was published. */
  publishedAt: string;
  publisher: Publisher;
  installs: number;
  rating: { average: number; count: number };
};

export type Sort = (typeof CATALOG_SORTS)[number];

/** The sort orders without a search. */
export type BrowseSort = Exclude<Sort, 'relevance'>;

/** The end of a page: the sort key and the id of its last app. The next page starts after it. */
export type Position = { key: string | number; appId: string };

export type ListingQuery = {
  category: Category | null;
  /** Only apps whose listed version was published then or later. */
  updatedSince: string | null;
  sort: BrowseSort;
  limit: number;
  after: Position | null;
};
