import type { CATALOG_SORTS, Category, Publisher } from '@svc/contracts';
import type { VersionRef } from '../versions/version-store.ts';
import type { Figures } from './popularity.ts';

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

/** What the catalogue needs to remember. Apps that are suspended, or whose publisher is, are left out of every answer. */
export interface ListingStore {
  put(listing: Listing): Promise<void>;
  remove(appId: string): Promise<void>;
  /** Notes how an app does, and places it accordingly. */
  weigh(appId: string, figures: Figures): Promise<void>;
  find(appId: string): Promise<ListedApp | null>;
  /** Those of some apps that are listed, in the order in which they were asked for. */
  findAll(appIds: readonly string[]): Promise<ListedApp[]>;
  /** The ids of what a publisher has listed, hidden ones too. */
  ofPublisher(slug: string): Promise<string[]>;
  isListed(appId: string): Promise<boolean>;
  /** One page; `end` is null on the last. Up to 10,000 apps are counted. */
  page(query: ListingQuery): Promise<{ apps: ListedApp[]; total: number; end: Position | null }>;
}
