import type { CATALOG_SORTS, Category, Publisher } from '@svc/contracts';
import type { VersionRef } from '../publishing/version-store.ts';

/** What makes an app findable: its latest published version, in the columns that searches look at. */
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

/** Where a page ends: the sort key and the id of its last app. The next page starts behind it. */
export type Position = { key: string | number; appId: string };

export type ListingQuery = {
  /** Lower-case words that must all occur. */
  words: readonly string[];
  category: Category | null;
  sort: Sort;
  limit: number;
  after: Position | null;
};

/** What the catalogue needs to remember. Apps that are suspended, or whose publisher is, are left out of every answer. */
export interface ListingStore {
  put(listing: Listing): Promise<void>;
  remove(appId: string): Promise<void>;
  find(appId: string): Promise<ListedApp | null>;
  isListed(appId: string): Promise<boolean>;
  /** One page; `end` is null on the last. */
  page(query: ListingQuery): Promise<{ apps: ListedApp[]; total: number; end: Position | null }>;
}
