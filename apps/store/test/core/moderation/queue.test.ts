import type { QueueEntry } from '@svc/contracts';
import { DEEP } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { tamper } from '../../support/database.ts';
import {
  type ModeratedStore,
  openModeratedStore,
  type Reviewer,
  reviewPath,
} from '../../support/moderated-store.ts';
import { bodyOf } from '../../support/test-store.ts';

const DAY = 24 * 3_600_000;

const queue = (store: ModeratedStore, query = '', who: Reviewer = 'admin') =>
  bodyOf(store.as(who, 'GET', `/api/moderation/queue${query}`));

const namesOf = ({ entries }: { entries: QueueEntry[] }) =>
  entries.map(({ appId, version }) => `${appId.split('.').at(-1)}@${version}`);

const UPLOADS = [
  ['com.example.a', '1.0.0'],
  ['com.example.b', '1.0.0'],
  ['com.other.c', '1.0.0-rc.1'],
  ['com.example.a', '1.1.0'],
] as const;

/** Four uploads, a second apart: three apps of two publishers, one of which is verified, and an update. */
async function filled(policy: object = {}) {
  const store = await openModeratedStore({ policy });
  const tokens = { example: await store.publisherToken(), other: await store.publisherToken('other', true) };
  for (const [id, version] of UPLOADS) {
    const publisher = id.startsWith('com.other') ? 'other' : 'example';
    expect((await store.publish(tokens[publisher], { id, version, publisher })).status).toBe(201);
    store.advance(1_000);
  }
  return store;
}

describe('the review queue', () => {
  it('lists the oldest versions first, and superseded ones last', async () => {
    const store = await filled();
    const { entries, total } = await queue(store);
    expect(total).toBe(4);
    expect(entries).toMatchObject([
      { appId: 'com.example.b', version: '1.0.0', superseded: false, position: 1, name: 'Notes' },
      { appId: 'com.other.c', version: '1.0.0-rc.1', superseded: false, position: 2, publisher: 'other' },
      { appId: 'com.example.a', version: '1.1.0', superseded: false, position: 3, lock: null },
      { appId: 'com.example.a', version: '1.0.0', superseded: true, position: 4 },
    ]);
    expect((await store.decide('approve', '1.0.0', {}, 'com.example.a')).status).toBe(200);
    expect(namesOf(await queue(store))).toEqual(['b@1.0.0', 'c@1.0.0-rc.1', 'a@1.1.0']);
  });

  it('continues after a page, also when versions were decided in between', async () => {
    const store = await filled();
    const first = await queue(store, '?limit=2');
    expect(first).toMatchObject({ total: 4, nextCursor: expect.any(String) });
    expect(namesOf(first)).toEqual(['b@1.0.0', 'c@1.0.0-rc.1']);
    await store.decide('reject', '1.0.0', { note: 'No.' }, 'com.example.b');
    const second = await queue(store, `?limit=1&cursor=${first.nextCursor}`);
    expect(second.entries).toMatchObject([{ version: '1.1.0', position: 2 }]);
    const third = await queue(store, `?limit=1&cursor=${second.nextCursor}`);
    expect(third).toMatchObject({ entries: [{ version: '1.0.0', position: 3 }], nextCursor: null, total: 3 });
  });

  it.each([
    ['reason=first-version', ['b@1.0.0', 'c@1.0.0-rc.1', 'a@1.1.0', 'a@1.0.0']],
    ['reason=publisher-unverified', ['b@1.0.0', 'a@1.1.0', 'a@1.0.0']],
    ['reason=first-version&soleReason=true', ['c@1.0.0-rc.1']],
    ['reason=first-version&soleReason=false', ['b@1.0.0', 'a@1.1.0', 'a@1.0.0']],
    ['reason=permissions-widened', []],
    ['reason=flagged', []],
    ['publisher=other', ['c@1.0.0-rc.1']],
    ['appId=com.example.a', ['a@1.1.0', 'a@1.0.0']],
    ['superseded=true', ['a@1.0.0']],
    ['superseded=false&publisher=example', ['b@1.0.0', 'a@1.1.0']],
    // Wildcards of LIKE, and quotes in SQL.
    ['appId=com.example.%25', []],
    ['appId=com.example._', []],
    ["appId=x'%20or%20'1'='1", []],
    ['appId=COM.EXAMPLE.A', []],
    ['appId=a%00b', []],
  ])('filtered by %s is %j', async (query, names) => {
    const found = await queue(await filled(), `?${query}`);
    expect([namesOf(found), found.total]).toEqual([names, names.length]);
  });

  it('finds all flagged versions, or those with an exact code', async () => {
    const store = await filled();
    await store.close();
    await tamper(
      store.folder,
      `update versions set reasons_json = '["flagged:tools.files.maxBytes"]' where app_id = 'com.example.b'`,
    );
    const again = await openModeratedStore({ folder: store.folder });
    expect(namesOf(await queue(again, '?reason=flagged'))).toEqual(['b@1.0.0']);
    expect(namesOf(await queue(again, '?reason=flagged:tools.files.maxBytes'))).toEqual(['b@1.0.0']);
    for (const code of ['tools.files.maxbytes', 'tools.files', 'files.maxBytes', 'bundle.obfuscated']) {
      expect(await queue(again, `?reason=flagged:${code}`)).toMatchObject({ total: 0 });
    }
  });

  it('has the due date of each version, and filters overdue ones', async () => {
    const store = await filled({ reviewDays: 2 });
    expect((await queue(store)).entries).toMatchObject([
      { submittedAt: '2026-03-01T12:00:01.000Z', dueAt: '2026-03-03T12:00:01.000Z' },
      {},
      {},
      {},
    ]);
    store.advance(2 * DAY - 3_000);
    expect(namesOf(await queue(store, '?overdue=true'))).toEqual(['a@1.0.0']);
    store.advance(1);
    expect(namesOf(await queue(store, '?overdue=true'))).toEqual(['b@1.0.0', 'a@1.0.0']);
    expect(namesOf(await queue(store, '?overdue=false'))).toEqual(['c@1.0.0-rc.1', 'a@1.1.0']);
  });

  it('filters by my locks, locks of others and no lock', async () => {
    const store = await filled();
    await store.as('anna', 'POST', `${reviewPath('1.0.0', 'com.example.b')}/lock`);
    await store.as('ben', 'POST', `${reviewPath('1.1.0', 'com.example.a')}/lock`);
    expect(namesOf(await queue(store, '?lockedBy=me', 'anna'))).toEqual(['b@1.0.0']);
    expect(namesOf(await queue(store, '?lockedBy=others', 'anna'))).toEqual(['a@1.1.0']);
    expect(namesOf(await queue(store, '?lockedBy=nobody', 'anna'))).toEqual(['c@1.0.0-rc.1', 'a@1.0.0']);
    expect((await queue(store)).entries[0].lock).toEqual({
      by: 'person:anna',
      until: '2026-03-01T12:15:04.000Z',
    });
    store.advance(15 * 60_000);
    expect(await queue(store, '?lockedBy=nobody')).toMatchObject({
      total: 4,
      entries: [{ lock: null }, {}, {}, {}],
    });
    expect(await queue(store, '?lockedBy=others')).toMatchObject({ total: 0 });
  });

  it.each([
    'limit=0',
    'limit=101',
    'limit=1.5',
    'limit=many',
    'reason=flagged:',
    'reason=%25',
    'reason=flagged:%22',
    'publisher=../etc',
    'lockedBy=anna',
    'overdue=maybe',
    'superseded=1',
    'cursor=nonsense',
    `cursor=${Buffer.from('[false,"a","b"]').toString('base64url')}`,
    `cursor=${Buffer.from('[0,"a","b","c"]').toString('base64url')}`,
    `cursor=${Buffer.from('{"__proto__":[]}').toString('base64url')}`,
  ])('rejects ?%s', async (query) => {
    const store = await openModeratedStore();
    expect(await queue(store, `?${query}`)).toMatchObject({ httpStatus: 400, code: 'invalid_request' });
  });

  it('uses an invented cursor only as a position', async () => {
    const store = await filled();
    const made = Buffer.from(JSON.stringify([true, "' or 1=1 --", '\0', '\ud800'])).toString('base64url');
    expect(namesOf(await queue(store, `?cursor=${made}`))).toEqual(['a@1.0.0']);
  });
});

