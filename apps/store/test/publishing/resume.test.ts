import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tamper } from '../support/database.ts';
import { bodyOf, openTestStore, type TestStore } from '../support/test-store.ts';

/** Puts the database in the state that a process leaves when it dies at a certain point. */
const dieWith = (store: TestStore, sql: string) => tamper(store.folder, sql);

describe('a store that starts again', () => {
  it.each(['submitted', 'checking'])('finishes the check of a version left %s', async (state) => {
    const first = await openTestStore();
    await first.publish(await first.publisherToken());
    await first.close();
    await dieWith(first, `update versions set state = '${state}', reasons_json = '[]'`);
    const second = await openTestStore({ folder: first.folder });
    expect(await bodyOf(second.admin('GET', '/api/moderation/queue'))).toMatchObject({
      entries: [{ version: '1.0.0', reasons: ['first-version', 'publisher-unverified'] }],
    });
  });

  it('signs a version left approved', async () => {
    const first = await openTestStore();
    await first.publish(await first.publisherToken());
    await first.close();
    await dieWith(first, "update versions set state = 'approved'");
    const second = await openTestStore({ folder: first.folder });
    expect(await bodyOf(second.call('GET', '/api/apps/catalog'))).toMatchObject({ total: 1 });
  });

  it('removes bytes that no version speaks of, and no others', async () => {
    const first = await openTestStore();
    await first.publish(await first.publisherToken());
    const kept = (await first.filesUnder('blobs')).sort();
    await first.close();
    await dieWith(first, 'select 1');
    const { writeFile } = await import('node:fs/promises');
    await writeFile(join(first.folder, 'blobs', '00', '0'.repeat(64)), 'left behind');
    await writeFile(join(first.folder, 'incoming', 'half-an-upload'), 'left behind');
    const second = await openTestStore({ folder: first.folder });
    expect((await second.filesUnder('blobs')).sort()).toEqual(kept);
    expect(await second.filesUnder('incoming')).toEqual([]);
  });
});
