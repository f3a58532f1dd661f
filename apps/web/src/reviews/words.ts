import type { FlagReason } from '@svc/contracts';
import { count } from '../check/words.ts';

/** What the pages say that show reviews or take them, in one place, so that another language is another such record. */
export const WORDS = {
  title: 'Ratings and reviews',
  none: 'No ratings yet.',
  noOthers: 'Nobody else has rated it yet.',
  more: 'Older reviews',
  stars: (n: number) => `${n} of 5 stars`,
  average: (average: string, n: number) => `${average} of 5 (${count(n, 'rating')})`,
  histogram: 'How many gave how many stars',
  by: (name: string, version: string, day: string) => `${name}, ${day}, version ${version}`,
  replied: (day: string) => `The publisher replied, ${day}`,

  reply: {
    open: 'Reply',
    edit: 'Change the reply',
    label: 'Your reply',
    hint: 'Everybody reads it, below the review.',
    action: 'Send the reply',
    remove: 'Remove the reply',
    removeSure: 'Remove it?',
  },
  flag: {
    open: 'Report',
    reason: 'What is wrong with it',
    note: 'Say more',
    noteHint: 'Optional. Moderators alone read it.',
    action: 'Report it',
    done: 'A moderator will look at it. Until then it stays.',
  },
  cancel: 'Cancel',

  rate: {
    heading: (app: string) => `Rate ${app}`,
    own: 'What you say of it',
    others: 'What others say',
    publicPage: 'Its page in the catalogue',
    rating: 'Stars',
    unrated: 'None chosen yet',
    headline: 'Title',
    headlineHint: 'Optional, one line.',
    body: 'Review',
    bodyHint: 'Optional. It is shown as you write it, with your name and the version you have.',
    install: 'Id of your installation',
    installHint:
      'Only those rate an app who have installed it. Your chat client shows this id, or opens this page with it.',
    installNamed: 'Your chat client has told which installation is yours.',
    save: 'Publish the review',
    change: 'Save the changes',
    saved: 'Saved. Everybody can read it within a minute.',
    savedHidden: 'Saved. It stays hidden until a moderator has looked at it again.',
    remove: 'Delete the review',
    removeSure: 'Delete it? Its stars no longer count.',
    removed: 'Deleted.',
    hidden:
      'A moderator has hidden your review: nobody else sees it, and its stars do not count. Change it, and a moderator looks at it again; to delete it and write it again does not show it.',
    hiddenNote: 'The moderator said:',
  },
} as const;

export const FLAG_WORDS: Readonly<Record<FlagReason, string>> = {
  spam: 'It advertises something, or is no review',
  abuse: 'It insults or threatens a person',
  'off-topic': 'It is not about the app',
  privacy: 'It tells private things about a person',
  other: 'Something else',
};
