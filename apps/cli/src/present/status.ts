import type { VersionStatus } from '@svc/contracts';
import type { Terminal } from '../io/terminal.ts';
import { escapeLines } from './escape.ts';
import { headline } from './fields.ts';
import { issueLines } from './issues.ts';
import { STATES } from './states.ts';

/** How a version fares, as a developer reads it. */
export function statusText(
  terminal: Terminal,
  { appId, version, status, notes, issues }: VersionStatus,
): string {
  const { name, meaning, mood } = STATES[status];
  const said = notes === '' ? '' : `  notes:\n${escapeLines(notes, '    ')}\n`;
  return `${headline(terminal, mood, name, `${appId} ${version}`)}  ${meaning}\n${said}${issueLines(terminal, issues)}`;
}
