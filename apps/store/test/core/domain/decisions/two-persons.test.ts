import type { LogEntry } from '@svc/contracts';
import { BOTH_DATABASES, runs } from '@svc/testkit';
import { expect, it } from 'vitest';
import { needsExtension } from '../../../support/extensions.ts';
import { openModeratedStore, reviewPath } from '../../../support/moderated-store.ts';
import { bodyOf } from '../../../support/test-store.ts';

const APPEALS = needsExtension('appeals');
const EMERGENCIES = needsExtension('emergencies');

const APP = 'com.example.notes';
const ROUNDS = runs(10);
const unyankPath = (version = '1.0.0') => `/api/admin/apps/${APP}/versions/${version}/unyank`;

/** A store whose policy demands two persons, by default for the app of the tests, with two administrators beside the moderators. */
async function opened({
  twoPersons = { apps: [APP] },
  verified = false,
  ...policy
}: {
  twoPersons?: object;
  verified?: boolean;
  [key: string]: unknown;
} = {}) {
  const store = await openModeratedStore({ policy: { twoPersons, ...policy } });
  const token = await store.publisherToken('example', verified);
  const root = await store.signedIn('root', { role: 'administrator' });
  const rita = await store.signedIn('rita', { role: 'administrator' });
  const sessions = { ...store.sessions, root, rita };
  type Who = keyof typeof sessions | 'admin';
  const post = (who: Who, path: string, json: unknown = {}) =>
    bodyOf(
      who === 'admin'
        ? store.admin('POST', path, json)
        : store.call('POST', path, { session: sessions[who], json }),
    );
  const approve = (who: Who, json: unknown = {}, version = '1.0.0') =>
    post(who, `${reviewPath(version)}/approve`, json);
  const review = () => bodyOf(store.as('ben', 'GET', reviewPath()));
  const entries = async (kind: LogEntry['kind']) => {
    const rows = await store.stores.db
      .selectFrom('log_entries')
      .select('entry')
      .where('kind', '=', kind)
      .execute();
    return rows.map(({ entry }) => JSON.parse(entry) as LogEntry & { by: string[] });
  };
  const audited = async (action: string) =>
    (await bodyOf(store.admin('GET', `/api/admin/audit?action=${action}`))).entries;
  return { ...store, token, post, approve, review, entries, audited };
}

type Opened = Awaited<ReturnType<typeof opened>>;

it('a version is published by the second of two moderators; both are in the log and in the audit log', async () => {
  const { publish, token, approve, review, entries, audited, as } = await opened();
  await publish(token);
  expect((await review()).twoPersons).toEqual({ first: null });
  // The lock of the first must not hold up the second.
  await as('anna', 'POST', `${reviewPath()}/lock`, {});
  expect(await approve('anna', { note: 'Read it.' })).toMatchObject({ httpStatus: 200, status: 'in_review' });
  const shown = await review();
  expect(shown).toMatchObject({ status: 'in_review', names: { 'person:anna': 'anna' } });
  expect(shown.twoPersons).toEqual({ first: { by: 'person:anna', act: 'approve' } });
  expect(await entries('published')).toEqual([]);
  expect(await approve('anna')).toMatchObject({ httpStatus: 403, code: 'forbidden' });
  expect(await approve('admin')).toMatchObject({ httpStatus: 403, code: 'forbidden' });
  expect(await approve('ben')).toMatchObject({ httpStatus: 200, status: 'published' });
  const [published] = await entries('published');
  expect(new Set(published?.by).size).toBe(2);
  expect(await audited('version.first')).toMatchObject([
    { actor: 'person:anna', appId: APP, version: '1.0.0', detail: { act: 'approve', note: 'Read it.' } },
  ]);
  expect(await audited('version.approve')).toMatchObject([
    { actor: 'person:ben', detail: { first: 'person:anna' } },
  ]);
  const { moves } = await review();
  expect(moves).toContainEqual(
    expect.objectContaining({ to: 'approved', by: 'person:ben', first: 'person:anna' }),
  );
});

