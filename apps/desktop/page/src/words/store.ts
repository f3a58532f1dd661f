import type { UpdateOutcome } from '@svc/runtime';
import { count } from './count.ts';
import { ended } from './ended.ts';

/** What is said about finding, installing and updating apps. */
export const STORE_WORDS = {
  store: {
    search: 'Search apps',
    category: 'Category',
    all: 'All categories',
    sort: 'Sort by',
    sorts: { installs: 'Installs', rating: 'Rating', updated: 'Recently updated', new: 'New', name: 'Name' },
    relevance: 'Best match',
    found: (n: number) => count(n, 'app'),
    none: 'No apps match. Try fewer words, or another category.',
    more: 'Show more',
    verified: 'Verified publisher',
    verifiedByStore: 'verified by the store',
    rating: (average: number, n: number) => `★ ${average.toFixed(1)} (${n})`,
    installs: (n: number) => count(n, 'install'),
    screenshots: 'Pictures',
    screenshot: (n: number, name: string) => `Picture ${n} of ${name}`,
    readme: 'About this app',
    tools: 'Tools',
    versions: 'Versions',
    changelog: 'What changed',
    install: 'Install',
    installVersion: (version: string) => `Install ${version}`,
    update: (version: string) => `Update to ${version}`,
    installed: (version: string) => `${version} is installed`,
    open: 'Open the app',
    size: 'Size',
    published: 'Published',
    support: 'Support',
    homepage: 'Website',
    by: (name: string) => `by ${name}`,
  },

  sheet: {
    title: (name: string, version: string) => `Install ${name} ${version}?`,
    updateTitle: (name: string, from: string, to: string) => `Update ${name} from ${from} to ${to}?`,
    preparing: 'Downloading the app and checking its signature…',
    verified:
      'All of this, but for the badge of the publisher, is from the bundle itself, whose signature was checked.',
    requires: 'Requirements',
    presence: { here: 'here', missing: 'missing', off: 'switched off', withdrawn: 'withdrawn' },
    need: { required: 'required', fallback: 'as a fallback', optional: 'optional' },
    facts: { size: 'Size', hash: 'SHA-256', key: 'Signed with', published: 'Published', store: 'Store' },
    same: 'This update asks for no new permissions.',
    accept: 'Install',
    acceptUpdate: 'Update',
    agree: 'Agree and update',
    declineKeeps: (version: string) => `If you decline, ${version} stays installed.`,
    declineInstall: 'If you decline, nothing is installed.',
    busy: 'Installing…',
    installed: (name: string) => `${name} is installed`,
    connectsUnder: 'Its accounts are on the page of the app, under Accounts.',
  },

  permissions: {
    title: 'Permissions',
    noSentences: 'The app explains no permissions.',
    inWordsOf: (publisher: string) =>
      `In the words of the publisher, ${ended(publisher)} svc does not check them.`,
    allowed: 'svc will allow',
    more: (n: number) => `and ${n} more`,
    changes: (n: number) => count(n, 'change'),
    details: 'Details',
    unchanged: 'Stays as it is',
    publisher: 'Publisher:',
    before: 'Before',
    after: 'After',
    nothing: 'nothing',
    noPicture: 'This picture cannot be shown.',
    signs: { added: 'Added:', removed: 'Removed:', changed: 'Changed:' },
  },

  updates: {
    updates: 'Updates',
    updatesHint:
      'An update that changes neither permissions nor name, publisher, icon or texts that you agreed to is installed at once. Any other asks you first.',
    check: 'Check now',
    checking: 'Checking…',
    none: 'No app from the store is installed.',
    outcome: (of: UpdateOutcome): string => {
      if (of.outcome === 'refused') return `Stays at ${of.version}: ${of.message}`;
      if (of.outcome === 'current') return `${of.version} is the latest.`;
      if (of.outcome === 'updated') {
        const again = of.switchedOn ? ' It is on again: the store had withdrawn the old version.' : '';
        return `Updated from ${of.version} to ${of.to}.${again}`;
      }
      return `Stays at ${of.version}: you declined ${of.to}.`;
    },
    revocations: 'Withdrawn versions',
    revocationsHint: 'The store signs a list of versions that must not run. It is fetched hourly.',
    signedAt: (when: string) => `The list at hand was signed ${when}.`,
    noList: 'No list was accepted yet.',
    refused: (why: string) => `The new list was not accepted: ${why}. Still using the one from before.`,
    away: 'The store cannot be reached. The list at hand is recent enough to go by.',
    awayStale:
      'The store cannot be reached, and no list at hand says what is withdrawn now. Check again later.',
    fresh: 'It is up to date.',
    ahead:
      'It is signed in the future: the clock of the store or of this computer is wrong. Check this clock; if it is right, tell the store.',
    stale: 'It is too old to say what is withdrawn now. Check again when the store can be reached.',
  },
};
