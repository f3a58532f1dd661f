import { describe, expect, it } from 'vitest';
import { contentsOf, onPostgres, tamper } from '../../../support/database.ts';
import { bodyOf, openTestStore, type TestStore } from '../../../support/test-store.ts';

const APP = 'com.example.notes';
const VERSION = { appId: APP, version: '1.0.0', publisher: 'example' };

/** All entries of the audit log, oldest first. */
// biome-ignore lint/suspicious/noExplicitAny: tests compare parts of many kinds of entries
async function entriesOf(store: TestStore): Promise<any[]> {
  const { entries, nextCursor } = await bodyOf(store.admin('GET', '/api/admin/audit'));
  expect(nextCursor).toBeNull();
  return entries.toReversed();
}

/** A store with a published version, and a token of its publisher. */
async function published() {
  const store = await openTestStore();
  const token = await store.publisherToken('example', true);
  await store.publish(token);
  await store.decide('approve', '1.0.0', { note: 'Fine.' });
  return { store, token };
}

describe('an action', () => {
  it('is recorded with its actor, subject, time and request id', async () => {
    const { store, token } = await published();
    store.advance(60_000);
    const yank = await store.call('POST', `/api/apps/${APP}/versions/1.0.0/yank`, {
      token,
      json: { reason: 'Broken.' },
    });
    await store.admin('POST', `/api/admin/apps/${APP}/versions/1.0.0/unyank`, { reason: 'Fixed.' });
    await store.publish(token, { version: '1.1.0', grants: ['files:receive', 'files:return'] });
    await store.decide('reject', '1.1.0', { note: 'Why?' });
    await store.publish(token, { version: '1.2.0', grants: ['files:receive', 'files:return'] });
    await store.call('POST', `/api/apps/${APP}/versions/1.2.0/withdraw`, { token });
    await store.admin('PATCH', `/api/admin/apps/${APP}`, { suspended: true });
    await store.admin('PATCH', `/api/admin/apps/${APP}`, { suspended: false });
    await store.admin('PATCH', '/api/admin/publishers/example', { suspended: true });

    const entries = await entriesOf(store);
    const admin = { actor: 'automation', tokenId: null, requestId: expect.any(String) };
    const tokenId = entries[1].tokenId;
    const developer = { actor: 'publisher:example', tokenId, requestId: expect.any(String) };
    const signer = { actor: 'signer', tokenId: null, address: null, requestId: null };
    const sha256 = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(entries).toMatchObject([
      {
        ...admin,
        at: '2026-03-01T12:00:00.000Z',
        action: 'publisher.create',
        publisher: 'example',
        detail: { name: 'The example', verified: true },
      },
      {
        ...admin,
        tokenId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        action: 'token.issue',
        publisher: 'example',
        detail: { scopes: expect.any(Array), expiresAt: '2026-05-30T12:00:00.000Z' },
      },
      {
        ...developer,
        ...VERSION,
        action: 'version.submit',
        detail: { sha256, size: expect.any(Number) },
      },
      { ...admin, ...VERSION, action: 'version.approve', detail: { note: 'Fine.' } },
      {
        ...signer,
        ...VERSION,
        action: 'version.publish',
        detail: { sha256, keyId: store.keyId },
      },
      {
        ...developer,
        ...VERSION,
        at: '2026-03-01T12:01:00.000Z',
        action: 'version.yank',
        requestId: yank.headers.get('x-request-id'),
        detail: { reason: 'Broken.' },
      },
      { ...admin, ...VERSION, action: 'version.unyank', detail: { reason: 'Fixed.' } },
      { ...developer, ...VERSION, version: '1.1.0', action: 'version.submit' },
      { ...admin, ...VERSION, version: '1.1.0', action: 'version.reject', detail: { note: 'Why?' } },
      { ...developer, ...VERSION, version: '1.2.0', action: 'version.submit' },
      { ...developer, ...VERSION, version: '1.2.0', action: 'version.withdraw', detail: {} },
      { ...admin, appId: APP, version: null, publisher: 'example', action: 'app.suspend' },
      { ...admin, appId: APP, version: null, publisher: 'example', action: 'app.unsuspend' },
      {
        ...admin,
        appId: null,
        action: 'publisher.suspend',
        publisher: 'example',
        detail: {},
      },
    ]);
    const ids = entries.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
  });

  it('is not recorded when it is refused', async () => {
    const { store, token } = await published();
    const before = await entriesOf(store);
    const address = `/api/apps/${APP}/versions/1.0.0`;
    const refused = [
      store.publish(token),
      store.upload(token, Buffer.from('no zip')),
      store.decide('approve', '1.0.0'),
      store.decide('reject', '9.9.9', { note: 'No.' }),
      store.call('POST', `${address}/withdraw`, { token }),
      store.call('POST', `${address}/yank`, { token, json: { reason: '' } }),
      store.call('POST', `${address}/yank`, { json: { reason: 'Mine.' } }),
      store.admin('POST', `/api/admin/apps/${APP}/versions/1.0.0/unyank`, { reason: 'No.' }),
      store.admin('PATCH', '/api/admin/apps/com.example.none', { suspended: true }),
      store.admin('PATCH', '/api/admin/publishers/none', { suspended: true }),
      store.admin('POST', '/api/admin/publishers', { slug: 'example', name: 'Again' }),
      store.admin('POST', '/api/admin/tokens', { publisher: 'none' }),
      store.call('POST', '/api/admin/tokens', { token, json: { publisher: 'example' } }),
    ];
    for (const { status } of await Promise.all(refused)) expect(status).toBeGreaterThanOrEqual(400);
    expect(await entriesOf(store)).toEqual(before);
  });

  it('is rolled back when it cannot be recorded', async () => {
    const { store, token } = await published();
    await store.publish(token, { version: '2.0.0', grants: ['files:receive', 'files:return'] });
    await store.close();
    const raise = onPostgres()
      ? [
          `create function no_room() returns trigger language plpgsql as $$ begin raise exception 'no room'; end $$`,
          'create trigger in_the_way before insert on audit_log for each row execute function no_room()',
        ]
      : [`create trigger in_the_way before insert on audit_log begin select raise(abort, 'no room'); end`];
    for (const statement of raise) await tamper(store.folder, statement);
    const again = await openTestStore({ folder: store.folder });
    const address = `/api/apps/${APP}/versions/1.0.0`;
    const attempts = [
      again.decide('approve', '2.0.0'),
      again.decide('reject', '2.0.0', { note: 'No.' }),
      again.call('POST', `/api/apps/${APP}/versions/2.0.0/withdraw`, { token }),
      again.call('POST', `${address}/yank`, { token, json: { reason: 'Broken.' } }),
      again.publish(token, { version: '3.0.0' }),
      again.admin('PATCH', `/api/admin/apps/${APP}`, { suspended: true }),
      again.admin('PATCH', '/api/admin/publishers/example', { suspended: true }),
      again.admin('POST', '/api/admin/publishers', { slug: 'other', name: 'Other' }),
      again.admin('POST', '/api/admin/tokens', { publisher: 'example' }),
    ];
    for (const { status } of await Promise.all(attempts)) expect(status).toBe(500);
    await again.close();
    const undo = onPostgres()
      ? ['drop trigger in_the_way on audit_log', 'drop function no_room()']
      : ['drop trigger in_the_way'];
    for (const statement of undo) await tamper(store.folder, statement);

    const well = await openTestStore({ folder: store.folder });
    const statusOf = async (version: string) =>
      bodyOf(well.call('GET', `/api/apps/${APP}/versions/${version}/status`));
    expect(await statusOf('1.0.0')).toMatchObject({ status: 'published' });
    expect(await statusOf('2.0.0')).toMatchObject({ status: 'in_review' });
    expect(await statusOf('3.0.0')).toMatchObject({ httpStatus: 404 });
    expect(await bodyOf(well.call('GET', '/api/apps/catalog'))).toMatchObject({ total: 1 });
    expect((await well.admin('PATCH', '/api/admin/publishers/other', { verified: true })).status).toBe(404);
    expect((await well.publish(token, { version: '3.0.0' })).status).toBe(201);
  });

  it('is recorded once when 20 requests attempt it at once', async () => {
    const { store, token } = await published();
    const tries = Array.from({ length: 20 }, () =>
      store.call('POST', `/api/apps/${APP}/versions/1.0.0/yank`, { token, json: { reason: 'Broken.' } }),
    );
    const done = (await Promise.all(tries)).filter(({ status }) => status === 200);
    expect(done).toHaveLength(1);
    const yanks = (await entriesOf(store)).filter(({ action }) => action === 'version.yank');
    expect(yanks).toMatchObject([{ requestId: done[0]?.headers.get('x-request-id') }]);
  });
});

