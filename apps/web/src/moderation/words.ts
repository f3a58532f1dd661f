/** What the moderation desk says, in one place, so that another language is another such record. */
export const WORDS = {
  desk: 'Moderation',
  tabs: { queue: 'Queue', reviews: 'Reviews', administration: 'Administration', account: 'Account' },
  nothing: 'There is nothing at this address.',
  toQueue: 'Back to the queue',
  loading: 'Loading…',
  you: 'you',
  skip: 'Skip to the content',

  queue: {
    title: 'Queue',
    total: (count: number) =>
      count === 1 ? '1 version waits' : `${count.toLocaleString('en')} versions wait`,
    none: 'Nothing waits here. Enjoy it.',
    list: 'Versions that wait, oldest first',
    filters: 'Narrow the queue',
    reason: 'Reason',
    anyReason: 'Any reason',
    reasons: {
      'first-version': 'First version',
      'permissions-widened': 'Permissions widened',
      'publisher-unverified': 'Publisher not verified',
      flagged: 'Flagged by a check',
    },
    publisher: 'Publisher',
    appId: 'App id',
    lock: 'Being looked at by',
    locks: { '': 'Anybody or nobody', nobody: 'Nobody', me: 'You', others: 'Others' },
    due: 'Due',
    dues: { '': 'Any time', true: 'Overdue', false: 'Not yet due' },
    superseded: 'Newer upload exists',
    supersededs: { '': 'Either', false: 'No', true: 'Yes' },
    apply: 'Apply',
    clear: 'Clear',
    reload: 'Reload',
    widens: 'reaches more',
    first: 'first version',
    supersededBadge: 'superseded',
    submitted: (age: string) => `submitted ${age} ago`,
    dueIn: (span: string) => `due in ${span}`,
    overdue: (span: string) => `overdue by ${span}`,
    locked: (who: string) => `${who} looks at it`,
    lockedByYou: 'you look at it',
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
      ['a', 'approve, after one more question'],
      ['x', 'reject, with a reason'],
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
    lockTaking: 'Taking the version for you…',
    lockMine: (until: string) =>
      `You look at this version until ${until}; while the page is open that is renewed.`,
    lockOthers: (who: string, until: string) =>
      `${who} looks at this version until ${until}. You can read it, and decide only by passing the lock over.`,
    lockLost: (who: string) => `Your lock ran out, and ${who} took it. What you wrote is kept.`,
    lockTake: 'Try to take it',
    lockTakeAway: 'Take the lock away',
    lockTakeAwaySure: 'Take it from somebody at work?',
    lockFailed: 'The version could not be taken:',
    handled: (status: string) => `This version does not wait: it is ${status}.`,
    superseded: 'A newer upload of this app exists. You can still decide about this one.',
    suspendedPublisher: 'The publisher of this version is suspended.',
    facts: 'What it is',
    publisher: 'Publisher',
    verified: 'verified',
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
    noFindings: 'The checks found nothing to warn of.',
    findingPage: 'what this means',
    says: 'What it says of itself',
    was: 'was',
    permissions: 'Permissions in its own words',
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

  reach: {
    widensTitle: (count: number, base: string) =>
      count === 1
        ? `It reaches more than ${base}, in 1 way`
        : `It reaches more than ${base}, in ${count} ways`,
    firstTitle: 'First version: all it may reach is new',
    firstHint: 'Nobody has consented to anything of it yet.',
    nothing: 'It reaches nothing at all.',
    sameTitle: (base: string) => `It reaches no more than ${base}`,
    sameHint: 'Nothing that users consented to becomes wider.',
    since: (current: string, base: string) =>
      `Since the check ${current} was published: what is shown is the difference to it, and not to ${base}, with which the check compared.`,
    sinceFirst: (current: string) =>
      `The check compared with nothing: what is shown is the difference to ${current}, which is published.`,
    baseGone: (base: string, status: string) => `${base}, with which the check compared, is ${status} now.`,
    narrower: 'It no longer reaches',
    other: 'Also changed, without reaching more',
    all: 'All it may reach, beside what it was',
    added: 'new',
    removed: 'gone',
    changed: 'changed',
    kept: 'as before',
    signs: { wider: '+', moved: '!', narrower: '−', other: '~', same: '=' },
    kinds: {
      grant: 'Grant',
      domain: 'Server',
      account: 'Account',
      scope: 'Scope of an account',
      file: 'File argument',
      requires: 'It needs',
      confirm: 'No longer asks first',
      endpoint: 'Sign-in goes elsewhere',
      mcpUrl: 'Tool calls go elsewhere',
      toolAccount: 'Tool acts with an account',
      fileLimit: 'Takes larger or more files',
      tool: 'Tool',
    },
    anyBelow: 'any name below it',
    signsIn: (authorizeUrl: string | null, tokenUrl: string | null) =>
      authorizeUrl === null
        ? 'signs in where its MCP server says'
        : `signs in at ${authorizeUrl}, token from ${tokenUrl}`,
    scopeOf: (account: string) => `of the account ${account}`,
    takes: (size: string, multiple: boolean) => `up to ${size}${multiple ? ', several at once' : ''}`,
    instead: (was: string) => `instead of ${was}`,
    confirmLost: 'users were asked before this tool acted, and are not any more',
    newTool: 'a new tool',
    wording: 'its name, description, card or files are worded differently',
    noAccount: 'no account',
    with: (account: string) => `with ${account}`,
    endpoints: {
      auth: 'how it signs in',
      authorizeUrl: 'authorisation',
      tokenUrl: 'token',
      revokeUrl: 'revocation',
      clientId: 'client id',
    },
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
    none: 'No review waits here. Enjoy it.',
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
    noFlags: 'Nobody reported it: its writer changed it after it was hidden.',
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
    hideHint: 'Nobody but its writer sees it any more, and its stars leave the average. They read the note.',
    keepTitle: 'Let this review stand?',
    keepHint: 'Everybody can read it, and its stars count. All reports of it are settled.',
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
    reject: 'Reject (x)',
    approveTitle: (name: string) => `Approve ${name}?`,
    approveHint: 'It is signed and published at once, and its publisher is told.',
    approveWidens: 'Users will be asked to consent to this:',
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
    approved: (status: string) => `Decided: this version is ${status}.`,
    rejected: 'Decided: this version is rejected.',
    tooLate: (status: string) =>
      `Somebody was faster: this version is ${status} now. What you wrote is kept.`,
    lockedOut: (who: string) => `${who} has taken this version meanwhile. What you wrote is kept.`,
    needsText: 'Choose a reason, or say what must change.',
  },
} as const;

/** What a grant lets an app do, for a reviewer in a hurry. */
export const GRANT_WORDS: Readonly<Record<string, string>> = {
  storage: 'keep files in its own storage',
  'files:receive': 'receive files that the user or the agent hands to it',
  'files:return': 'give files back, which are kept and offered to the media library',
  'host:media': 'have the client work on files before it gets them',
  'project:write': 'ask to save files into the project',
};

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

/** A reason for which a person must look. */
export function reasonWords(reason: string): string {
  const [kind = '', code] = reason.split(/:(.*)/);
  const words: Readonly<Record<string, string>> = WORDS.queue.reasons;
  return code === undefined ? (words[kind] ?? reason) : `${words[kind] ?? kind}: ${code}`;
}
