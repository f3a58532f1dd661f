import { AccessRules, OPEN_ACCESS } from '@svc/contracts';
import type { Database } from '../../platform/database/schema.ts';

/** The rules that an administrator chose, in the database. */
export function createAccessRuleStore(db: Database) {
  return {
    /** All rules: those that no one has chosen leave the store open. */
    async chosen(): Promise<AccessRules> {
      const rows = await db.selectFrom('access_rules').selectAll().execute();
      const chosen = Object.fromEntries(rows.map(({ rule, choice }) => [rule, choice]));
      return AccessRules.parse({ ...OPEN_ACCESS, ...chosen });
    },
    async choose(rules: Partial<AccessRules>): Promise<void> {
      for (const [rule, choice] of Object.entries(rules)) {
        await db
          .insertInto('access_rules')
          .values({ rule, choice })
          .onConflict((conflict) => conflict.column('rule').doUpdateSet({ choice }))
          .execute();
      }
    },
  };
}

export type AccessRuleStore = ReturnType<typeof createAccessRuleStore>;

/** What the settings say of each rule; null where they leave it to an administrator. */
export type GivenRules = { [K in keyof AccessRules]: AccessRules[K] | null };

/**
 * The rules in force: what a setting says, else what an administrator chose, else that the store is open. They are kept in memory, as
 * every request asks for them, and read again every few seconds, as another process may have changed them.
 */
export async function openAccessRules(
  { signUp, publishers, read }: GivenRules,
  store: Pick<AccessRuleStore, 'chosen'>,
) {
  const all = Object.entries({ signUp, publishers, read });
  const given = Object.fromEntries(all.filter(([, choice]) => choice !== null)) as Partial<AccessRules>;
  const current = async (): Promise<AccessRules> => ({ ...(await store.chosen()), ...given });
  let rules = await current();
  return {
    now: (): Readonly<AccessRules> => rules,
    /** What the settings decide, which no one can change on a page. */
    given: given as Readonly<Partial<AccessRules>>,
    async refresh(): Promise<void> {
      rules = await current();
    },
  };
}

export type AccessRuleBook = Awaited<ReturnType<typeof openAccessRules>>;