it(`of second approvals at the same time one decides, and of first ones one is the first, ${ROUNDS} times`, {
  ...BOTH_DATABASES,
  timeout: 60_000,
}, async () => {
  const { publish, token, approve, entries, advance } = await opened();
  for (let round = 1; round <= ROUNDS; round += 1) {
    const version = `1.${round}.0`;
    advance(60_000);
    await publish(token, { version });
    if (round % 2 === 0) await approve('anna', {}, version);
    const answers = await Promise.all([approve('ben', {}, version), approve('root', {}, version)]);
    const statuses = answers.map(({ httpStatus, status }) => `${httpStatus} ${status}`).sort();
    const expected = round % 2 === 0 ? [/^200 published$/, /^409 /] : [/^200 in_review$/, /^200 published$/];
    expect(statuses).toEqual(expected.map((words) => expect.stringMatching(words)));
  }
  const published = await entries('published');
  expect(published.map(({ by }) => new Set(by).size)).toEqual(Array(ROUNDS).fill(2));
});

it.each([
  ['an app', { apps: [APP] }],
  ['a publisher', { publishers: ['example'] }],
  ['a permission', { permissions: ['files:receive'] }],
])('named by %s, an update of a verified publisher waits too', async (_of, twoPersons) => {
  const { publish, token, approve, call } = await opened({
    twoPersons,
    verified: true,
    skipReview: ['example'],
  });
  const first = await bodyOf(publish(token));
  expect(first).toMatchObject({ status: 'in_review', reasons: ['flagged:two-persons'] });
  await approve('anna');
  expect(await approve('ben')).toMatchObject({ status: 'published' });
  const update = await bodyOf(publish(token, { version: '1.1.0' }));
  expect(update).toMatchObject({ status: 'in_review', reasons: ['flagged:two-persons'] });
  expect((await bodyOf(call('GET', '/api/apps/catalog'))).apps).toMatchObject([{ version: '1.0.0' }]);
});

it('what the policy does not name needs one', async () => {
  const twoPersons = { apps: ['com.example.other'], publishers: ['other'], permissions: ['accounts'] };
  const { publish, token, approve, review, entries } = await opened({ twoPersons });
  await publish(token);
  expect((await review()).twoPersons).toBeNull();
  expect(await approve('anna')).toMatchObject({ status: 'published' });
  expect((await entries('published'))[0]?.by).toHaveLength(1);
});

it.each([
  ['suspended', (store: Opened) => store.stores.people.change('anna', { suspended: true })],
  ['without the role', (store: Opened) => store.stores.people.change('anna', { role: 'person' })],
  [
    'a member of the publisher',
    (store: Opened) =>
      store.stores.members.add({ publisher: 'example', personId: 'anna', role: 'member', since: 'now' }),
  ],
  [
    'suspended for some time',
    async ({ stores: { people } }: Opened) => {
      await people.change('anna', { suspended: true });
      return people.change('anna', { suspended: false });
    },
  ],
  ['in a recovered account', ({ stores: { people } }: Opened) => people.recover('anna', '2026-01-01')],
] as const)('the approval of a moderator who is %s by then does not count', async (_what, change) => {
  const store = await opened();
  await store.publish(store.token);
  await store.approve('anna');
  await change(store);
  expect((await store.review()).twoPersons).toEqual({ first: null });
  expect(await store.approve('ben')).toMatchObject({ status: 'in_review' });
  expect(await store.approve('root')).toMatchObject({ status: 'published' });
});

it(
  'a rejection needs one, and ends the first approval, also for a version that returns with an appeal',
  APPEALS,
  async () => {
    const store = await opened();
    const { publish, token, approve, post, review, signedIn, call } = store;
    await publish(token);
    await approve('anna');
    expect(await post('ben', `${reviewPath()}/reject`, { note: 'No.' })).toMatchObject({
      status: 'rejected',
    });
    const owner = await signedIn('owner', { membership: { example: 'owner' } });
    const { decisions } = await bodyOf(call('GET', '/api/publishers/example/decisions', { session: owner }));
    const json = { text: 'It answers.' };
    await call('POST', `/api/publishers/example/decisions/${decisions[0].id}/messages`, {
      session: owner,
      json,
    });
    const reversed = { outcome: 'reversed', note: 'Right.' };
    expect(await post('anna', `/api/moderation/appeals/${decisions[0].id}/decide`, reversed)).toMatchObject({
      httpStatus: 200,
    });
    expect(await review()).toMatchObject({ status: 'in_review', twoPersons: { first: null } });
  },
);

it('a first approval of other tools than those of the second does not count', async () => {
  const { publish, token, approve } = await opened();
  await publish(token);
  await approve('anna', { toolsRecordedAt: null });
  const toolsRecordedAt = '2026-01-01T00:00:00.000Z';
  expect(await approve('ben', { toolsRecordedAt })).toMatchObject({ status: 'in_review' });
  expect(await approve('root', { toolsRecordedAt })).toMatchObject({ status: 'published' });
});