describe('a review queue of 10,000 versions', () => {
  it('is paginated without reading the manifests', { ...DEEP, timeout: 60_000 }, async () => {
    const first = await openModeratedStore();
    await first.publish(await first.publisherToken());
    await first.close();
    const columns = `publisher, sha256, size, readme, changelog, files_json, issues_json, reasons_json,
      permission_diff_json, submitted_by`;
    // An invalid manifest makes code that reads it fail.
    await tamper(
      first.folder,
      `insert into versions (app_id, version, state, manifest_json, name, submitted_at, ${columns})
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 9999)
        select app_id, '1.0.' || i, 'in_review', 'no JSON', 'App ' || i,
          '2026-02-01T00:00:00.' || substr(cast(100 + i % 900 as text), 1, 3) || 'Z', ${columns}
        from versions, n`,
    );
    const store = await openModeratedStore({ folder: first.folder });
    const seen = new Set<string>();
    let cursor: string | null = null;
    let position = 0;
    do {
      const page: { entries: QueueEntry[]; nextCursor: string | null; total: number } = await queue(
        store,
        cursor === null ? '' : `?cursor=${cursor}`,
      );
      expect(page.total).toBe(10_000);
      for (const entry of page.entries) {
        position += 1;
        expect(entry.position).toBe(position);
        seen.add(entry.version);
      }
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(seen.size).toBe(10_000);
    // The version that was uploaded with a request is the newest.
    expect(
      await bodyOf(store.call('GET', '/api/apps/com.example.notes/versions/1.0.0/status')),
    ).toMatchObject({
      review: { position: 10_000, of: 10_000 },
    });
  });
});
