import type { UpdateOutcome } from '@svc/runtime';
import { count } from './count.ts';
import { ended } from './ended.ts';

/** Texts about finding, installing and updating apps. */
export const STORE_WORDS = {
  storeSession: {
    needed: 'Only members of this store may see its apps.',
    signIn: 'Sign in',
    signOut: 'Sign out of the store',
    compare: 'Approve on the page of the store, which shows the same code:',
    open: 'Open the page',
    by: {
      none: 'Not signed in to the store.',
      environment: 'Signed in to the store with SVC_TOKEN.',
      login: 'Signed in to the store with svc login.',
      desktop: 'Signed in to the store. This desktop may only see and download its apps.',
    },
  },
  store: {
    search: 'Search apps',
    category: 'Category',
    all: 'All categories',
    sort: 'Sort by',
    sorts: { installs: 'Installs', rating: 'Rating', updated: 'Recently updated', new: 'New', name: 'Name' },
    relevance: 'Best match',
    found: (n: number) => count(n, 'app'),
    none: 'No apps match. Try fewer words or another category.',
    more: 'Show more',
    verified: 'Verified publisher',
    verifiedByStore: 'verified by the store',
    rating: (average: number, n: number) => `★ ${average.toFixed(1)} (${n})`,
    installs: (n: number) => count(n, 'install'),
    screenshots: 'Screenshots',
    screenshot: (n: number, name: string) => `Screenshot ${n} of ${name}`,
    readme: 'About this app',
    tools: 'Tools',
    versions: 'Versions',
    changelog: 'What changed',
    install: 'Install',
    installVersion: (version: string) => `Install ${version}`,
    update: (version: string) => `Update to ${version}`,
    installed: (version: string) => `${version} is installed`,
    open: 'Open app',
    size: 'Size',
    published: 'Published',
    support: 'Support',
    homepage: 'Website',
    by: (name: string) => `by ${name}`,
  },

  links: {
    ask: 'Web pages of stores can open apps here: you choose “Install” there, and this desktop shows what the app may do and asks you.',
    allow: 'Open links here',
    refuse: 'Not now',
    on: 'Links of web pages (svc://) open this desktop. It asks before it installs anything.',
    off: 'Links of web pages (svc://) do not open this desktop.',
    turnOff: 'Turn off',
    needsInstall: 'npx runs svc from its cache. To open links of web pages here, install svc:',
    otherTitle: (host: string) => `Open the store ${host}?`,
    other: (host: string, own: string) =>
      `A web page asks to open an app of ${host}. You use ${own} here. svc has not used ${host} on this computer.`,
    otherHint:
      'Its apps, accounts and data are kept apart from those of your other stores. Open it only if you know who operates it: it can list any app.',
    open: 'Open store',
    opening: 'Opening the store…',
    rateTitle: (name: string) => `Rate ${name}`,
    rate: 'Rate this app',
    rateHint:
      'The page of the store opens in your browser with the id of this installation, which proves that you installed the app.',
    rateNotInstalled: 'Only users who installed an app can rate it. Install it first.',
  },

  sheet: {
    title: (name: string, version: string) => `Install ${name} ${version}?`,
    updateTitle: (name: string, from: string, to: string) => `Update ${name} from ${from} to ${to}?`,
    preparing: 'Downloading the app and checking its signature…',
    verified:
      'These details are from the bundle, whose signature was verified. Only who published and who reviewed it is from the store.',
    requires: 'Requirements',
    presence: { here: 'available', missing: 'missing', off: 'switched off', withdrawn: 'yanked' },
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
    connectsUnder: 'Connect its accounts on the app’s page, under Accounts.',
  },

  permissions: {
    title: 'Permissions',
    noSentences: 'The publisher describes no permissions.',
    inWordsOf: (publisher: string) =>
      `In the words of the publisher, ${ended(publisher)} svc does not check them.`,
    more: (n: number) => `and ${n} more`,
    changes: (n: number) => count(n, 'change'),
    details: 'Details',
    unchanged: 'Unchanged',
    inside: 'Runs inside your company’s network:',
    publisher: 'Publisher:',
    noPicture: 'This image cannot be shown.',
  },

  updates: {
    updates: 'Updates',
    updatesHint:
      'Updates install without asking, unless they change permissions, or the name, publisher, icon or texts that you agreed to.',
    check: 'Check now',
    checking: 'Checking…',
    none: 'No apps from the store are installed.',
    outcome: (of: UpdateOutcome): string => {
      if (of.outcome === 'refused') return `Stays at ${of.version}: ${of.message}`;
      if (of.outcome === 'current') return `${of.version} is the latest.`;
      if (of.outcome === 'updated') {
        const again = of.switchedOn ? ' It was switched on again: the old version was yanked.' : '';
        return `Updated from ${of.version} to ${of.to}.${again}`;
      }
      return `Stays at ${of.version}: you declined ${of.to}.`;
    },
    revocations: 'Yanked versions',
    revocationsHint:
      'Yanked versions must not run. The store signs a list of them, and svc fetches it every few minutes.',
    signedAt: (when: string) => `The current list was signed ${when}.`,
    noList: 'No list yet.',
    off: 'Switched off',
    offHint: 'The store yanked these versions. They stay off until an update or the store brings them back.',
    yankedAt: (when: string) => `Yanked ${when}`,
    refused: (why: string) => `The new list was not accepted: ${why}. Still using the previous list.`,
    away: 'The store cannot be reached. The current list is recent enough.',
    awayStale: 'The store cannot be reached, and there is no recent list. Check again later.',
    fresh: 'The list is up to date.',
    ahead:
      'The list is signed in the future: the clock of the store or of this computer is wrong. Check this computer’s clock. If it is right, contact the store.',
    stale: 'The list is too old to rely on. Check again when the store can be reached.',
  },
};
