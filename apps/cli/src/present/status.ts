import type { Conversation, ReviewMessage, VersionState, VersionStatus } from '@svc/contracts';
import { reviewReasonText } from '@svc/contracts/vocabulary';
import type { Terminal } from '../io/terminal.ts';
import { escapeLines, escapeText, headline, issueLines } from './text.ts';

type StateText = { name: string; meaning: string; mood: 'good' | 'waiting' | 'bad' };

const RETRACTED: StateText = {
  name: 'retracted',
  meaning: 'Its publisher retracted it. Its version number cannot be used again.',
  mood: 'bad',
};

/** The name and the meaning of each state, and the mood of its headline. */
export const STATES: Readonly<Record<VersionState, StateText>> = {
  submitted: { name: 'submitted', meaning: 'It is uploaded; the checks have not started.', mood: 'waiting' },
  checking: { name: 'checking', meaning: 'The checks are running.', mood: 'waiting' },
  in_review: {
    name: 'in review',
    meaning: 'It waits for a moderator.',
    mood: 'waiting',
  },
  approved: { name: 'approved', meaning: 'It is being signed.', mood: 'waiting' },
  rejected: {
    name: 'rejected',
    meaning: 'It will not be published. Fix the problems in the notes and upload a greater version.',
    mood: 'bad',
  },
  published: { name: 'published', meaning: 'Users can install it.', mood: 'good' },
  yanked: {
    name: 'yanked',
    meaning: 'The store no longer offers it. Clients that have it installed disable it.',
    mood: 'bad',
  },
};

/** Why a version is in review, and its place in the queue. */
function reviewLines({ reasons = [], review, held }: VersionStatus): string {
  if (held) return '  on hold, outside of the queue: its publisher, its app or its uploader is suspended\n';
  const why = reasons
    .map((reason) => `    ${escapeText(reason)}: ${escapeText(reviewReasonText(reason))}\n`)
    .join('');
  if (!review) return why;
  const { position, of, dueAt } = review;
  return `${why}  place ${position} of ${of} in the queue, due by ${escapeText(dueAt)}\n`;
}

const ROLES = {
  moderator: 'moderator of the store',
  owner: 'owner of the publisher',
  member: 'member of the publisher',
  automation: 'automation',
} satisfies Record<ReviewMessage['role'], string>;

function messageLines({ name, role, at, requestsChanges, text }: ReviewMessage): string {
  const who = name === null ? ROLES[role] : `${escapeText(name)} (${ROLES[role]})`;
  const request = requestsChanges ? ', requests changes' : '';
  return `  ${who}, ${escapeText(at)}${request}:\n${escapeLines(text, '    ')}\n`;
}

/**
 * The review conversation, and when changes were requested.
 * @param conversation null when this user may not read it
 */
function conversationLines({ changesRequestedAt }: VersionStatus, conversation: Conversation | null): string {
  const since =
    changesRequestedAt === undefined ? '' : `  changes requested ${escapeText(changesRequestedAt)}\n`;
  if (conversation) return since + conversation.messages.map(messageLines).join('');
  return since === ''
    ? ''
    : `${since}  log in as a member of its publisher to read the messages: svc login\n`;
}

/** The status of a version as text, with its review conversation when this user may read it. */
export function statusText(
  terminal: Terminal,
  record: VersionStatus,
  conversation: Conversation | null = null,
): string {
  const { appId, version, status, notes, issues, retracted } = record;
  const { name, meaning, mood } = retracted ? RETRACTED : STATES[status];
  const notesText = notes === '' ? '' : `  notes:\n${escapeLines(notes, '    ')}\n`;
  const head = headline(terminal, mood, name, `${appId} ${version}`);
  return `${head}  ${meaning}\n${reviewLines(record)}${conversationLines(record, conversation)}${notesText}${issueLines(terminal, issues)}`;
}
