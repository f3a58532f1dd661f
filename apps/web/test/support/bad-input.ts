import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Manifest } from '@svc/contracts';
import { png } from '@svc/testkit';

/** A word of 100 letters without a place to break. */
export const WORD_100 =
  'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaftsvorsitzendenstellvertreterin'.slice(
    0,
    100,
  );

/** The same sentence in an alphabet from right to left, one without spaces, and one with long words. */
export const THREE_ALPHABETS = [
  'مفكرة الميناء للرحلات البحرية وكل ما يلزم لها',
  '港の散歩と潮の満ち引きを記録する備忘録でありすべての港を覚えています',
  'Ηλεκτρονικό σημειωματάριο λιμανιών και παλιρροιών',
];

const GRANTS = ['files:receive', 'files:return', 'project:write'] as const;

/** What an author may hand in and no page may break at: forty permissions, as many hosts as are allowed, texts of full length in three alphabets. */
export const BAD_INPUT: Partial<Manifest> = {
  description: `${THREE_ALPHABETS.join(' ')} ${WORD_100}`.slice(0, 400),
  permissions: Array.from({ length: 40 }, (_, n) =>
    `${n + 1} ${THREE_ALPHABETS[n % 3]} ${WORD_100} (${GRANTS[n % 3]})`.slice(0, 200),
  ),
  remote: {
    mcpUrl: 'https://mcp.example.com/mcp',
    domains: Array.from(
      { length: 20 },
      (_, n) => `${'a-long-label-of-a-host.'.repeat(4)}host-${n}.example.com`,
    ),
  },
  grants: [...GRANTS],
};

/** A screenshot four times as high as wide, and one four times as wide as high. */
export const LONG_SCREENSHOTS = {
  'assets/high.png': png(320, 1_280, 120),
  'assets/wide.png': png(1_280, 320, 60),
};

/**
 * Adds copies of the reviews of an app, each by another user with a long name, to a running store.
 * @param count copies of each review
 */
export function fillReviews(dataDir: string, appId: string, count: number): void {
  const db = new DatabaseSync(join(dataDir, 'store.sqlite'), { timeout: 5_000 });
  const copy = (table: string, from: string, changed: Readonly<Record<string, string>>) => {
    const columns = db.prepare('select name from pragma_table_info(?)').all(table) as { name: string }[];
    const names = columns.map(({ name }) => name);
    db.prepare(
      `with recursive copies(n) as (select 1 union all select n + 1 from copies where n < ?)
       insert into ${table} (${names.join(', ')})
       select ${names.map((name) => changed[name] ?? `old.${name}`).join(', ')} from copies, ${table} old where ${from}`,
    ).run(count, appId);
  };
  const name = `case n % 4 when 0 then '${WORD_100.slice(0, 80)}' ${THREE_ALPHABETS.map((text, n) => `when ${n + 1} then '${text}'`).join(' ')} end`;
  copy('people', 'old.id in (select person_id from ratings where app_id = ?)', {
    id: "old.id || '-' || n",
    email: 'null',
    name,
  });
  const mine = 'old.app_id = ?';
  copy('ratings', mine, {
    id: "old.id || '-' || n",
    person_id: "old.person_id || '-' || n",
    stars: '1 + n % 5',
    hidden: '0',
    waiting_since: 'null',
  });
  db.prepare('update listings set rating_count = ?, rating_average = 3 where app_id = ?').run(count, appId);
  db.close();
}
