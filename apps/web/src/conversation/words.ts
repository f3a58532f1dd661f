import type { AuthorRole } from '@svc/contracts';
import { COMMON_WORDS } from '../common-words.ts';

/** Texts of the conversation about a version. A translation is another record of the same shape. */
export const WORDS = {
  title: 'Conversation',
  requested: (since: string) =>
    `Changes requested ${since}. The review continues when the publisher answers.`,
  none: 'No messages yet.',
  requestBadge: 'requests changes',
  you: COMMON_WORDS.you,
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
    publisher: 'Moderators read it. To change the bundle, increase the version and publish again.',
  },
  send: { store: 'Send message', publisher: 'Send answer' },
  sending: 'Sending…',
  full: 'You have reached the maximum number of messages.',
  ended: 'The review has ended. New messages are not possible.',
} as const;
