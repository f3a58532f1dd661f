import type { AppealOutcome } from '@svc/contracts';
import { type Selectable, type SqlBool, sql } from 'kysely';
import type { StoredDecision } from '../../core/domain/decisions/decision-store.ts';
import { fieldsOf } from '../../platform/database/fields.ts';
import { allOf, firstOf, hasChanged, hasRow } from '../../platform/database/queries.ts';
import type { Database, Tables } from '../../platform/database/schema.ts';

/** A decision with its appeal. */
export type AppealedDecision = StoredDecision & {
  appeal: {
    state: 'open' | AppealOutcome;
    at: string;
    answer: string | null;
    answeredBy: string | null;
    answeredAt: string | null;
  } | null;
};

/** A message in an appeal; `author` is a recorded name. */
export type AppealNote = { side: 'publisher' | 'store'; author: string; at: string; text: string };

/** Decisions of a publisher, and appeals, that are listed. */
const LISTED = 100;

const decisionOf = (row: Selectable<Tables['decisions']>): AppealedDecision => {
  const { appealState: state, appealedAt: at, answer, answeredBy, answeredAt, ...decision } = fieldsOf(row);
  return {
    ...decision,
    appeal:
      state === null || at === null
        ? null
        : { state: state as 'open' | AppealOutcome, at, answer, answeredBy, answeredAt },
  };
};

/** Stores the appeals of decisions. */
export const createAppealStore = (db: Database) => ({
  find: (id: string): Promise<AppealedDecision | null> =>
    firstOf(db.selectFrom('decisions').selectAll().where('id', '=', id), decisionOf),
  /** Whether an appeal about an app is open. */
  hasOpenAppeal: (appId: string): Promise<boolean> =>
    hasRow(
      db
        .selectFrom('decisions')
        .select('id')
        .where(sql<SqlBool>`appeal_state = 'open'`)
        .where('app_id', '=', appId)
        .limit(1),
    ),
  /** The last decisions about a publisher and its apps, newest first. */
  of: (publisher: string): Promise<AppealedDecision[]> =>
    allOf(
      db
        .selectFrom('decisions')
        .selectAll()
        .where('publisher', '=', publisher)
        .orderBy('decided_at', 'desc')
        .orderBy('id')
        .limit(LISTED),
      decisionOf,
    ),
  /** The decisions with an open appeal, one of each publisher after the other, the longest waiting first. */
  openAppeals: (): Promise<AppealedDecision[]> => {
    const turns = db
      .selectFrom('decisions')
      .selectAll()
      .select(sql<number>`row_number() over (partition by publisher order by appealed_at, id)`.as('turn'))
      .where('appeal_state', '=', 'open')
      .as('open');
    return allOf(
      db.selectFrom(turns).selectAll().orderBy('turn').orderBy('appealed_at').orderBy('id').limit(LISTED),
      ({ turn: _turn, ...row }) => decisionOf(row),
    );
  },
  /** The decisions about a publisher and its apps with an open appeal. */
  openAppealsOf: (publisher: string): Promise<AppealedDecision[]> =>
    allOf(
      db
        .selectFrom('decisions')
        .selectAll()
        .where('publisher', '=', publisher)
        .where('appeal_state', '=', 'open'),
      decisionOf,
    ),
  /** Opens the appeal of a decision; false when it has one. */
  openAppeal: (id: string, at: string): Promise<boolean> =>
    hasChanged(
      db
        .updateTable('decisions')
        .set({ appeal_state: 'open', appealed_at: at })
        .where('id', '=', id)
        .where('appeal_state', 'is', null),
    ),
  /** Decides an open appeal; false when it is not open. */
  closeAppeal: (
    id: string,
    { outcome, note, by, at }: { outcome: AppealOutcome; note: string; by: string; at: string },
  ): Promise<boolean> =>
    hasChanged(
      db
        .updateTable('decisions')
        .set({ appeal_state: outcome, answer: note, answered_by: by, answered_at: at })
        .where('id', '=', id)
        .where('appeal_state', '=', 'open'),
    ),
  async addMessage(id: string, number: number, { side, author, at, text }: AppealNote): Promise<void> {
    await db
      .insertInto('appeal_messages')
      .values({ decision_id: id, number, side, author, written_at: at, text })
      .execute();
  },
  /** The messages of appeals, in order, by the id of the decision. */
  async messages(ids: readonly string[]): Promise<Map<string, AppealNote[]>> {
    if (ids.length === 0) return new Map();
    const rows = await db
      .selectFrom('appeal_messages')
      .selectAll()
      .where('decision_id', 'in', [...ids])
      .orderBy('decision_id')
      .orderBy('number')
      .execute();
    const byId = Map.groupBy(rows, (row) => row.decision_id);
    const noteOf = ({ side, author, written_at: at, text }: (typeof rows)[number]): AppealNote => ({
      side: side as AppealNote['side'],
      author,
      at,
      text,
    });
    return new Map(Array.from(byId, ([id, all]) => [id, all.map(noteOf)]));
  },
});

export type AppealStore = ReturnType<typeof createAppealStore>;
