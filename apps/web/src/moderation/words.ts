import type { Review } from '@svc/contracts';
import { GROUP_TITLES } from '@svc/permissions';
import { COMMON_WORDS } from '../common-words.ts';

/** Texts of the moderation pages. A translation is another record of the same shape. */
export const WORDS = {
  title: 'Moderation',
  tabs: {
    queue: 'Queue',
    instructions: 'Instructions',
    servers: 'Servers',
    appeals: 'Appeals',
    reviews: 'Reviews',
    reports: 'Reports',
  },
  toQueue: 'Back to the queue',
  loading: COMMON_WORDS.loading,
  retry: COMMON_WORDS.retry,
  you: COMMON_WORDS.you,

  queue: {
    title: 'Queue',
    total: (count: number) =>
      count === 1 ? '1 version waiting' : `${count.toLocaleString('en')} versions waiting`,
    none: 'No versions waiting',
    noneHint: 'New versions that need a review appear here.',
    noMatch: 'No versions match these filters',
    list: 'Versions waiting for review, oldest first',
    filters: 'Filters',
    reason: 'Reason',
    anyReason: 'Any reason',
    reasons: {
      'first-version': 'First version',
      'permissions-widened': GROUP_TITLES.widens,
      'publisher-unverified': 'Publisher not verified',
      'flagged:face.changed': GROUP_TITLES.face,
      'flagged:tools.changed': GROUP_TITLES.instructions,
      'flagged:requires.id': 'Required app missing',
      flagged: 'Flagged by a check',
    },
    publisher: 'Publisher',
    appId: 'App id',
    lock: 'Locked by',
    locks: { '': 'Any', nobody: 'No moderator', me: 'You', others: 'Other moderators' },
    due: 'Due',
    dues: { '': 'Any time', true: 'Overdue', false: 'Not yet due' },
    superseded: 'Newer upload exists',
    supersededs: { '': 'Any', false: 'No', true: 'Yes' },
    apply: 'Apply',
    clear: 'Clear',
    reload: 'Reload',
    addsPermissions: 'asks for new permissions',
    first: 'first version',
    supersededBadge: 'superseded',
    changesRequested: 'changes requested',
    requests: 'Changes requested',
    requestChoices: { '': 'Any', true: 'Waiting for the publisher', false: 'No' },
    submitted: (age: string) => `submitted ${age} ago`,
    dueIn: (span: string) => `due in ${span}`,
    overdue: (span: string) => `overdue by ${span}`,
    locked: (who: string) => `locked by ${who}`,
    assignee: 'Assigned to',
    assignees: { '': 'All', me: 'Mine', nobody: 'Unassigned' },
    assignedTo: (who: string) => `assigned to ${who}`,
  },

  bulk: {
    title: 'Selected versions',
    select: (name: string, version: string) => `Select ${name} ${version}`,
    onePublisher: 'Select versions of one publisher.',
    selected: (count: number, publisher: string) =>
      `${count === 1 ? '1 version' : `${count} versions`} of ${publisher} selected`,
    approve: 'Approve selected',
    reject: 'Reject selected',
    clear: 'Clear selection',
    titles: {
      approve: (count: number, publisher: string) =>
        `Approve ${count === 1 ? '1 version' : `${count} versions`} of ${publisher}?`,
      reject: (count: number, publisher: string) =>
        `Reject ${count === 1 ? '1 version' : `${count} versions`} of ${publisher}?`,
    },
    hint: 'Each version is a decision of its own: those that cannot be decided stay in the queue.',
  },

  lanes: {
    instructionsLead:
      'Updates that change only words that agents read: names and descriptions of tools. Marked phrases give orders to the model.',
    noInstructions: 'No changed instructions waiting',
    serversLead:
      'Servers that now list other tools than those that were reviewed. Clients keep using what was reviewed until you accept. To refuse, yank the version.',
    noServers: 'No changed servers',
    total: (count: number) => (count === 1 ? '1 waiting' : `${count} waiting`),
    since: (age: string) => `waiting for ${age}`,
    compared: (version: string) => `Compared with ${version}.`,
    accept: 'Approve',
    acceptAll: (count: number, publisher: string) => `Approve all ${count} equal changes of ${publisher}`,
    accepted: 'Accepted: this is the record now.',
    reviewed: 'Reviewed',
    now: 'Now',
    nothing: 'nothing',
    suspended: 'The app is suspended until a moderator decides.',
  },

  appeals: {
    title: 'Appeals',
    none: 'No appeals waiting',
    noneHint: 'Publishers can appeal rejections, yanks and suspensions.',
    by: (who: string, publisher: string) => `Decided by ${who}, against ${publisher}.`,
    version: 'Open the version',
    write: 'Write to the publisher',
    message: 'Message',
    send: 'Send',
    decide: 'Decide',
    outcome: 'The decision is',
    outcomes: {
      upheld: 'upheld: it stays',
      reversed: 'reversed: a rejected version returns to the queue; a yank or suspension is undone',
    },
    note: 'Note, for the publisher',
    sendDecision: 'Send the decision',
    conflicts: {
      uploader: 'You took this decision: another moderator decides its appeal.',
      member: 'You are a member of the publisher: another moderator decides.',
      administrator: 'Only an administrator decides appeals of yanks and suspensions.',
    },
  },

  reports: {
    title: 'Reports',
    none: 'No reports waiting',
    noneHint: 'Apps that users report appear here.',
    about: (publisher: string, installs: number, count: number, since: string) =>
      `${publisher}, ${installs.toLocaleString('en')} installs, ${count === 1 ? '1 report' : `${count} reports`} since ${since}`,
    record: (upheld: number, dismissed: number) =>
      `earlier reports: ${upheld} upheld, ${dismissed} dismissed`,
    decide: 'Decide',
    outcome: 'The reports are',
    outcomes: { upheld: 'right', dismissed: 'wrong, or not a violation' },
    note: 'Note, for the users who reported it',
    send: 'Send the decision',
  },

  assign: {
    label: 'Assigned to',
    none: 'No moderator',
    toMe: 'Assign to me (m)',
  },

  keys: {
    title: 'Keyboard shortcuts',
    on: 'Single-key shortcuts are on',
    hint: 'Shortcuts do nothing while you type in a field.',
    close: COMMON_WORDS.close,
    show: 'Shortcuts (?)',
    queue: [
      ['j or ↓', 'next version'],
      ['k or ↑', 'previous version'],
      ['Home, End', 'first, last loaded version'],
      ['Enter', 'open the version'],
      ['s', 'select the version, with others of its publisher'],
      ['a, x', 'approve, reject the selected versions'],
      ['r', 'reload the queue'],
      ['/', 'go to the filters'],
    ],
    review: [
      ['m', 'assign to me'],
      ['a', 'approve, after a confirmation'],
      ['c', 'request changes'],
      ['x', 'reject, with a reason'],
      ['n', 'next version, after your decision'],
      ['[, ]', 'previous, next version of the queue'],
      ['j, k', 'next, previous file'],
      ['d', 'show the changes or the whole file'],
      ['u', 'back to the queue'],
    ],
    lanes: [
      ['j', 'next change'],
      ['k', 'previous change'],
      ['a', 'approve the change'],
      ['A', 'approve all equal changes of its publisher'],
      ['x', 'reject the update, with a reason'],
      ['r', 'reload the list'],
    ],
    flagged: [
      ['j or ↓', 'next review'],
      ['k or ↑', 'previous review'],
      ['x', 'hide the review, with a note'],
      ['a', 'keep the review, or show it again'],
      ['r', 'reload the list'],
    ],
  },

  review: {
    source: 'Uploaded by',
    lockTaking: 'Locking this version for you…',
    lockMine: (until: string) => `Locked by you until ${until}. The lock is renewed while this page is open.`,
    lockOthers: (who: string, until: string) =>
      `Locked by ${who} until ${until}. You can read this version; to decide, override the lock.`,
    lockLost: (who: string) => `Your lock expired, and ${who} locked this version. Your text is kept.`,
    lockTake: 'Retry the lock',
    lockTakeAway: 'Take over the lock',
    lockTakeAwaySure: 'Take over the lock of a moderator who may be reviewing?',
    lockFailed: 'This version could not be locked:',
    handled: (status: string) => `Not in review: this version is ${status}.`,
    superseded: 'A newer upload of this app exists. You can still decide on this one.',
    suspendedPublisher: 'The publisher of this version is suspended.',
    facts: 'Details',
    unverified: 'not verified',
    administer: 'Suspend',
    theApp: 'the app',
    thePublisher: 'the publisher',
    submitted: 'Submitted',
    by: 'by',
    due: 'Due',
    place: (position: number, of: number) => `${position} of ${of} in the queue`,
    reasons: 'Reasons for the review',
    hash: 'SHA-256 of the bundle',
    size: 'Size',
    state: 'State',
    download: 'Download the bundle',
    findings: 'Findings of the checks',
    noFindings: COMMON_WORDS.noFindings,
    findingPage: 'what this means',
    served: 'Tools of the server',
    servedBy: { publisher: 'As the publisher listed them', store: 'As the store listed them' },
    notListed: 'They have not been listed yet. The store lists servers that need no sign-in.',
    servedFindings: {
      'not-served': () => 'is declared, but the server does not have it',
      'other-name': (name: string) => `is declared, but the server calls it ${name}`,
      'asks-for-secret': (name: string) => `asks for a secret: the parameter ${name}`,
    },
    seen: 'What users will see',
    icon: 'Icon',
    screenshots: 'Screenshots',
    screenshot: (number: number, name: string) => `Screenshot ${number} of ${name}`,
    alike: 'Look-alikes',
    alikeBy: (by: readonly ('name' | 'icon')[]) =>
      `The ${by.join(' and the ')} ${by.length > 1 ? 'look' : 'looks'} like that of another publisher:`,
    alikeThis: 'this version',
    iconOf: (name: string) => `Icon of ${name}`,
    noScreenshots: 'No screenshots.',
    record: (since: string, { approved, rejected, yanked }: Review['record']) =>
      `since ${since}: ${approved} approved, ${rejected} rejected, ${yanked} yanked`,
    readmeTitle: 'README',
    changelogTitle: 'Changelog',
    was: 'was',
    permissions: 'Permissions, in the words of the publisher',
    categories: 'Categories',
    homepage: 'Website',
    support: 'Support',
    author: 'Author',
    tools: 'Tools',
    panels: 'Panels',
    none: 'none',
    readme: 'README, as text',
    changelog: 'Changelog, as text',
    history: 'History',
    ofVersion: 'This version',
    ofApp: 'Other versions of this app',
    ofPublisher: 'Other apps of this publisher',
    noDecisions: 'No decisions yet.',
    move: (from: string, to: string) => `${from} → ${to}`,
  },

  changes: {
    source: 'It comes from elsewhere:',
    noSource: 'no CI workflow',
    widensTitle: (count: number, base: string) =>
      `Asks for ${count} new ${count === 1 ? 'permission' : 'permissions'} since ${base}`,
    firstTitle: 'First version: all permissions are new',
    firstHint: 'No user has agreed to these permissions yet.',
    sameTitle: (base: string) => `No new permissions since ${base}`,
    nothingTitle: (base: string) => `Permissions and presentation are the same as in ${base}`,
    since: (current: string, base: string) =>
      `${current} was published after the check. This list compares with ${current}; the check compared with ${base}.`,
    sinceFirst: (current: string) =>
      `${current} was published after the check. This list compares with ${current}; the check had no version to compare with.`,
    baseGone: (base: string, status: string) =>
      `The check compared with ${base}, which is ${status} now. This list shows that comparison.`,
    all: 'All permissions, before and after',
    picture: (picture: 'icon' | 'mark', version: string) =>
      `${picture === 'icon' ? 'Icon' : 'Mark'} of ${version}`,
  },

  files: {
    title: 'Files',
    loading: 'Opening the bundle…',
    list: 'Files of the bundle',
    changedOnly: 'Changed files only',
    counts: (changed: number, all: number) => `${changed} of ${all} files changed`,
    states: { same: '', changed: 'changed', added: 'added', removed: 'removed' },
    signs: { same: ' ', changed: '~', added: '+', removed: '−' },
    whole: 'Whole file',
    binary: 'Binary file: only its size and hash can be shown.',
    before: 'before',
    after: 'now',
    equal: (lines: string) => `${lines} equal ${lines === '1' ? 'line' : 'lines'}`,
    cut: 'This file is too long to show in full. Download the bundle to read the rest.',
    hashDiffers: 'The downloaded bundle has another hash than the one on record. Do not decide on it.',
    noBase: 'The published version could not be loaded for comparison:',
    content: (path: string) => `Content of ${path}`,
    removedLine: 'removed',
    addedLine: 'added',
  },

  flagged: {
    title: 'Reviews',
    list: 'Reviews waiting for a moderator, oldest first',
    loaded: (count: number, more: boolean) => {
      if (more) return `First ${count} reviews waiting`;
      return count === 1 ? '1 review waiting' : `${count} reviews waiting`;
    },
    none: 'No reviews waiting',
    noneHint: 'Reviews that users report appear here.',
    more: 'Load more reviews',
    reload: 'Reload',
    by: 'by',
    of: 'about',
    version: (version: string) => `version ${version}`,
    waits: (span: string) => `waiting for ${span}`,
    isHidden: 'hidden, edited since',
    lastNote: 'Hidden because',
    noTitle: 'No title',
    reply: 'The publisher replied',
    flags: (count: number) => (count === 1 ? '1 report' : `${count} reports`),
    reported: (who: string, age: string) => `${who}, ${age} ago`,
    gone: 'a deleted account',
    noFlags: 'No reports: the author edited the review after it was hidden.',
    byPublisher: 'member of the publisher',
    reasons: {
      spam: 'Spam',
      abuse: 'Abuse',
      'off-topic': 'Not about the app',
      privacy: 'Privacy',
      other: 'Other',
    },
    hide: 'Hide (x)',
    hideAgain: 'Keep hidden (x)',
    keep: 'Keep (a)',
    show: 'Show again (a)',
    hideTitle: 'Hide this review?',
    hideHint: 'Only its author still sees it, and its stars no longer count. The author receives the note.',
    keepTitle: 'Keep this review?',
    keepHint: 'All visitors can read it, and its stars count. This closes all reports of it.',
    noteToAuthor: 'Why it is hidden',
    noteForRecord: 'Optional. Kept in the audit log.',
    confirmHide: 'Hide',
    confirmKeep: 'Keep',
    hidden: 'Review hidden.',
    kept: 'Review kept.',
  },

  decide: {
    title: 'Decide',
    approve: 'Approve',
    changes: 'Request changes',
    reject: 'Reject',
    changesTitle: (name: string) => `Request changes to ${name}?`,
    changesHint:
      'The version stays in review. Members of the publisher read this by mail and on the page of the version, with your name.',
    confirmChanges: 'Request changes',
    changesRequested: 'Changes requested. The publisher is notified, and the version stays in review.',
    approveTitle: (name: string) => `Approve ${name}?`,
    approveHint: 'This signs and publishes the version immediately, and notifies the publisher.',
    approveAsks: 'Users who have the app must agree to:',
    cannotApprove: 'You cannot approve this version yet.',
    conflicts: {
      uploader: 'You uploaded it: another moderator must approve it.',
      member: 'You are a member of its publisher: another moderator must approve it.',
    },
    rejectTitle: (name: string) => `Reject ${name}?`,
    rejectHint:
      'The publisher reads the reason and the note. You cannot undo this: the publisher has to upload a new version.',
    note: 'Note',
    noteToPublisher: 'What the publisher must change',
    noteOptional: 'Optional. The publisher reads it.',
    reason: 'Reason',
    noReason: 'Other: see the note',
    override: (who: string) => `Override the lock of ${who}; the audit log records it`,
    confirmApprove: 'Approve and publish',
    confirmReject: 'Reject',
    busy: 'Deciding…',
    next: (name: string) => `Next (n): ${name}`,
    approved: (status: string) => `Decided: this version is ${status}.`,
    rejected: 'Decided: this version is rejected.',
    tooLate: (status: string) =>
      `Another moderator decided first: this version is ${status} now. Your text is kept.`,
    lockedOut: (who: string) => `${who} has locked this version in the meantime. Your text is kept.`,
    sendKey: 'Ctrl+Enter sends.',
    needsText: 'Choose a reason, or say what must change.',
  },
} as const;

const UNITS = [
  { ms: 86_400_000, word: 'day' },
  { ms: 3_600_000, word: 'hour' },
  { ms: 60_000, word: 'minute' },
] as const;

/** A span of time in its largest unit: "3 days". */
export function span(ms: number): string {
  const unit = UNITS.find((candidate) => ms >= candidate.ms);
  if (!unit) return 'under a minute';
  const count = Math.floor(ms / unit.ms);
  return `${count} ${unit.word}${count === 1 ? '' : 's'}`;
}

/** The time until a review is due, or since it was. */
export const dueWords = (dueAt: string, now: number): string => {
  const remaining = Date.parse(dueAt) - now;
  return remaining >= 0 ? WORDS.queue.dueIn(span(remaining)) : WORDS.queue.overdue(span(-remaining));
};

/** A reason for a review, in words. */
export function reasonWords(reason: string): string {
  const words: Readonly<Record<string, string>> = WORDS.queue.reasons;
  const [kind = '', code] = reason.split(/:(.*)/);
  return words[reason] ?? (code === undefined ? reason : `${words[kind] ?? kind}: ${code}`);
}
