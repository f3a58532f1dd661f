/** What the moderation desk says, in one place, so that another language is another such record. */
export const WORDS = {
  desk: 'Moderation',
  tabs: { queue: 'Queue', reviews: 'Reviews', administration: 'Administration', account: 'Account' },
  toQueue: 'Back to the queue',
  loading: 'Loading…',
  you: 'you',
  skip: 'Skip to the content',

  queue: {
    title: 'Queue',
    total: (count: number) =>
      count === 1 ? '1 version waits' : `${count.toLocaleString('en')} versions wait`,
    none: 'No versions wait.',
    list: 'Versions that wait, oldest first',
    filters: 'Filters',
    reason: 'Reason',
    anyReason: 'Any reason',
    reasons: {
      'first-version': 'First version',
      'permissions-widened': 'Asks for new permissions',
      'publisher-unverified': 'Publisher not verified',
      'flagged:face.changed': 'Changes how it presents itself',
      'flagged:requires.id': 'Required app missing',
      flagged: 'Flagged by a check',
    },
    publisher: 'Publisher',
    appId: 'App id',
    lock: 'Being looked at by',
    locks: { '': 'Any moderator or none', nobody: 'No moderator', me: 'You', others: 'Others' },
    due: 'Due',
    dues: { '': 'Any time', true: 'Overdue', false: 'Not yet due' },
    superseded: 'Newer upload exists',
    supersededs: { '': 'Either', false: 'No', true: 'Yes' },
    apply: 'Apply',
    clear: 'Clear',
    reload: 'Reload',
    widens: 'asks for new permissions',
    first: 'first version',
    supersededBadge: 'superseded',
    changesRequested: 'changes requested',
    answers: 'Changes requested',
    answerChoices: { '': 'Either', true: 'Waits for the publisher', false: 'No' },
    submitted: (age: string) => `submitted ${age} ago`,
    dueIn: (span: string) => `due in ${span}`,
    overdue: (span: string) => `overdue by ${span}`,
    locked: (who: string) => `${who} looks at it`,
    lockedByYou: 'you look at it',
    whose: 'Whose',
    assignedChoices: { '': 'All', me: 'Mine', nobody: 'Unassigned' },
    assignedTo: (who: string) => `for ${who}`,
  },

  assign: {
    label: 'Assigned to',
    none: 'No moderator',
    toMe: 'Assign to me (m)',
  },

  keys: {
    title: 'Keys',
    on: 'Keys of a single letter are on',
    hint: 'Keys do nothing while you type in a field.',
    close: 'Close',
    show: 'Keys (?)',
    queue: [
      ['j or ↓', 'next version'],
      ['k or ↑', 'version before'],
      ['Home, End', 'first, last that is loaded'],
      ['Enter', 'open it'],
      ['r', 'reload the queue'],
      ['/', 'go to the filters'],
    ],
    review: [
      ['m', 'assign to me'],
      ['a', 'approve, after one more question'],
      ['c', 'request changes'],
      ['x', 'reject, with a reason'],
      ['n', 'next version, once this one is decided'],
      ['[, ]', 'version before, next version of the list beside it'],
      ['j, k', 'next file, file before'],
      ['d', 'difference or whole file'],
      ['u', 'back to the queue'],
    ],
    flagged: [
      ['j or ↓', 'next review'],
      ['k or ↑', 'review before'],
      ['x', 'hide it, with a note'],
      ['a', 'keep it, or show it again'],
      ['r', 'reload the list'],
    ],
  },

  review: {
    lockTaking: 'Locking the version for you…',
    lockMine: (until: string) =>
      `You look at this version until ${until}; while the page is open that is renewed.`,
    lockOthers: (who: string, until: string) =>
      `${who} looks at this version until ${until}. You can read it, and decide only by passing the lock over.`,
    lockLost: (who: string) => `Your lock ran out, and ${who} took it. What you wrote is kept.`,
    lockTake: 'Try to take it',
    lockTakeAway: 'Take the lock away',
    lockTakeAwaySure: 'Take the lock from a moderator who is at work?',
    lockFailed: 'The version could not be taken:',
    handled: (status: string) => `This version does not wait: it is ${status}.`,
    superseded: 'A newer upload of this app exists. You can still decide about this one.',
    suspendedPublisher: 'The publisher of this version is suspended.',
    facts: 'What it is',
    publisher: 'Publisher',
    unverified: 'not verified',
    administer: 'Suspend',
    theApp: 'the app',
    thePublisher: 'the publisher',
    submitted: 'Submitted',
    by: 'by',
    due: 'Due',
    place: (position: number, of: number) => `${position} of ${of} in the queue`,
    reasons: 'A person must look because',
    hash: 'SHA-256 of the bundle',
    size: 'Size',
    state: 'State',
    download: 'Download the bundle',
    findings: 'Findings of the checks',
    noFindings: 'The checks found no problems.',
    findingPage: 'what this means',
    says: 'From its manifest',
    was: 'was',
    permissions: 'Permissions, in the words of its publisher',
    description: 'Description',
    name: 'Name',
    categories: 'Categories',
    homepage: 'Website',
    support: 'Support',
    author: 'Author',
    tools: 'Tools',
    panels: 'Panels',
    none: 'none',
    readme: 'README, as text',
    changelog: 'Changelog, as text',
    history: 'Earlier',
    ofVersion: 'This version',
    ofApp: 'Other versions of this app',
    ofPublisher: 'This publisher',
    noDecisions: 'No decisions yet.',
    move: (from: string, to: string) => `${from} → ${to}`,
  },

  changes: {
    widensTitle: (count: number, base: string) =>
      `Asks for ${count} new ${count === 1 ? 'permission' : 'permissions'} since ${base}`,
    firstTitle: 'First version: everything it may do is new',
    firstHint: 'No user has agreed to any of it yet.',
    sameTitle: (base: string) => `No new permissions since ${base}`,
    nothingTitle: (base: string) => `Permissions and presentation are the same as in ${base}`,
    since: (current: string, base: string) =>
      `${current} was published after the check. The list compares with ${current}; the check compared with ${base}.`,
    sinceFirst: (current: string) =>
      `${current} was published after the check. The list compares with ${current}; the check had no version to compare with.`,
    baseGone: (base: string, status: string) =>
      `The check compared with ${base}, which is ${status} now. The list shows that comparison.`,
    all: 'Everything it may do, beside what it could do before',
    picture: (picture: 'icon' | 'mark', version: string) =>
      `${picture === 'icon' ? 'Icon' : 'Mark'} of ${version}`,
  },

  files: {
    title: 'Files',
    loading: 'Opening the bundle…',
    list: 'Files of the bundle',
    changedOnly: 'Only what changed',
    counts: (changed: number, all: number) => `${changed} of ${all} files changed`,
    states: { same: '', changed: 'changed', added: 'new', removed: 'gone' },
    signs: { same: ' ', changed: '~', added: '+', removed: '−' },
    whole: 'Whole file',
    binary: 'Not text: its size and its hash are all there is to read.',
    before: 'before',
    after: 'now',
    equal: (lines: string) => `${lines} equal ${lines === '1' ? 'line' : 'lines'}`,
    cut: 'There is more than is shown here: download the bundle to read the rest.',
    hashDiffers: 'The bundle that came is not the one the store has on record. Do not decide on it.',
    noBase: 'The published version could not be compared with:',
    again: 'Try again',
    content: (path: string) => `Content of ${path}`,
    removedLine: 'removed',
    addedLine: 'added',
  },

  flagged: {
    title: 'Reviews',
    list: 'Reviews that wait, those that wait longest first',
    loaded: (count: number, more: boolean) => {
      if (more) return `The first ${count} that wait`;
      return count === 1 ? '1 review waits' : `${count} reviews wait`;
    },
    none: 'No reviews wait.',
    more: 'More reviews',
    reload: 'Reload',
    by: 'by',
    of: 'about',
    version: (version: string) => `version ${version}`,
    waits: (span: string) => `waits for ${span}`,
    isHidden: 'hidden, and changed since',
    lastNote: 'Hidden for',
    noTitle: 'No title',
    reply: 'The publisher replied',
    flags: (count: number) => (count === 1 ? '1 report' : `${count} reports`),
    reported: (who: string, age: string) => `${who}, ${age} ago`,
    gone: 'an account that is gone',
    noFlags: 'No reports: its author changed it after it was hidden.',
    byPublisher: 'acts for the publisher',
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
    hideHint: 'Only its author still sees it, and its stars leave the average. The author reads the note.',
    keepTitle: 'Let this review stand?',
    keepHint: 'All visitors can read it, and its stars count. All reports of it are settled.',
    noteToWriter: 'Why it is hidden',
    noteForRecord: 'Optional. It stands in the audit log.',
    confirmHide: 'Hide',
    confirmKeep: 'Let it stand',
    hidden: 'Decided: the review is hidden.',
    kept: 'Decided: the review stands.',
  },

  decide: {
    title: 'Decide',
    approve: 'Approve (a)',
    changes: 'Request changes (c)',
    reject: 'Reject (x)',
    changesTitle: (name: string) => `Request changes to ${name}?`,
    changesHint:
      'The version stays in review. Members of the publisher read this by mail and on the page of the version, with your name.',
    confirmChanges: 'Request changes',
    changesRequested: 'Changes requested. The publisher is told, and the version stays in review.',
    approveTitle: (name: string) => `Approve ${name}?`,
    approveHint: 'It is signed and published at once, and its publisher is told.',
    approveAsks: 'Users who have the app are asked again about:',
    cannotApprove: 'You cannot approve this version yet.',
    conflicts: {
      uploader: 'You uploaded it: another moderator approves it.',
      member: 'You are a member of its publisher: another moderator approves it.',
    },
    rejectTitle: (name: string) => `Reject ${name}?`,
    rejectHint:
      'The publisher reads the reason and the note. It cannot be taken back: they upload a new version.',
    note: 'Note',
    noteToDeveloper: 'What the publisher must change',
    noteOptional: 'Optional. The publisher reads it.',
    reason: 'Reason',
    noReason: 'None of these: see the note',
    override: (who: string) => `Decide although ${who} looks at it; that goes on record`,
    confirmApprove: 'Approve and publish',
    confirmReject: 'Reject',
    cancel: 'Cancel',
    busy: 'Deciding…',
    next: (name: string) => `Next (n): ${name}`,
    approved: (status: string) => `Decided: this version is ${status}.`,
    rejected: 'Decided: this version is rejected.',
    tooLate: (status: string) =>
      `Another moderator was faster: this version is ${status} now. What you wrote is kept.`,
    lockedOut: (who: string) => `${who} has taken this version meanwhile. What you wrote is kept.`,
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
  const unit = UNITS.find((one) => ms >= one.ms);
  if (!unit) return 'under a minute';
  const count = Math.floor(ms / unit.ms);
  return `${count} ${unit.word}${count === 1 ? '' : 's'}`;
}

/** When a review is due, seen from now. */
export const dueWords = (dueAt: string, now: number): string => {
  const left = Date.parse(dueAt) - now;
  return left >= 0 ? WORDS.queue.dueIn(span(left)) : WORDS.queue.overdue(span(-left));
};

const KIB = 1_024;

/** A number of bytes, for people. */
export function bytes(count: number): string {
  if (count < KIB) return `${count} B`;
  return count < KIB * KIB ? `${(count / KIB).toFixed(1)} KiB` : `${(count / KIB / KIB).toFixed(1)} MiB`;
}

/** A reason for which a moderator must decide. */
export function reasonWords(reason: string): string {
  const words: Readonly<Record<string, string>> = WORDS.queue.reasons;
  const [kind = '', code] = reason.split(/:(.*)/);
  return words[reason] ?? (code === undefined ? reason : `${words[kind] ?? kind}: ${code}`);
}
