import type { CaseAssignment, CaseKind } from '@svc/contracts';
import { allOf, firstOf, run } from '../../platform/database/queries.ts';
import type { Database } from '../../platform/database/schema.ts';

/** Assigned cases that are read at once: more than moderators can have open. */
const MAX_ASSIGNED = 1_000;

/** Stores which moderator a case is assigned to. */
export const createCaseStore = (db: Database) => ({
  all: (): Promise<CaseAssignment[]> =>
    allOf(
      db.selectFrom('case_assignments').selectAll().orderBy('kind').orderBy('subject').limit(MAX_ASSIGNED),
      ({ kind, subject, assigned_to: assignedTo }) => ({ kind, subject, assignedTo }),
    ),
  /** The moderator of a case; null when it is assigned to none. */
  assignedTo: (kind: CaseKind, subject: string): Promise<string | null> =>
    firstOf(
      db
        .selectFrom('case_assignments')
        .select('assigned_to')
        .where('kind', '=', kind)
        .where('subject', '=', subject),
      (row) => row.assigned_to,
    ),
  assign: (kind: CaseKind, subject: string, to: string): Promise<void> =>
    run(
      db
        .insertInto('case_assignments')
        .values({ kind, subject, assigned_to: to })
        .onConflict((conflict) => conflict.columns(['kind', 'subject']).doUpdateSet({ assigned_to: to })),
    ),
  unassign: (kind: CaseKind, subject: string): Promise<void> =>
    run(db.deleteFrom('case_assignments').where('kind', '=', kind).where('subject', '=', subject)),
  /** Removes the assignments of a moderator who leaves. */
  unassignFrom: (name: string): Promise<void> =>
    run(db.deleteFrom('case_assignments').where('assigned_to', '=', name)),
});

export type CaseStore = ReturnType<typeof createCaseStore>;
