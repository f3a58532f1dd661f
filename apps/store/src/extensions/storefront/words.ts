import type { CatalogEntry, Category } from '@svc/contracts';
import { OFFERS, type Offer } from '../../core/access/extension.ts';
import type { Sort } from '../../core/domain/listings/listing.ts';

/** `No apps`, `1 app`, `10,000 or more apps`. */
export const appsText = (count: number, isCapped: boolean): string =>
  count === 0
    ? 'No apps'
    : `${count.toLocaleString('en')}${isCapped ? ' or more' : ''} ${count === 1 ? 'app' : 'apps'}`;

export const CATEGORY_WORDS: Readonly<Record<Category, string>> = {
  media: 'Media',
  design: 'Design',
  productivity: 'Productivity',
  developer: 'Developer',
  data: 'Data',
  marketing: 'Marketing',
  sales: 'Sales',
  games: 'Games',
  communication: 'Communication',
  finance: 'Finance',
  education: 'Education',
  other: 'Other',
};

/** The description of each category, in one sentence. */
export const CATEGORY_TEXTS: Readonly<Record<Category, string>> = {
  media: 'Make, edit and convert pictures, sound and video from your chat.',
  design: 'Draw, lay out and review designs together with your chat.',
  productivity: 'Notes, tasks, calendars and documents, in your chat.',
  developer: 'Code, build, deploy and debug with tools that your chat can call.',
  data: 'Query, transform and chart data, and ask questions about it.',
  marketing: 'Plan, write and measure campaigns from your chat.',
  sales: 'Customers, offers and orders, in your chat.',
  games: 'Play, and make games, with your chat.',
  communication: 'Mail, messages and meetings, read and written from your chat.',
  finance: 'Accounts, invoices and budgets, in your chat.',
  education: 'Learn, teach and practise with your chat.',
  other: 'Apps that fit no other category.',
};

/** The icon of each category. Their colours are evenly spread over all hues, in this order. */
export const CATEGORY_ICONS: Readonly<Record<Category, string>> = {
  media: 'image',
  design: 'pen-tool',
  productivity: 'list-checks',
  developer: 'code-xml',
  data: 'chart-column',
  marketing: 'megaphone',
  sales: 'briefcase-business',
  games: 'gamepad-2',
  communication: 'message-circle',
  finance: 'wallet',
  education: 'graduation-cap',
  other: 'shapes',
};

type FacetOf = { label: string; has(app: CatalogEntry): boolean };

/** What the apps of a category can be narrowed to, by what the store vouches for. */
export const FACETS = {
  verified: { label: 'Verified publisher', has: ({ publisher }) => publisher.verified },
  'no-files': { label: 'Asks for no files', has: ({ grants }) => !grants.includes('files:receive') },
  'no-account': { label: 'No account needed', has: ({ accounts }) => accounts.length === 0 },
  'rated-4': { label: 'Rated 4 or better', has: ({ rating }) => rating.count > 0 && rating.average >= 4 },
} as const satisfies Record<string, FacetOf>;

export type Facet = keyof typeof FACETS;

/** Numbers of apps. */
export type FacetCounts = Readonly<Record<Facet, number>>;

/** How many of some apps each facet leaves, together with those that are chosen. */
export const countFacets = (apps: readonly CatalogEntry[], chosen: readonly Facet[]): FacetCounts => {
  const among = apps.filter((app) => chosen.every((facet) => FACETS[facet].has(app)));
  const counts = Object.entries(FACETS).map(([facet, { has }]) => [facet, among.filter(has).length]);
  return Object.fromEntries(counts) as FacetCounts;
};

/** Whether a page offers an order or a facet. */
export const isOffered = (name: Sort | Facet, offers: readonly Offer[]): boolean =>
  !OFFERS.some((one) => one === name) || offers.some((one) => one === name);

/** The known facets in a query, in a fixed order. */
export const facetsIn = (only: string | undefined): Facet[] =>
  (Object.keys(FACETS) as Facet[]).filter((facet) => only?.split(',').includes(facet));

export const SORT_WORDS: Readonly<Record<Sort, string>> = {
  relevance: 'Best match',
  installs: 'Most installed',
  rating: 'Best rated',
  updated: 'Recently updated',
  new: 'Newest',
  name: 'Name',
};

export const PLATFORM_WORDS: Readonly<Record<string, string>> = {
  darwin: 'macOS',
  win32: 'Windows',
  linux: 'Linux',
};
