import type { VersionState } from '@svc/contracts';
import { count } from '../check/words.ts';

/** What the pages about a publisher's apps say, in one place, so that another language is another such record. */
export const WORDS = {
  apps: 'Apps',
  moreApps: 'More apps',
  suspended: 'suspended',
  appSuspended: 'This app is suspended: it is not listed, and nothing of it can be published.',
  none: 'Nothing published yet',
  listed: (version: string) => `${version} is in the catalogue`,
  newest: (version: string, state: string) => `${version}: ${state}`,
  counts: { waiting: 'waiting', published: 'published', rejected: 'rejected', yanked: 'yanked' },
  installs: (n: number) => count(n, 'install'),

  first: {
    title: 'Your first app',
    lead: 'From nothing to the catalogue. You need Node 22.19 or newer and the address of your MCP server.',
    slug: 'YOUR-SHORT-NAME',
    publisher: {
      title: 'Create a publisher',
      text: 'Its name stands beside your apps, and its short name in every plugin.json.',
    },
    init: {
      title: 'Create the folder of the app',
      text: 'It asks a few questions. What it writes passes the checks.',
    },
    dev: {
      title: 'Try it',
      text: 'Name your tools in plugin.json. The app runs in a desktop client of its own while you edit.',
    },
    validate: {
      title: 'Check it',
      text: 'The same checks that run when you publish, with a repair where there is one.',
      link: 'All checks',
    },
    pack: { title: 'Pack it', text: 'Makes one .svc-app file of the folder.' },
    publish: {
      title: 'Publish it',
      text: 'Drop the file below, or publish from the terminal.',
      later: 'Drop the file on the page of your publisher, or publish from the terminal.',
    },
    review: {
      title: 'A moderator reviews it',
      text: 'A moderator reviews every first version before the catalogue lists it. You follow that here, and by mail.',
    },
  },

  publish: {
    title: 'Publish a version',
    drop: 'Drop a bundle here',
    choose: 'or paste or choose a .svc-app file. It is checked in your browser before anything is sent.',
    checking: (name: string) => `Checking ${name}…`,
    button: (name: string, version: string) => `Publish ${name} ${version}`,
    another: 'Choose another bundle',
    next: 'Publish another version',
    fix: 'Fix the errors, pack the folder again, and drop the new bundle.',
    warnings: 'Warnings do not keep it from being published. Reviewers see them.',
    sending: 'Sending the bundle…',
    arrived: 'It has arrived. The store checks it…',
    progress: 'Upload',
    sent: (sent: string, total: string) => `${sent} of ${total}`,
    cancel: 'Cancel',
    again: 'Try again',
    againIn: (seconds: number) => `Try again in ${seconds} s`,
    signIn: 'Sign in in a new tab',
    taken: (version: string) => `Version ${version} is with the store`,
    show: 'Show the app',
  },

  publishBlocker: {
    manifest: 'This is a plugin.json alone. Pack its folder with svc pack, and drop the bundle.',
    noManifest: 'Its plugin.json cannot be read.',
    publisher: (named: string, slug: string) =>
      `This bundle is for the publisher “${named}”, and this page is of “${slug}”. Fix "publisher" in plugin.json, or go to the page of that publisher.`,
    otherApp: (id: string) => `This is another app, ${id}. Publish it from the page of your publisher.`,
    uploaded: (version: string) =>
      `Version ${version} was uploaded before. Raise "version" in plugin.json, pack again, and drop the new bundle.`,
  },

  uploadError: {
    cancelled: 'Stopped. The bundle is still here.',
    lost: 'The connection was lost. The bundle is still here: try again when you are online.',
    signedOut: 'You are signed out. The bundle is still here: sign in again in a new tab, then try again.',
    stale: 'This page was open for too long. The bundle is still here: try again.',
    tooLarge: 'The bundle is over 25 MiB. Make its pictures smaller, pack again, and drop the new bundle.',
    notGreater: (version: string, latest: string) =>
      `Version ${version} is not greater than ${latest}, which was uploaded before. Raise "version" in plugin.json, pack again, and drop the new bundle.`,
    findings: 'The store found what the checks here did not. Fix that, pack again, and drop the new bundle.',
    tooMany: 'These were many uploads in a short time. The bundle is still here: wait a little.',
    busy: 'The store cannot take it just now. The bundle is still here: wait a little.',
    failed: (requestId: string) =>
      `The store failed. The bundle is still here: try again. If it keeps failing, give the operator of the store this request id: ${requestId}`,
    strange: (status: number) =>
      `The store answered ${status}, and did not say why. The bundle is still here.`,
  },

  steps: {
    label: 'Timeline',
    done: 'done',
    now: 'now',
    since: 'since',
  },
  timeline: {
    uploaded: 'Uploaded',
    checking: 'Being checked',
    checked: 'Checked',
    noFindings: 'no findings',
    review: 'In review',
    changes: 'Changes requested',
    approved: 'Approved',
    rejected: 'Rejected',
    retracted: 'Retracted',
    published: 'Published',
    publishedAgain: 'Published again',
    yanked: 'Yanked',
    byModerator: 'Decided by a moderator of this store',
    byChecks: 'Decided by the checks: no review was needed',
    byPublisher: 'Decided by your publisher',
    by: (name: string) => `By ${name}`,
  },
  why: 'Why a person looks at it',
  place: (position: number, of: number, due: string) =>
    `Number ${position} of ${of} in the queue. Looked at by ${due} at the latest.`,
  live: 'This page follows it by itself.',

  versions: {
    title: 'Versions',
    more: 'Older versions',
    uploaded: 'Uploaded',
    published: 'Published',
    size: 'Size',
    hash: 'SHA-256',
    reasons: 'Review',
    notes: 'Note',
    way: 'Timeline',
    findings: 'Findings',
    noFindings: 'The checks found nothing.',
    changes: (base: string) => `Changes since ${base}`,
    first: 'Permissions',
    changelog: 'Changelog',
    noChangelog: 'Its bundle has no changelog.',
    details: (version: string) => `Details of ${version}`,
  },

  withdraw: 'Withdraw',
  withdrawSure: 'Take it back? Its number stays used.',
  yank: {
    open: (version: string) => `Yank ${version}…`,
    title: (version: string) => `Yank ${version}?`,
    warning: 'Users lose this version: every client switches it off within the hour.',
    reachAsked: 'Asking how many have fetched it…',
    reachUnknown: 'How many have fetched it could not be found out.',
    reach: (days: number, { installs, updates }: { installs: number; updates: number }) =>
      installs + updates === 0
        ? `No download is known from the last ${days} days.`
        : `In the last ${days} days it had ${count(installs, 'install')}, and was fetched ${count(updates, 'time')} as an update. How many still have it is not known.`,
    final: 'Only an administrator can undo this.',
    reason: 'Reason',
    reasonHint: 'Shown to users who have it, and signed.',
    action: (version: string) => `Yank ${version}`,
    cancel: 'Keep it',
  },

  compare: {
    title: 'Compare two versions',
    from: 'From',
    to: 'To',
    same: 'Choose two different versions.',
  },
  diff: {
    nothing: 'No permission changes, and the app presents itself as before.',
    picture: (side: 'before' | 'after', name: 'icon' | 'mark') =>
      `${name === 'icon' ? 'Icon' : 'Mark'} ${side} the update`,
  },
  figures: {
    title: 'Installs',
    installs: 'Installs in all',
    period: 'Period',
    days: (n: number) => `${n} days`,
    what: 'Shown',
    shown: { installs: 'Installs', updates: 'Updates' },
    perDay: { installs: 'Installs per day', updates: 'Updates per day' },
    perVersion: (days: number) => `Each version, in the last ${days} days`,
    version: 'Version',
    hint: 'An installation is counted once. It updates when it fetches the app again, another day or another version.',
  },
  chart: {
    table: 'The numbers as a table',
    day: 'Day',
    noDays: 'No days to show yet.',
    choose: 'Choose a day',
    span: (from: string, to: string, total: number, most: number) =>
      `From ${from} to ${to}: ${total} in all, ${most} on the busiest day.`,
    one: (day: string, n: number) => `${day}: ${n}`,
  },
  publicPage: 'Its page in the catalogue',
} as const;

/** What a state is called. */
export const STATE_WORDS: Readonly<Record<VersionState, string>> = {
  submitted: 'uploaded',
  checking: 'being checked',
  in_review: 'in review',
  approved: 'approved',
  rejected: 'rejected',
  published: 'published',
  yanked: 'yanked',
};

/** What a version is called that its publisher took back. */
export const RETRACTED = 'retracted';

const REASONS: Readonly<Record<string, string>> = {
  'first-version': 'It is the first version of this app.',
  'permissions-widened': 'It asks for new permissions.',
  'publisher-unverified': 'The publisher is not verified yet: see the Website tab of its page.',
  'flagged:face.changed':
    'Its name, author, icon, permission texts or approval texts change. A moderator compares old and new.',
  'flagged:requires.id':
    'It requires an app that is not published in this store. It cannot be approved until that app is.',
  'flagged:check.error': 'A check could not be finished.',
};

/** Why a person must look at a version, for its developer. */
export const reasonText = (reason: string): string =>
  REASONS[reason] ??
  (reason.startsWith('flagged:') ? `The checks found ${reason.slice('flagged:'.length)}.` : reason);
