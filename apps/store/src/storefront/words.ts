import type { Category } from '@svc/contracts';
import type { Sort } from '../catalog/listing-store.ts';

/** What the pages of the catalogue say, in one place, so that another language is another such record. */
export const WORDS = {
  lang: 'en',
  store: 'svc app store',
  tagline: 'Apps for your chat client, checked and signed.',
  search: 'Search apps',
  searchHint: 'Name, publisher, or what it does',
  all: 'All',
  sortBy: 'Sort by',
  show: 'Show',
  account: 'Account',
  publish: 'Publish an app',
  skip: 'Skip to the apps',
  more: 'More apps',
  none: 'Nothing found',
  noneHint: 'Try fewer or other words. A misspelling of a letter or two is forgiven.',
  empty: 'No apps yet',
  emptyHint: 'The first one can be yours: make a publisher, check your bundle, publish it.',
  everything: 'Show all apps',
  open: 'Open in the client',
  openHint: 'Your chat client checks the signature again before it installs anything.',
  verified: 'verified publisher',
  permissions: 'What it may do',
  noPermissions: 'It asks for nothing beyond its own storage.',
  reach: 'What it can reach',
  domains: 'Servers',
  accounts: 'Accounts you connect',
  tools: 'Tools',
  requires: 'It needs',
  files: 'files you hand over',
  asksFirst: 'asks you first',
  usesAccount: (label: string) => `uses ${label}`,
  readme: 'About',
  noReadme: 'Its bundle has no README.',
  screenshots: 'Screenshots',
  versions: 'Versions',
  bundle: 'Bundle',
  hash: 'SHA-256',
  signature: 'Signature (Ed25519)',
  key: 'Signed by key',
  verify: 'Verify it yourself',
  verifyHint:
    'The command downloads the bundle, makes the signed facts anew from the manifest inside, and checks the signature over them.',
  reviews: 'Reviews',
  noReviews: 'Nobody has rated it yet. Reviews are written by people who installed the app.',
  rate: 'Rate it',
  report: 'Report a review',
  reply: (name: string) => `${name} replies`,
  moreReviews: 'More reviews',
  installs: (count: number) => (count === 1 ? 'install' : 'installs'),
  ratings: (count: number) => (count === 1 ? 'rating' : 'ratings'),
  stars: (stars: string) => `${stars} of 5 stars`,
  unrated: 'not rated yet',
  found: (count: number, most: boolean) => {
    if (count === 0) return 'No apps';
    return `${most ? `${count.toLocaleString('en')} or more` : count.toLocaleString('en')} ${count === 1 ? 'app' : 'apps'}`;
  },
  updated: 'Updated',
  size: 'Size',
  version: 'Version',
  platforms: 'Works on',
  everywhere: 'All systems',
  homepage: 'Website',
  support: 'Support',
  categoriesLabel: 'Categories',
  close: 'Close',
  next: 'Next',
  previous: 'Previous',
  latest: 'latest',
} as const;

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

/** What a grant lets an app do, for who has never heard of grants. */
export const GRANT_WORDS: Readonly<Record<string, string>> = {
  storage: 'Keep files in its own storage',
  'files:receive': 'Receive files that you or the agent hand to it',
  'files:return': 'Give files back, which are kept in its storage and offered to your media library',
  'host:media': 'Have your client resize, crop, convert, compress or trim files before it gets them',
  'project:write': 'Ask to save a file into your project; each time you are asked',
};
