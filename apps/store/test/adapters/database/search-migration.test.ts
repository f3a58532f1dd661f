import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEEP } from '@svc/testkit';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { migrate } from '../../../src/adapters/database/migrations.ts';
import { createStores } from '../../../src/adapters/database/stores.ts';
import { openPostgres } from '../../../src/adapters/postgres/open-postgres.ts';
import { openSqlite } from '../../../src/adapters/sqlite/open-sqlite.ts';
import { search } from '../../../src/core/catalog/search/search.ts';
import { emptyDatabase, onPostgres } from '../../support/database.ts';

const at = '2026-01-01T00:00:00.000Z';
const silent = { info: () => {}, warn: () => {}, error: () => {} };

async function openEmpty() {
  if (onPostgres()) return openPostgres(await emptyDatabase(), silent);
  const folder = await mkdtemp(join(tmpdir(), 'svc-search-migration-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return openSqlite(join(folder, 'store.sqlite'));
}

it(
  'adds existing listings to the search index, also more than one batch, and omits suspended apps',
  DEEP,
  async () => {
    const db = await openEmpty();
    onTestFinished(() => db.destroy());
    await migrate(db, '0007-people');
    await sql`insert into publishers (slug, name, created_at) values ('example', 'Éxample', ${at})`.execute(
      db,
    );
    const manifest = JSON.stringify({ name: 'Pixel Forge', description: 'Kerning.', categories: ['design'] });
    for (let n = 0; n < 230; n += 1) {
      const id = `com.example.app${n}`;
      const suspended = n === 7 ? 1 : 0;
      await sql`insert into apps (app_id, publisher, suspended, created_at)
      values (${id}, 'example', ${suspended}, ${at})`.execute(db);
      await sql`insert into versions (app_id, version, publisher, state, sha256, size, manifest_json, readme, changelog,
      files_json, issues_json, submitted_at, submitted_by) values (${id}, '1.0.0', 'example', 'published', '', 1, ${manifest},
      '', '', '[]', '[]', ${at}, 'somebody')`.execute(db);
      await sql`insert into listings (app_id, version, name, name_key, search_text, first_published_at, updated_at)
      values (${id}, '1.0.0', 'Pixel Forge', 'pixel forge', '', ${at}, ${at})`.execute(db);
      await sql`insert into listing_categories (app_id, category) values (${id}, 'design')`.execute(db);
    }
    await migrate(db);
    const { searchIndex, listings } = createStores(db);
    for (const q of ['pixel', 'kernign', 'pixle forge', 'example', 'app229'])
      expect(await search(searchIndex, q, 'design'), q).toHaveLength(q === 'app229' ? 1 : 229);
    const query = { category: 'design', updatedSince: at, sort: 'updated', limit: 1, after: null } as const;
    expect(await listings.page(query)).toMatchObject({ total: 229 });
  },
);
