import { read } from '../account/api.ts';
import { OF_WORDS } from '../first-reads.ts';
import type { Badge } from './badges.tsx';
import { caseOf, caseOfVersion, type Waiting } from './cases.ts';
import { pageAt, type Row } from './use-queue.ts';
import { pathOf } from './version-path.ts';
import { isOfWords, reasonBadge } from './words.ts';

/** What a moderator should know of a version, what weighs most first. */
export function badgesOf({ isFirst, widens, reasons, superseded, changesRequestedAt }: Row): Badge[] {
  const badge = (key: string, look: string, text: string): Badge => ({ key, look, text });
  // The first two badges show these two reasons.
  const others = reasons.filter((reason) => reason !== 'first-version' && reason !== 'permissions-widened');
  const named = others.map(reasonBadge);
  return [
    ...(widens ? [reasonBadge('permissions-widened')] : []),
    ...(isFirst ? [reasonBadge('first-version')] : []),
    ...(changesRequestedAt === null ? [] : [badge('changes', 'now', 'Changes requested')]),
    ...(superseded ? [badge('superseded', '', 'Superseded')] : []),
    // Findings of checks before what every version of a publisher has.
    ...named.filter(({ look }) => look !== ''),
    ...named.filter(({ look }) => look === ''),
  ];
}

/** Versions that a moderator sees in the inbox, with the oldest. */
const IN_INBOX = '50';

/** The versions of the inbox: updates of words alone are a kind of their own. */
export async function readVersions(): Promise<Waiting> {
  const { rows, total } = await pageAt({ superseded: 'false', limit: IN_INBOX }, null);
  const others = rows.filter(({ reasons }) => !isOfWords(reasons));
  return {
    total: total - (rows.length - others.length),
    cases: others.map((row) => ({
      ...caseOfVersion(pathOf(row), 'version', row),
      badges: badgesOf(row),
      since: row.submittedAt,
      dueAt: row.dueAt,
      assignedTo: row.assignedTo,
    })),
  };
}

/** The updates of words alone, for the inbox. */
export async function readInstructions(): Promise<Waiting> {
  const { entries, total } = await read(OF_WORDS);
  const cases = entries.map((entry) => ({
    ...caseOf('/moderation/instructions', 'version', { ...entry, since: entry.submittedAt }),
    badges: [reasonBadge('flagged:tools.changed')],
    dueAt: entry.dueAt,
    assignedTo: entry.assignedTo,
  }));
  return { cases, total };
}
