import type { AppealOutcome, Policy, PolicyRule, ReportCategory, Transparency } from '@svc/contracts';
import { type Selectable, type SqlBool, sql } from 'kysely';
import { columnsOf, fieldsOf, type RecordOf } from '../../platform/database/fields.ts';
import { allOf, firstOf, hasChanged, hasRow, isInserted, run } from '../../platform/database/queries.ts';
import type { Database, Tables } from '../../platform/database/schema.ts';
import { BUILT_IN_POLICY } from './built-in-policy.ts';

/** A version of the policy, without its history. */
export type PolicyVersion = Omit<Policy, 'versions'>;

/** A decision on record. */
export type StoredDecision = Omit<RecordOf<'decisions'>, AppealField> & {
  appeal: {
    state: 'open' | AppealOutcome;
    at: string;
    answer: string | null;
    answeredBy: string | null;
    answeredAt: string | null;
  } | null;
};

type AppealField = 'appealState' | 'appealedAt' | 'answer' | 'answeredBy' | 'answeredAt';

/** A message in an appeal; `author` is a recorded name. */
export type AppealNote = { side: 'publisher' | 'store'; author: string; at: string; text: string };

/** Decisions of a publisher, and appeals, that are listed. */
const LISTED = 100;

const BUILT_IN: PolicyVersion = {
  version: 1,
  ...BUILT_IN_POLICY,
  rules: [...BUILT_IN_POLICY.rules],
  note: 'The built-in policy.',
  at: null,
};

const decisionOf = (row: Selectable<Tables['decisions']>): StoredDecision => {
  const { appealState: state, appealedAt: at, answer, answeredBy, answeredAt, ...decision } = fieldsOf(row);
  return {
    ...decision,
    appeal:
      state === null || at === null
        ? null
        : { state: state as 'open' | AppealOutcome, at, answer, answeredBy, answeredAt },
  };
};

const policyOf = (row: Selectable<Tables['policies']>): PolicyVersion => ({
  version: row.version,
  intro: row.intro,
  rules: JSON.parse(row.rules_json) as PolicyRule[],
  note: row.note,
  at: row.published_at,
});

/** The first moments of a year and of the next one. */
const boundsOf = (year: number) =>
  [`${year}-01-01T00:00:00.000Z`, `${year + 1}-01-01T00:00:00.000Z`] as const;

/** What a decision is about. */
export type DecisionSubject = {
  publisher: string;
  kinds: readonly StoredDecision['kind'][];
  appId?: string;
  version?: string;
  at?: string;
};

/** Stores the versions of the policy, the decisions that cite it, and their appeals. */
export const createDecisionStore = (db: Database) => ({
  /** A version of the policy, by default the newest; null when there is no such version. */
  async policy(version?: number): Promise<PolicyVersion | null> {
    if (version === 1) return BUILT_IN;
    const rows = db.selectFrom('policies').selectAll().orderBy('version', 'desc').limit(1);
    const row = await (version === undefined ? rows : rows.where('version', '=', version)).executeTakeFirst();
    if (row) return policyOf(row);
    return version === undefined ? BUILT_IN : null;
  },
  /** All versions of the policy, newest first. */
  async policyVersions(): Promise<Policy['versions']> {
    const rows = await db
      .selectFrom('policies')
      .select(['version', 'note', 'published_at as at'])
      .orderBy('version', 'desc')
      .execute();
    return [...rows, { version: BUILT_IN.version, note: BUILT_IN.note, at: null }];
  },
  /** Adds a version of the policy; false when that version exists. */
  addPolicy: ({ version, intro, rules, note, at }: PolicyVersion & { at: string }): Promise<boolean> =>
    isInserted(
      db
        .insertInto('policies')
        .values({ version, intro, rules_json: JSON.stringify(rules), note, published_at: at }),
    ),
  add: (decision: Omit<StoredDecision, 'appeal'>): Promise<void> =>
    run(db.insertInto('decisions').values(columnsOf(decision))),
  find: (id: string): Promise<StoredDecision | null> =>
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
  /**
   * The last decision of some kinds about a publisher, or about one of its apps and versions.
   * @param of.at only the one that was made then
   */
  lastAbout: ({
    publisher,
    kinds,
    appId = '',
    version = '',
    at,
  }: DecisionSubject): Promise<StoredDecision | null> => {
    const about = db
      .selectFrom('decisions')
      .selectAll()
      .where('publisher', '=', publisher)
      .where('kind', 'in', kinds)
      .where((where) => where.or([where('app_id', 'is', null), where('app_id', '=', appId)]))
      .where((where) => where.or([where('version', 'is', null), where('version', '=', version)]))
      .orderBy('decided_at', 'desc')
      .limit(1);
    return firstOf(at === undefined ? about : about.where('decided_at', '=', at), decisionOf);
  },
  /** The last decisions about a publisher and its apps, newest first. */
  of: (publisher: string): Promise<StoredDecision[]> =>
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
  openAppeals: (): Promise<StoredDecision[]> => {
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
  openAppealsOf: (publisher: string): Promise<StoredDecision[]> =>
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
  /** Counts the decisions, appeals and reports of a year. */
  async countYear(year: number): Promise<Omit<Transparency, 'year'>> {
    const [from, to] = boundsOf(year);
    const decisions = await db
      .selectFrom('decisions')
      .select(({ fn }) => ['kind', 'rule', fn.countAll().as('count')])
      .where('decided_at', '>=', from)
      .where('decided_at', '<', to)
      .groupBy(['kind', 'rule'])
      .orderBy('kind')
      .orderBy('rule')
      .execute();
    const appeals = await db
      .selectFrom('decisions')
      .select(({ fn }) => ['appeal_state', fn.countAll().as('count')])
      .where('appealed_at', '>=', from)
      .where('appealed_at', '<', to)
      .groupBy('appeal_state')
      .orderBy('appeal_state')
      .execute();
    const reports = await db
      .selectFrom('reports')
      .select(({ fn }) => ['category', 'state', fn.countAll().as('count')])
      .where('reported_at', '>=', from)
      .where('reported_at', '<', to)
      .groupBy(['category', 'state'])
      .orderBy('category')
      .orderBy('state')
      .execute();
    return {
      decisions: decisions.map(({ kind, rule, count }) => ({ kind, rule, count: Number(count) })),
      appeals: appeals.map(({ appeal_state, count }) => ({
        what: appeal_state as 'open' | AppealOutcome,
        count: Number(count),
      })),
      reports: reports.map(({ category, state, count }) => ({
        category: category as ReportCategory,
        state: state as Transparency['reports'][number]['state'],
        count: Number(count),
      })),
    };
  },
});

export type DecisionStore = ReturnType<typeof createDecisionStore>;
