import { z } from 'zod';
import { named } from '../named.ts';
import type { AuditAction } from './audit.ts';
import { pageSize, Timestamp } from './common.ts';
import { AssignedTo } from './moderation.ts';

/** What waits for a moderator, by kind, with the actions of the audit log that decide about it. */
const DECISIONS = {
  version: [
    'version.approve',
    'version.first',
    'version.reject',
    'version.request-changes',
    'version.yank',
    'version.unyank',
  ],
  server: ['server.accept'],
  appeal: ['appeal.decide'],
  report: ['report.decide'],
  review: ['rating.hide', 'rating.keep'],
  app: ['app.suspend', 'app.unsuspend'],
} as const satisfies Record<string, readonly AuditAction[]>;

/** The kinds of decisions. */
export const DecidedKind = z.enum(Object.keys(DECISIONS) as [keyof typeof DECISIONS]);
export type DecidedKind = z.infer<typeof DecidedKind>;

/** The actions of the audit log that decide about a kind. */
export const decisionsAbout = (kind: DecidedKind): readonly AuditAction[] => DECISIONS[kind];

/** The kind of a decision; undefined for another action. */
export const kindOfDecision = (action: AuditAction): DecidedKind | undefined =>
  DecidedKind.options.find((kind) => (DECISIONS[kind] as readonly AuditAction[]).includes(action));

/** The kinds of cases: what waits for a moderator. */
export const CaseKind = z.enum(['version', 'server', 'appeal', 'report', 'review']);
export type CaseKind = z.infer<typeof CaseKind>;

/** The version that the subject of a version or reported version names; empty texts for another subject. */
export function versionOfSubject(subject: string): { appId: string; version: string } {
  const [appId = '', version = ''] = subject.split(' ');
  return { appId, version };
}

/** A case that is assigned to a moderator. */
export const CaseAssignment = named.object('CaseAssignment', {
  kind: CaseKind,
  subject: z
    .string()
    .max(200)
    .describe(
      'Of a version or reported version its app id and its number, with a space between them; of a server its app id; of an appeal or review its id.',
    ),
  assignedTo: AssignedTo,
});
export type CaseAssignment = z.infer<typeof CaseAssignment>;

/** The assigned cases that are not versions, and how long a case may wait. Versions have theirs in the queue. */
export const CaseAssignments = named.object('CaseAssignments', {
  assignments: z.array(CaseAssignment),
  reviewMs: z.int().describe('Milliseconds after which a case is overdue, by the policy file.'),
});
export type CaseAssignments = z.infer<typeof CaseAssignments>;

/** Query of the decisions; all conditions must match. */
export const HistoryQuery = z.object({
  kind: DecidedKind.optional(),
  by: z.enum(['me']).optional().describe('Only your own decisions.'),
  limit: pageSize(100, 50, 'Decisions per page'),
  cursor: z.string().max(100).optional().describe('`nextCursor` of the previous page.'),
});
export type HistoryQuery = z.infer<typeof HistoryQuery>;

/** A decision of a moderator or administrator. */
export const HistoryEntry = named.object('HistoryEntry', {
  id: z.int(),
  at: Timestamp,
  kind: DecidedKind,
  action: z.string().describe('Its name in the audit log.'),
  by: z.string().describe('Who decided, as `person:<id>` or `automation`.'),
  name: z.string().nullable().describe('The current name; null for a deleted account or a program.'),
  appId: z.string().nullable(),
  version: z.string().nullable(),
  publisher: z.string().nullable(),
  note: z.string().nullable().describe('The note or reason that was given; null without one.'),
});
export type HistoryEntry = z.infer<typeof HistoryEntry>;

/** A page of decisions, the newest first. */
export const HistoryPage = named.object('HistoryPage', {
  entries: z.array(HistoryEntry),
  nextCursor: z.string().nullable().describe('Null on the last page.'),
});
export type HistoryPage = z.infer<typeof HistoryPage>;
