import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { openSqlite } from '../../src/adapters/sqlite/open-sqlite.ts';
import { createWriteGate, ReadOnlyError } from '../../src/platform/write-gate.ts';
import { openIdProvider } from '../support/open-id.ts';
import { beginAt, openStoreAt } from '../support/store-with-providers.ts';
import { ADMIN_TOKEN, bodyOf, openTestStore } from '../support/test-store.ts';

const environment = { SVC_READ_ONLY: 'we move to a new database until 18:00 UTC' };

/** A store with a published app and a signed-in user, that is read-only since a restart. */
async function restarted() {
  const before = await openTestStore();
  const token = await before.publisherToken('example', true);
  const { version } = await bodyOf(before.publish(token, { version: '1.0.0' }));
  await before.decide('approve', version);
  const session = await before.signedIn('anna', { role: 'administrator', membership: { example: 'owner' } });
  await before.close();
  const store = await openTestStore({ folder: before.folder, environment });
  return { store, token, session };
}

describe('a read-only store', () => {
  it('serves what can be read, says on its pages that it is read-only, and signs its list', async () => {
    const { store, session } = await restarted();
    for (const path of ['/api/apps/catalog', '/api/apps/com.example.notes', '/api/apps/revocations'])
      expect([path, (await store.call('GET', path)).status]).toEqual([path, 200]);
    expect((await store.call('GET', '/api/apps/com.example.notes/versions/1.0.0/bundle')).status).toBe(200);
    const page = await store.call('GET', '/sign-in', { headers: { accept: 'text/html' } });
    expect(await page.text()).toContain(
      '<p class="shell-notice" role="status">The store is read-only for now: we move to a new database until 18:00 UTC.</p>',
    );
    // Its use is not recorded, and the session works.
    store.advance(10 * 60_000);
    expect((await store.call('GET', '/api/people/me', { session })).status).toBe(200);
    store.advance(2 * 3_600_000);
    const { signedAt } = await bodyOf(store.call('GET', '/api/apps/revocations'));
    expect(signedAt).toBe(store.clock().toISOString());
  });

  it('refuses every change with 503 and Retry-After, and changes nothing', async () => {
    const { store, token, session } = await restarted();
    await store.prove(session).catch(() => {});
    const answers = [
      await store.publish(token, { version: '2.0.0' }),
      await store.admin('POST', '/api/admin/publishers', { slug: 'other', name: 'Other' }),
      await store.call('POST', '/api/apps/com.example.notes/versions/1.0.0/yank', {
        token: ADMIN_TOKEN,
        json: { reason: 'a test' },
      }),
      await store.call('POST', '/api/developer/device/start', { json: { client: 'a test' } }),
      await store.call('GET', `/apps/oauth/callback?state=${'s'.repeat(32)}&code=c`),
    ];
    for (const answer of answers) {
      expect([answer.url, answer.status]).toEqual([answer.url, 503]);
      expect(answer.headers.get('retry-after')).toBe('60');
      expect(await answer.text()).toContain('read-only for now: we move to a new database until 18:00 UTC');
    }
    expect(store.lines.filter((line) => line.includes('unexpectedly'))).toEqual([]);
    expect(await store.stores.publishers.find('other')).toBeNull();
  });

  it('answers a sign-in with a page that says so', async () => {
    const provider = await openIdProvider('acme', { anna: { name: 'Anna' } });
    const store = await openStoreAt(environment, provider.settings);
    const { browser, location } = await beginAt(store, 'acme');
    const answer = await browser.open(await provider.visit(location, 'anna'));
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain('<h1>The store is read-only</h1>');
  });
});

describe('the gate of a database', () => {
  it('passes reads, and refuses each kind of change, also in SQL of our own, except in exempt work', async () => {
    const gate = createWriteGate();
    const db = openSqlite(':memory:').withPlugin(gate.plugin);
    await sql`create table brand (part text primary key, value text not null)`.execute(db);
    gate.close('a test');
    const row = { part: 'name', value: 'A' };
    const changes = {
      insert: () => db.insertInto('brand').values(row).execute(),
      update: () => db.updateTable('brand').set({ value: 'B' }).execute(),
      delete: () => db.deleteFrom('brand').execute(),
      'in a transaction': () =>
        db.transaction().execute((tx) => tx.insertInto('brand').values(row).execute()),
      sql: () => sql`update brand set value = 'B'`.execute(db),
      'sql with a part before it': () =>
        sql`with x as (select 1) insert into brand select 'a', 'b'`.execute(db),
    };
    for (const [how, change] of Object.entries(changes))
      await expect(change(), how).rejects.toThrow(ReadOnlyError);
    await gate.exempt(() => db.insertInto('brand').values(row).execute());
    expect(await db.selectFrom('brand').selectAll().execute()).toEqual([row]);
    expect((await sql`select part from brand`.execute(db)).rows).toHaveLength(1);
    await db.destroy();
  });
});
