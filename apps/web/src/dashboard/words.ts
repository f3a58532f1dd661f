import type { VersionState } from '@svc/contracts';
import { count } from '../check/words.ts';
import { COMMON_WORDS } from '../common-words.ts';

/** Texts of the pages about a publisher's apps. A translation is another record of the same shape. */
export const WORDS = {
  apps: 'Apps',
  moreApps: 'Load more apps',
  suspended: COMMON_WORDS.suspended,
  appSuspended: 'This app is suspended: it is not listed, and you cannot publish new versions.',
  none: 'Not published yet',
  listed: (version: string) => `${version} is in the catalogue`,
  newest: (version: string, state: string) => `${version}: ${state}`,
  counts: { waiting: 'waiting', published: 'published', rejected: 'rejected', yanked: 'yanked' },
  installs: (n: number) => count(n, 'install'),

  first: {
    title: 'Your first app',
    lead: 'You need Node 22.19 or newer and the address of your MCP server.',
    slug: 'YOUR-SHORT-NAME',
    publisher: {
      title: COMMON_WORDS.createPublisher.title,
      text: 'Users see its name next to your apps. Its short name goes into every plugin.json.',
    },
    init: {
      title: 'Create the app folder',
      text: 'Answer a few questions. The files it writes pass all checks.',
    },
    dev: {
      title: 'Try it',
      text: 'List your tools in plugin.json. The app runs in its own desktop client while you edit.',
    },
    validate: {
      title: 'Check it',
      text: 'Runs the same checks as publishing, and suggests a fix where there is one.',
      link: COMMON_WORDS.allChecks,
    },
    pack: { title: 'Pack it', text: 'Packs the folder into one .svc-app file.' },
    publish: {
      title: 'Publish it',
      text: 'Drop the file below, or publish from the terminal.',
      later: 'Drop the file on the page of your publisher, or publish from the terminal.',
    },
    review: {
      title: 'A moderator reviews it',
      text: 'The catalogue lists the app once a moderator approves its first version. You see the progress here and get it by mail.',
    },
  },

  publish: {
    title: 'Publish a version',
    drop: 'Drop a bundle here',
    choose: 'or paste or choose a .svc-app file. Your browser checks it before anything is sent.',
    checking: (name: string) => `Checking ${name}…`,
    button: (name: string, version: string) => `Publish ${name} ${version}`,
    another: 'Choose another bundle',
    next: 'Publish another version',
    fix: 'Fix the errors, pack the folder again, and drop the new bundle.',
    warnings: 'Warnings do not block publishing. Moderators see them.',
    sending: 'Uploading the bundle…',
    arrived: 'Uploaded. The store is checking the bundle…',
    progress: 'Upload',
    sent: (sent: string, total: string) => `${sent} of ${total}`,
    cancel: COMMON_WORDS.cancel,
    retry: COMMON_WORDS.retry,
    retryIn: (seconds: number) => `Retry in ${seconds} s`,
    signIn: 'Sign in in a new tab',
    accepted: (version: string) => `Version ${version} uploaded`,
    show: 'View app',
  },

  publishBlocker: {
    manifest: 'This is only a plugin.json. Run svc pack on its folder, and drop the bundle.',
    noManifest: 'The plugin.json of this bundle cannot be read.',
    publisher: (named: string, slug: string) =>
      `This bundle is for the publisher “${named}”, but this page is for “${slug}”. Fix "publisher" in plugin.json, or publish on the page of that publisher.`,
    otherApp: (id: string) =>
      `This bundle is for another app, ${id}. Publish it on the page of your publisher.`,
    uploaded: (version: string) =>
      `Version ${version} was already uploaded. Increase "version" in plugin.json, pack again, and drop the new bundle.`,
  },

  uploadError: {
    cancelled: 'Upload cancelled. The bundle is still here.',
    lost: 'Connection lost. The bundle is still here: retry when you are online.',
    signedOut: 'You are signed out. The bundle is still here: sign in in a new tab, then retry.',
    stale: 'This page was open for too long. The bundle is still here: retry.',
    tooLarge:
      'The bundle is larger than 25 MiB. Make its pictures smaller, pack again, and drop the new bundle.',
    notGreater: (version: string, latest: string) =>
      `Version ${version} is not greater than ${latest}, which was already uploaded. Increase "version" in plugin.json, pack again, and drop the new bundle.`,
    findings:
      'The store found problems that the checks here did not. Fix them, pack again, and drop the new bundle.',
    tooMany: 'Too many uploads in a short time. The bundle is still here: wait, then retry.',
    busy: 'The store is unavailable. The bundle is still here: wait, then retry.',
    failed: (requestId: string) =>
      `The store failed. The bundle is still here: retry. If it fails again, send the operator of the store this request id: ${requestId}`,
    unexplained: (status: number) => `${COMMON_WORDS.unexplained(status)} The bundle is still here.`,
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
  why: 'Why a moderator reviews it',
  place: (position: number, of: number, due: string) =>
    `Number ${position} of ${of} in the queue. Review due by ${due}.`,
  expected: (time: string) => `By recent reviews, a decision is likely by ${time}.`,
  reviewTimes: 'Review times',
  live: 'This page updates automatically.',

  versions: {
    title: 'Versions',
    more: 'Load older versions',
    uploaded: 'Uploaded',
    published: 'Published',
    size: 'Size',
    hash: 'SHA-256',
    source: 'Uploaded by',
    confirmTitle: 'Confirmation',
    confirmHint:
      'This version waits for you. Compare the changes above, and the hash with that of your build (svc pack prints it), then confirm. If no member of your team uploaded it, retract it, and revoke your tokens.',
    confirm: 'Confirm and publish…',
    confirmSure: 'Publish the version with this hash? Where it needs a review, a moderator decides next.',
    reasons: 'Review',
    timeline: 'Timeline',
    findings: 'Findings',
    noFindings: COMMON_WORDS.noFindings,
    changes: (base: string) => `Changes since ${base}`,
    first: 'Permissions',
    changelog: 'Changelog',
    noChangelog: 'This bundle has no changelog.',
  },

  retract: 'Retract',
  retractSure: 'Retract this version? Its number cannot be used again.',
  yank: {
    open: (version: string) => `Yank ${version}…`,
    title: (version: string) => `Yank ${version}?`,
    warning: 'Users lose this version: every client disables it within the hour.',
    downloadsLoading: 'Loading the number of downloads…',
    downloadsUnknown: 'The number of downloads could not be loaded.',
    downloads: (days: number, { installs, updates }: { installs: number; updates: number }) =>
      installs + updates === 0
        ? `No downloads in the last ${days} days.`
        : `${count(installs, 'install')} and ${count(updates, 'update')} in the last ${days} days. The store does not know how many users still have it.`,
    final: 'Only an administrator can undo this.',
    reason: 'Reason',
    reasonHint: 'Shown to users who have this version, and signed.',
    action: (version: string) => `Yank ${version}`,
    cancel: COMMON_WORDS.cancel,
  },

  compare: {
    title: 'Compare two versions',
    from: 'From',
    to: 'To',
    same: 'Choose two different versions.',
  },
  diff: {
    nothing: 'Permissions and presentation are the same.',
    picture: (side: 'before' | 'after', name: 'icon' | 'mark') =>
      `${name === 'icon' ? 'Icon' : 'Mark'} ${side} the update`,
  },
  installStats: {
    title: 'Installs',
    installs: 'Total installs',
    period: 'Period',
    days: (n: number) => `${n} days`,
    metric: 'Metric',
    metrics: { installs: 'Installs', updates: 'Updates' },
    perDay: { installs: 'Installs per day', updates: 'Updates per day' },
    perVersion: (days: number) => `By version, last ${days} days`,
    version: 'Version',
    hint: 'Each installation counts once. Its later downloads, on another day or of another version, count as updates.',
  },
  chart: {
    table: 'Show as a table',
    day: 'Day',
    noDays: 'No days to show yet.',
    choose: 'Choose a day',
    span: (from: string, to: string, total: number, max: number) =>
      `From ${from} to ${to}: ${total} in total, ${max} on the busiest day.`,
    value: (day: string, n: number) => `${day}: ${n}`,
  },
  publicPage: COMMON_WORDS.viewInCatalog,
} as const;

/** Names of the states of a version. */
export const STATE_WORDS: Readonly<Record<VersionState, string>> = {
  submitted: 'uploaded',
  checking: 'being checked',
  in_review: 'in review',
  approved: 'approved',
  rejected: 'rejected',
  published: 'published',
  yanked: 'yanked',
};

/** Shown in place of `rejected` when the publisher retracted the version. */
export const RETRACTED = 'retracted';
