import type { FlagReason } from '@svc/contracts';
import { count } from '../check/words.ts';
import { COMMON_WORDS } from '../common-words.ts';

/** Texts of the pages that show or edit reviews. A translation is another record of the same shape. */
export const WORDS = {
  title: 'Ratings and reviews',
  none: 'No ratings yet.',
  noOthers: 'No other ratings yet.',
  more: 'Load older reviews',
  stars: (n: number) => `${n} of 5 stars`,
  average: (average: string, n: number) => `${average} of 5 (${count(n, 'rating')})`,
  histogram: 'Ratings by number of stars',
  by: (name: string, version: string, day: string) => `${name}, ${day}, version ${version}`,
  replied: (day: string) => `The publisher replied, ${day}`,

  reply: {
    open: 'Reply',
    edit: 'Edit reply',
    label: 'Your reply',
    hint: 'Public, shown below the review.',
    action: 'Publish reply',
    remove: 'Delete reply',
    removeSure: 'Delete this reply?',
  },
  flag: {
    open: 'Report',
    reason: 'Reason',
    note: 'Details',
    noteHint: 'Optional. Only moderators read it.',
    action: 'Send report',
    done: 'Reported. The review stays public until a moderator decides.',
  },
  cancel: COMMON_WORDS.cancel,

  rate: {
    heading: (app: string) => `Rate ${app}`,
    own: 'Your review',
    others: 'Other reviews',
    publicPage: COMMON_WORDS.viewInCatalog,
    rating: 'Stars',
    unrated: 'Not rated yet',
    headline: 'Title',
    headlineHint: 'Optional, one line.',
    body: 'Review',
    bodyHint: 'Optional. Public, with your name and the version you have.',
    byClient:
      'Only users who installed the app can rate it. Your chat client proves that: open it, and it leads you back here.',
    openClient: 'Rate in your client',
    noClient: 'No client yet?',
    installNamed: 'Your chat client has identified your installation.',
    save: 'Publish review',
    change: 'Save changes',
    saved: 'Saved. The review is public within a minute.',
    savedHidden: 'Saved. The review stays hidden until a moderator checks it again.',
    remove: 'Delete review',
    removeSure: 'Delete your review? Its stars no longer count.',
    removed: 'Deleted.',
    hidden:
      'A moderator has hidden your review: only you see it, and its stars do not count. Edit it to have a moderator check it again. Deleting it and writing it again does not make it public.',
    hiddenNote: 'Note from the moderator:',
  },
} as const;

/** The reasons for a report, as the user who reports reads them. */
export const FLAG_WORDS: Readonly<Record<FlagReason, string>> = {
  spam: 'Spam, or not a review',
  abuse: 'Insults or threatens a person',
  'off-topic': 'Not about the app',
  privacy: 'Reveals private information about a person',
  other: 'Something else',
};