it('one moderator yanks; two administrators undo it', async () => {
  const { publish, token, approve, post, entries, audited } = await opened();
  await publish(token);
  await approve('anna');
  await approve('ben');
  const yank = `/api/apps/${APP}/versions/1.0.0/yank`;
  expect(await post('anna', yank, { reason: 'Leaks.', rule: 'malicious' })).toMatchObject({
    status: 'yanked',
  });
  const reason = { reason: 'It does not.' };
  expect(await post('admin', unyankPath(), reason)).toMatchObject({ httpStatus: 403 });
  expect(await post('root', unyankPath(), reason)).toMatchObject({ httpStatus: 200, status: 'yanked' });
  expect(await post('root', unyankPath(), reason)).toMatchObject({ httpStatus: 403 });
  expect(await post('rita', unyankPath(), reason)).toMatchObject({ httpStatus: 200, status: 'published' });
  const [[yanked], [undone]] = [await entries('yanked'), await entries('undone')];
  expect([yanked?.by.length, new Set(undone?.by).size]).toEqual([1, 2]);
  expect(await audited('version.unyank')).toMatchObject([{ detail: { first: 'person:root' } }]);
  // Yanked again, it needs two again.
  await post('anna', yank, { reason: 'Leaks.', rule: 'malicious' });
  expect(await post('rita', unyankPath(), reason)).toMatchObject({ status: 'yanked' });
});

it(
  'an emergency is undone by one administrator, but its versions that need two stay yanked',
  EMERGENCIES,
  async () => {
    const { publish, token, approve, post, audited } = await opened();
    await publish(token);
    await approve('anna');
    await approve('ben');
    await publish(token, { id: 'com.example.other', name: 'Weather' });
    await post('ben', `${reviewPath('1.0.0', 'com.example.other')}/approve`);
    const { id } = await post('root', '/api/admin/emergencies', { publisher: 'example', reason: 'Leaks.' });
    expect(await post('root', `/api/admin/emergencies/${id}/undo`, { reason: 'A mistake.' })).toMatchObject({
      state: 'undone',
    });
    const [undone] = await audited('emergency.undo');
    expect(undone.detail).toMatchObject({ versionsPublished: 1, versionsKept: 1 });
    expect(await post('root', unyankPath(), { reason: 'It does not.' })).toMatchObject({ status: 'yanked' });
    expect(await post('rita', unyankPath(), { reason: 'It does not.' })).toMatchObject({
      status: 'published',
    });
  },
);

it('an appeal against a yank is reversed by the second administrator only', APPEALS, async () => {
  const { publish, token, approve, post, signedIn, call } = await opened();
  await publish(token);
  await approve('anna');
  await approve('ben');
  await post('anna', `/api/apps/${APP}/versions/1.0.0/yank`, { reason: 'Leaks.', rule: 'malicious' });
  const owner = await signedIn('owner', { membership: { example: 'owner' } });
  const { decisions } = await bodyOf(call('GET', '/api/publishers/example/decisions', { session: owner }));
  const [{ id }] = decisions;
  const json = { text: 'It does not.' };
  await call('POST', `/api/publishers/example/decisions/${id}/messages`, { session: owner, json });
  const reversed = { outcome: 'reversed', note: 'Right.' };
  const decide = (who: 'root' | 'rita') => post(who, `/api/moderation/appeals/${id}/decide`, reversed);
  expect(await decide('root')).toMatchObject({ httpStatus: 403, code: 'forbidden' });
  // The refused decision was no first approval.
  expect(await decide('rita')).toMatchObject({ httpStatus: 403 });
  await post('root', unyankPath(), { reason: 'Right.' });
  expect(await decide('rita')).toMatchObject({ httpStatus: 200, appeal: { state: 'reversed' } });
});

it('confirmed by its publisher, a version still waits for two', async () => {
  const { publish, token, call, signedIn, prove, stores, review } = await opened({
    verified: true,
    confirmUploads: 'always',
  });
  await publish(token);
  const sha256 = (await stores.versions.find({ appId: APP, version: '1.0.0' }))?.sha256;
  const owner = await signedIn('owner', { membership: { example: 'owner' } });
  await prove(owner);
  const path = `/api/apps/${APP}/versions/1.0.0/confirm`;
  const confirmed = await bodyOf(call('POST', path, { session: owner, json: { sha256 } }));
  expect(confirmed).toMatchObject({ httpStatus: 200, status: 'in_review' });
  expect((await review()).reasons).toContain('flagged:two-persons');
});
