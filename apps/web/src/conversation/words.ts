import type { AuthorRole } from '@svc/contracts';

/** What the conversation about a version says, in one place, so that another language is another such record. */
export const WORDS = {
  title: 'Conversation',
  requested: (since: string) => `Changes requested ${since}. The review goes on once the publisher answers.`,
  none: 'No messages yet.',
  requestBadge: 'requests changes',
  you: 'you',
  roles: {
    moderator: 'moderator',
    owner: 'owner of the publisher',
    member: 'member of the publisher',
    automation: 'automation',
  } satisfies Record<AuthorRole, string>,
  sides: { store: 'Store', publisher: 'Publisher' },
  write: { store: 'Message to the publisher', publisher: 'Message to the moderators' },
  hint: {
    store: 'Members of the publisher read it here and by mail, with your name.',
    publisher: 'Moderators read it. To change the bundle, raise the version and publish again.',
  },
  send: { store: 'Send message', publisher: 'Send answer' },
  sending: 'Sending…',
  full: 'You have written as many messages as there may be.',
  ended: 'The review is over: no more messages are taken.',
} as const;
