import type { Policy, PolicyRule } from '@svc/contracts';
import type { Selectable } from 'kysely';
import { columnsOf, fieldsOf, type RecordOf } from '../../../platform/database/fields.ts';
import { firstOf, isInserted, run } from '../../../platform/database/queries.ts';
import type { Database, Tables } from '../../../platform/database/schema.ts';
import { BUILT_IN_POLICY } from './built-in-policy.ts';

/** A version of the policy, without its history. */
export type PolicyVersion = Omit<Policy, 'versions'>;

/** A decision on record. */
export type StoredDecision = Omit<RecordOf<'decisions'>, AppealField>;

/** The columns of the appeal of a decision. */
export type AppealField = 'appealState' | 'appealedAt' | 'answer' | 'answeredBy' | 'answeredAt';

const BUILT_IN: PolicyVersion = {
  version: 1,
  ...BUILT_IN_POLICY,
  rules: [...BUILT_IN_POLICY.rules],
  note: 'The built-in policy.',
  at: null,
};

const decisionOf = (row: Selectable<Tables['decisions']>): StoredDecision => {
  const {
    appealState: _s,
    appealedAt: _at,
    answer: _a,
    answeredBy: _by,
    answeredAt: _on,
    ...decision
  } = fieldsOf(row);
  return decision;
};

const policyOf = (row: Selectable<Tables['policies']>): PolicyVersion => ({
  version: row.version,
  intro: row.intro,
  rules: JSON.parse(row.rules_json) as PolicyRule[],
  note: row.note,
  at: row.published_at,
});

/** What a decision is about. */
export type DecisionSubject = {
  publisher: string;
  kinds: readonly StoredDecision['kind'][];
  appId?: string;
  version?: string;
  at?: string;
};

/** Stores the versions of the policy, and the decisions that cite it. */
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
  add: (decision: StoredDecision): Promise<void> =>
    run(db.insertInto('decisions').values(columnsOf(decision))),
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
});

export type DecisionStore = ReturnType<typeof createDecisionStore>;
