import { sql } from 'kysely';
import { loadIntoPostgres } from '../../../apps/store/test/support/load-catalogue.ts';
import { type Arena, experimentIn, startOn } from '../arena.ts';
import { clientOf } from '../client.ts';
import type { Experiment, Outcome, Setup } from '../outcome.ts';
import { underLoad } from './soak.ts';

const APPS = 20_000;

/** Fills the store, and starts it again, so that nothing it remembers is older. */
async function fill(arena: Arena): Promise<void> {
  const { DATABASE_URL = '' } = arena.site.settings();
  const [key] = await arena.client.keys();
  await arena.store.stop();
  await loadIntoPostgres(DATABASE_URL.split('?', 1)[0] ?? '', APPS);
  const db = await arena.site.openDatabase();
  await sql`update versions set key_id = ${key?.keyId}`.execute(db);
  await db.destroy();
  await arena.restart();
}

/** Pages and answers about some of the apps. */
const paths = Array.from({ length: 40 }, (_, n) => n * 479).flatMap((n) => [
  `/api/apps/com.corpus.app${n}`,
  `/apps/com.corpus.app${n}`,
  `/api/apps/catalog?q=app${n}`,
]);

const run = ({ backend, count }: Setup): Promise<Outcome> =>
  experimentIn(backend, async (arena) => {
    await fill(arena);
    const second = await startOn(arena.site, 1);
    try {
      const clients = [arena.client, arena.witness.watch(clientOf(second.url))];
      return await underLoad(arena, clients, { minutes: count, paths });
    } finally {
      await second.stop();
    }
  });

/** Mixed load for `count` minutes on 20,000 apps and two processes: memory and work per request must not grow. */
export const crowd: Experiment = { name: 'crowd', backends: ['postgres', 's3'], count: 20, run };
