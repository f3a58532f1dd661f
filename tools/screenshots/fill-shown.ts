import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { automationOf, packedSample } from '@svc/testkit';
import { publishApp } from '../../apps/web/test/support/seed.ts';
import { SHOWN_APPS, SHOWN_PUBLISHERS, shownFiles, shownManifest } from '../demo/showcase.ts';

/** Installs and stars of the example apps, as weeks of use would leave them: most have few ratings, some have none. */
function countUse(dataDir: string): void {
  const db = new DatabaseSync(join(dataDir, 'store.sqlite'), { timeout: 5_000 });
  const listing = db.prepare(
    'update listings set installs = ?, rating_average = ?, rating_count = ?, rating_weighted = ? where app_id = ?',
  );
  const figures = db.prepare(
    `insert into app_figures (app_id, installs, stars_1, stars_2, stars_3, stars_4, stars_5) values (?, ?, ?, 0, ?, ?, ?)
     on conflict (app_id) do update set installs = excluded.installs, stars_1 = excluded.stars_1,
       stars_3 = excluded.stars_3, stars_4 = excluded.stars_4, stars_5 = excluded.stars_5`,
  );
  for (const [n, { about }] of SHOWN_APPS.entries()) {
    const installs = Math.round(48_000 / (n + 1) ** 1.6);
    const [one, three, four, five] = n % 4 === 3 ? [0, 0, 0, 0] : [n % 3, n, 2 * n + 3, 60 - 2 * n];
    const count = one + three + four + five;
    const average = count === 0 ? 0 : (one + 3 * three + 4 * four + 5 * five) / count;
    listing.run(installs, average, count, average, about.id);
    figures.run(about.id, installs, one, three, four, five);
  }
  db.close();
}

/** A store with its automation token and data folder. */
export type Filled = { url: string; adminToken: string; dataDir: string };

/** Publishes the example apps of the demo, with installs and ratings, and an update that waits for a moderator for four reasons. */
export async function fillShown(store: Filled): Promise<void> {
  const automation = automationOf(store.url, store.adminToken);
  for (const publisher of SHOWN_PUBLISHERS) await automation.addPublisher(publisher);
  for (const app of SHOWN_APPS)
    await publishApp(store, { ...shownManifest(app), publisher: app.about.publisher }, await shownFiles(app));
  const [herbarium, other] = [SHOWN_APPS[2], SHOWN_APPS[4]];
  if (!herbarium || !other) throw new Error('The table of example apps is too short.');
  const tools = herbarium.tools.map(([id, name, text]) => [id, name, `${text} Call it first.`] as const);
  const update = { ...herbarium, tools, look: { ...other.look, shows: herbarium.look.shows } };
  const manifest = shownManifest({ ...update, uses: [...herbarium.uses, 'hosts'] });
  await automation.upload(
    packedSample({ ...manifest, version: '1.1.0' }, await shownFiles(update)),
    await automation.publisherToken(herbarium.about.publisher),
  );
  countUse(store.dataDir);
}