describe('an audit entry', () => {
  it('stores hostile text as data, cut at 2,000 characters', async () => {
    const store = await openTestStore();
    const name = 'A {"level":60}';
    const website = `https://example.com/\u0000\u001b[2J\ud800${'x'.repeat(50_000)}`;
    const made = await store.admin('POST', '/api/admin/publishers', { slug: 'evil', name, website });
    expect(made.status).toBe(201);
    const [entry] = await entriesOf(store);
    expect(entry.detail).toEqual({
      name,
      website: website.toWellFormed().slice(0, 2_000),
      verified: false,
    });
  });

  it('contains no token and no hash of a token', async () => {
    const { store, token } = await published();
    const { createHash } = await import('node:crypto');
    const text = JSON.stringify(await entriesOf(store));
    expect(text).toContain('token.issue');
    expect(text).not.toContain(token);
    expect(text).not.toContain(createHash('sha256').update(token).digest('hex'));
    expect(text).not.toContain(token.slice(5, 20));
  });

  it('cannot be changed or deleted by statements in the database', async () => {
    const { store } = await published();
    const before = await entriesOf(store);
    await store.close();
    const columns = '(id, at, actor, action, detail_json)';
    const values = `values (${before[0].id}, '', 'nobody', 'key.rotate', '{}')`;
    const attempts = [
      `update audit_log set actor = 'nobody'`,
      // Only an account that is deleted takes its address and its name with it.
      `update audit_log set address = null, detail_json = '{}'`,
      `update audit_log set address = '192.0.2.1'`,
      'delete from audit_log',
      `delete from audit_log where id = ${before[0].id}`,
      ...(onPostgres()
        ? [
            'truncate audit_log',
            'truncate audit_log restart identity cascade',
            `insert into audit_log ${columns} ${values}`,
            `insert into audit_log ${columns} overriding system value ${values}
              on conflict (id) do update set actor = 'nobody'`,
          ]
        : [
            `insert or replace into audit_log ${columns} ${values}`,
            'update audit_log set id = id + 1000',
            `replace into audit_log ${columns} ${values}`,
            `update or replace audit_log set id = ${before[1].id} where id = ${before[0].id}`,
            `insert into audit_log ${columns} ${values} on conflict (id) do update set actor = 'nobody'`,
          ]),
    ];
    for (const statement of attempts) {
      await expect(tamper(store.folder, statement), statement).rejects.toThrow(
        /audit log only grows|non-DEFAULT value/,
      );
    }
    expect(await contentsOf(store.folder)).not.toContain('nobody');
    const again = await openTestStore({ folder: store.folder });
    expect(await entriesOf(again)).toEqual(before);
  });
});
