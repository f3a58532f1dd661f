import type { Conversation, ReviewMessage, VersionStatus } from '@svc/contracts';
import { reviewReasonText } from '@svc/contracts/vocabulary';
import type { Terminal } from '../io/terminal.ts';
import { escapeLines, escapeText } from './escape.ts';
import { headline } from './fields.ts';
import { issueLines } from './issues.ts';
import { RETRACTED, STATES } from './states.ts';

/** Why a version is in review, and its place in the queue. */
function reviewLines({ reasons = [], review }: VersionStatus): string {
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
