import { AccessRules, OPEN_ACCESS } from '@svc/contracts';
import type { Database } from '../../../platform/database/schema.ts';

/** The rules that an administrator chose, in the database. */
export function createAccessRuleStore(db: Database) {
  return {
    /** All rules. The default of a rule that was not chosen is an open store. */
    async chosen(): Promise<AccessRules> {
      const rows = await db.selectFrom('access_rules').selectAll().execute();
      const chosen = Object.fromEntries(rows.map(({ rule, choice }) => [rule, choice]));
      return AccessRules.parse({ ...OPEN_ACCESS, ...chosen });
    },
    /** Whether an administrator chose exactly these rules already, among others. */
    async areChosen(rules: Partial<AccessRules>): Promise<boolean> {
      const rows = await db.selectFrom('access_rules').selectAll().execute();
      const chosen = new Map(rows.map(({ rule, choice }) => [rule, choice]));
      return Object.entries(rules).every(([rule, choice]) => chosen.get(rule) === choice);
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

/** The rules that the settings decide; null for a rule that an administrator decides. */
export type GivenRules = { [K in keyof AccessRules]: AccessRules[K] | null };

/**
 * Opens the rules in force: the value of a setting, else the choice of an administrator, else an open store. They are cached in memory,
 * as every request needs them, and reloaded every few seconds, as another process may have changed them.
 */
export async function openAccessRules(
  { signUp, publishers, read, roles }: GivenRules,
  store: Pick<AccessRuleStore, 'chosen'>,
) {
  const all = Object.entries({ signUp, publishers, read, roles });
  const given = Object.fromEntries(all.filter(([, choice]) => choice !== null)) as Partial<AccessRules>;
  const current = async (): Promise<AccessRules> => ({ ...(await store.chosen()), ...given });
  let rules = await current();
  return {
    now: (): Readonly<AccessRules> => rules,
    /** The rules that the settings decide, which cannot be changed on a page. */
    given: given as Readonly<Partial<AccessRules>>,
    async refresh(): Promise<void> {
      rules = await current();
    },
  };
}

export type AccessRuleBook = Awaited<ReturnType<typeof openAccessRules>>;
