import type { VersionStatus } from '@svc/contracts';
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

/** How a version fares, as a developer reads it. */
export function statusText(terminal: Terminal, record: VersionStatus): string {
  const { appId, version, status, notes, issues, retracted } = record;
  const { name, meaning, mood } = retracted ? RETRACTED : STATES[status];
  const said = notes === '' ? '' : `  notes:\n${escapeLines(notes, '    ')}\n`;
  const head = headline(terminal, mood, name, `${appId} ${version}`);
  return `${head}  ${meaning}\n${reviewLines(record)}${said}${issueLines(terminal, issues)}`;
}
