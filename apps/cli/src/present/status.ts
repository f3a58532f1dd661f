import type { Conversation, ReviewMessage, VersionStatus } from '@svc/contracts';
import type { Terminal } from '../io/terminal.ts';
import { escapeLines, escapeText } from './escape.ts';
import { headline } from './fields.ts';
import { issueLines } from './issues.ts';
import { reasonText } from './reasons.ts';
import { RETRACTED, STATES } from './states.ts';

/** Why a version waits for a person, and for how long. */
function reviewLines({ reasons = [], review }: VersionStatus): string {
  const why = reasons
    .map((reason) => `    ${escapeText(reason)}: ${escapeText(reasonText(reason))}\n`)
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
  const asks = requestsChanges ? ', requests changes' : '';
  return `  ${who}, ${escapeText(at)}${asks}:\n${escapeLines(text, '    ')}\n`;
}

/** That changes are requested, and all that was said; null when this user may not read it. */
function conversationLines({ changesRequestedAt }: VersionStatus, talk: Conversation | null): string {
  const since =
    changesRequestedAt === undefined ? '' : `  changes requested ${escapeText(changesRequestedAt)}\n`;
  if (talk) return since + talk.messages.map(messageLines).join('');
  return since === '' ? '' : `${since}  sign in as a member of its publisher to read them: svc login\n`;
}

/** How a version fares, as a developer reads it, with what was said about it as far as they may read it. */
export function statusText(
  terminal: Terminal,
  record: VersionStatus,
  talk: Conversation | null = null,
): string {
  const { appId, version, status, notes, issues, retracted } = record;
  const { name, meaning, mood } = retracted ? RETRACTED : STATES[status];
  const said = notes === '' ? '' : `  notes:\n${escapeLines(notes, '    ')}\n`;
  const head = headline(terminal, mood, name, `${appId} ${version}`);
  return `${head}  ${meaning}\n${reviewLines(record)}${conversationLines(record, talk)}${said}${issueLines(terminal, issues)}`;
}
