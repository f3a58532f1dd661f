import { expect, it } from 'vitest';
import { dumpOf } from '../../support/database.ts';
import { openPublisherStore } from '../../support/people.ts';
import { bodyOf } from '../../support/test-store.ts';

const ME = '/api/people/me';
const CANARY = 'Zanzibara Quillfeather';
const ADDRESS = 'zanzibara@canary.example';

/** A store with a published app, and carl, who calls himself and writes as no other text does. */
async function opened() {
  const store = await openPublisherStore();
  const { carl } = store.sessions;
  const asCarl = (method: string, path: string, json?: unknown) =>
    store.call(method, path, { session: carl, ...(json !== undefined && { json }) });
  await store.stores.people.change('carl', { email: ADDRESS, emailVerified: true });
  expect((await asCarl('PATCH', ME, { name: CANARY })).status).toBe(200);
  const { token } = await bodyOf(store.admin('POST', '/api/admin/tokens', { publisher: 'acme' }));
  await store.publish(token, { id: 'com.acme.notes', publisher: 'acme' });
  await store.decide('approve', '1.0.0', undefined, 'com.acme.notes');
  return { ...store, asCarl };
}

it('an export has what a user did; a deleted account leaves no text of it in any table', async () => {
  const { asCarl, as, call, admin, stores, folder, roster, advance, prove, sessions, clock } = await opened();
  await as('anna', 'POST', '/invitations', { role: 'member', email: ADDRESS });
  const report = { category: 'spam', evidence: `Written by ${CANARY}` };
  await asCarl('POST', '/api/apps/com.acme.notes/reports', report);
  advance(60_000);
  await prove(sessions.carl);
  await asCarl('POST', `${ME}/tokens`, { name: `laptop of ${CANARY}` });
  const at = { createdAt: clock().toISOString(), lastUsedAt: null };
  const passkey = { id: 'one', personId: 'carl', label: `Phone of ${CANARY}`, publicKey: 'x', ...at };
  await stores.passkeys.add({ ...passkey, counter: 0, transports: [] });
  await asCarl('PATCH', `${ME}/passkeys/one`, { label: `Key of ${CANARY}` });
  const identity = { id: 'work', personId: 'carl', issuer: 'https://id.example/', subject: 's' };
  await stores.identities.add({ ...identity, label: ADDRESS, createdAt: at.createdAt });
  await asCarl('DELETE', `${ME}/identities/work`);
  // Mails about the account wait to be sent.
  expect(await stores.mails.to(ADDRESS, 9)).not.toEqual([]);
  const installId = 'installation-1234567890';
  await asCarl('GET', '/api/apps/com.acme.notes/versions/1.0.0/bundle');
  await call('GET', '/api/apps/com.acme.notes/versions/1.0.0/bundle', {
    headers: { 'x-svc-install-id': installId },
  });
  const review = { rating: 2, title: CANARY, body: `Mail ${ADDRESS}`, installId };
  expect((await asCarl('PUT', '/api/apps/com.acme.notes/reviews/mine', review)).status).toBe(200);
  const data = await bodyOf(asCarl('GET', `${ME}/export`));
  expect(data).toMatchObject({
    account: { name: CANARY, email: ADDRESS },
    reviews: [{ title: CANARY }],
    tokens: [{ name: `laptop of ${CANARY}` }],
  });
  expect(data.events.map(({ action }: { action: string }) => action)).toContain('person.change');
  expect(JSON.stringify(data)).not.toMatch(/hash|csrf|svc[dp]_/);
  expect((await asCarl('DELETE', ME)).status).toBe(200);
  expect((await asCarl('GET', ME)).status).toBe(401);
  expect((await bodyOf(call('GET', '/api/apps/com.acme.notes'))).rating.count).toBe(0);
  expect(await roster()).toEqual({ anna: 'owner', ben: 'member' });
  expect(await stores.people.find('carl')).toMatchObject({ name: 'Deleted account', email: null });
  const dump = (await dumpOf(folder)).toLowerCase();
  expect(dump).toContain('com.acme.notes');
  for (const text of ['quillfeather', 'zanzibara', 'canary.example']) expect(dump).not.toContain(text);
  expect((await admin('GET', '/api/admin/audit?action=person.delete')).status).toBe(200);
});

it('the last owner of a publisher and the last administrator stay', async () => {
  const { as, call, sessions, signedIn } = await opened();
  const leave = (session: (typeof sessions)['anna']) => bodyOf(call('DELETE', ME, { session }));
  expect(await leave(sessions.anna)).toMatchObject({ code: 'last_owner' });
  const root = await signedIn('root', { role: 'administrator' });
  expect(await leave(root)).toMatchObject({ code: 'forbidden' });
  await as('anna', 'PATCH', '/members/ben', { role: 'owner' });
  expect(await leave(sessions.anna)).toMatchObject({ deleted: true });
});

it('10,000 recorded events are exported in less than a second', async () => {
  const { stores } = await opened();
  const events = Array.from({ length: 10_000 }, (_, n) => ({
    action: 'session.end' as const,
    detail: { session: `s-${n}` },
  }));
  await stores.audit.addAll(
    { name: 'person:carl', from: { address: null, requestId: null } } as never,
    '2026-01-01T00:00:00.000Z',
    events,
  );
  const begin = performance.now();
  const text = JSON.stringify(await stores.leaving.records('carl'));
  const ms = performance.now() - begin;
  expect(text).toContain('s-9999');
  expect(ms).toBeLessThan(1_000);
});
