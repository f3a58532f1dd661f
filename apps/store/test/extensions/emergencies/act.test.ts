import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BOTH_DATABASES, DEEP } from '@svc/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { jobMover } from '../../../src/core/domain/versions/changes.ts';
import { bodyOf, jsonOf, openTestStore } from '../../support/test-store.ts';

const REASON = 'It sends notes to a stranger.';
const EMERGENCIES = '/api/admin/emergencies';

async function policyFile(emergencyInstalls: number) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-policy-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'policy.json');
  await writeFile(file, JSON.stringify({ emergencyInstalls }));
  return file;
}

/** The publisher `bad` with two apps of one and two published versions, one app in review, and an app of another publisher that needs it. */
async function opened(options: Parameters<typeof openTestStore>[0] = {}) {
  const store = await openTestStore(options);
  const token = await store.publisherToken('bad', true);
  const other = await store.publisherToken('other', true);
  const approve = async (by: string, manifest: { id: string; version?: string; [key: string]: unknown }) => {
    const { id, version = '1.0.0' } = manifest;
    await store.publish(by, { version, ...manifest });
    await store.admin('POST', `/api/moderation/apps/${id}/versions/${version}/approve`, {});
  };
  await approve(token, { id: 'com.bad.one', name: 'First app', publisher: 'bad' });
  await approve(token, { id: 'com.bad.one', name: 'First app', publisher: 'bad', version: '1.1.0' });
  await approve(token, { id: 'com.bad.two', name: 'Second tool', publisher: 'bad' });
  await store.publish(token, { id: 'com.bad.three', name: 'Third thing', publisher: 'bad' });
  const requires = { apps: [{ id: 'com.bad.one', reason: 'It shows its notes.' }] };
  await approve(other, { id: 'com.other.needs', name: 'Needs it', publisher: 'other', requires });
  const owner = await store.signedIn('owner', { membership: { bad: 'owner' } });
  const admins = {
    one: await store.signedIn('one', { role: 'administrator' }),
    two: await store.signedIn('two', { role: 'administrator' }),
  };
  const as = (name: keyof typeof admins, path: string, json?: unknown) =>
    store.call('POST', EMERGENCIES + path, { session: admins[name], ...(json !== undefined && { json }) });
  const revoked = async () =>
    (await bodyOf(store.call('GET', '/api/apps/revocations'))).entries.map(
      ({ appId, version }: { appId: string; version: string }) => `${appId} ${version}`,
    );
  const listed = async () =>
    (await bodyOf(store.call('GET', '/api/apps/catalog'))).apps.map(({ appId }: { appId: string }) => appId);
  return { ...store, token, owner, admins, as, revoked, listed };
}

it(
  'emergencies are shown with names and icons: a preview, and those of the past',
  BOTH_DATABASES,
  async () => {
    const store = await opened();
    const app = { name: 'First app', version: '1.1.0' };
    const preview = (query: string) => bodyOf(store.admin('GET', `${EMERGENCIES}/preview?${query}`));
    expect(await preview('appId=com.bad.one')).toMatchObject({ app });
    expect(await preview('publisher=bad')).toMatchObject({ app: null });
    await store.as('one', '', { appId: 'com.bad.one', reason: REASON });
    await store.as('one', '', { publisher: 'other', reason: REASON });
    const { names, apps } = await bodyOf(store.admin('GET', EMERGENCIES));
    expect(apps).toEqual({ 'com.bad.one': app });
    expect(Object.keys(names).sort()).toEqual(['person:one', 'publisher:bad', 'publisher:other']);
  },
);

describe('the people behind a publisher that was stopped', () => {
  it(
    'may be suspended with it, each as chosen, and come back when it is undone',
    BOTH_DATABASES,
    async () => {
      const store = await opened();
      await store.signedIn('helper', { membership: { bad: 'member' } });
      await store.signedIn('stranger', { membership: { other: 'owner' } });
      const { people } = await bodyOf(store.admin('GET', `${EMERGENCIES}/preview?publisher=bad`));
      expect(people).toMatchObject([
        { id: 'helper', role: 'member', suspended: false },
        { id: 'owner', role: 'owner', suspended: false },
      ]);
      const stop = (suspendMembers: string[]) =>
        bodyOf(store.as('one', '', { publisher: 'bad', reason: REASON, suspendMembers }));
      expect(await stop(['stranger'])).toMatchObject({ httpStatus: 404 });
      const done = await stop(['owner', 'owner']);
      expect(done.effects.membersSuspended).toEqual(['owner']);
      const isSuspended = async (id: string) => (await store.stores.people.find(id))?.suspended;
      expect([await isSuspended('owner'), await isSuspended('helper')]).toEqual([true, false]);
      await store.as('two', `/${done.id}/undo`, { reason: 'A mistake.' });
      expect(await isSuspended('owner')).toBe(false);
      // A suspension of another day stays.
      const again = await stop(['helper']);
      await store.admin('PATCH', '/api/admin/people/helper', { suspended: false });
      store.advance(60_000);
      await store.admin('PATCH', '/api/admin/people/helper', { suspended: true, reason: 'Spam' });
      await store.as('two', `/${again.id}/undo`, { reason: 'A mistake.' });
      expect(await isSuspended('helper')).toBe(true);
    },
  );

  it('are known under another publisher: their version waits, and the moderator sees their record', async () => {
    const store = await opened();
    const review = (id: string) => bodyOf(store.admin('GET', `/api/moderation/apps/${id}/versions/1.0.0`));
    const token = await store.publisherToken('fresh', true);
    await store.signedIn('owner', { membership: { fresh: 'owner' } });
    const publish = (id: string) =>
      bodyOf(store.publish(token, { id, name: `App ${id}`, publisher: 'fresh' }));
    expect((await publish('com.fresh.one')).reasons).not.toContain('flagged:people.stopped');
    await store.as('one', '', { publisher: 'bad', reason: REASON });
    // The same person, a minute later, under another name.
    const again = await store.admin('POST', '/api/admin/tokens', { publisher: 'fresh' });
    const { token: next } = await jsonOf<{ token: string }>(again);
    const second = await bodyOf(
      store.publish(next, { id: 'com.fresh.two', name: 'First app', publisher: 'fresh' }),
    );
    expect(second.reasons).toEqual(
      expect.arrayContaining(['flagged:people.stopped', 'flagged:lookalike.name']),
    );
    expect((await review('com.fresh.two')).people).toMatchObject({
      ...{ publishers: ['fresh', 'bad'], approved: 2, rejected: 0, yanked: 3 },
      stopped: [{ publisher: 'bad', appId: null }],
    });
    // No other member was stopped.
    expect((await review('com.other.needs')).people).toMatchObject({ publishers: ['other'], stopped: [] });
  });
});

const download = (store: Awaited<ReturnType<typeof opened>>, app: string, id: string) =>
  store.call('GET', `/api/apps/${app}/versions/1.0.0/bundle`, { headers: { 'x-svc-install-id': id } });

const ALL = ['com.bad.one 1.0.0', 'com.bad.one 1.1.0', 'com.bad.two 1.0.0'];

describe('an emergency', () => {
  it('shows before what it reaches, and changes nothing', async () => {
    const store = await opened();
    await download(store, 'com.bad.one', 'installation-number-1');
    await store.writeInstalls();
    const preview = await bodyOf(store.admin('GET', `${EMERGENCIES}/preview?publisher=bad`));
    expect(preview).toMatchObject({
      name: 'The bad',
      needsSecond: false,
      reach: {
        apps: 3,
        versions: 3,
        installs: 1,
        members: 1,
        tokens: 1,
        sessions: 1,
        dependants: [{ appId: 'com.other.needs', name: 'Needs it', publisher: 'other' }],
      },
    });
    expect(await store.revoked()).toEqual([]);
    const app = await bodyOf(store.admin('GET', `${EMERGENCIES}/preview?appId=com.bad.two`));
    expect(app.reach).toMatchObject({ apps: 1, versions: 1, dependants: [] });
    for (const query of ['', '?publisher=bad&appId=com.bad.one'])
      expect(await bodyOf(store.admin('GET', `${EMERGENCIES}/preview${query}`))).toMatchObject({
        httpStatus: 400,
      });
    expect((await store.admin('GET', `${EMERGENCIES}/preview?publisher=nobody`)).status).toBe(404);
  });

  it('yanks, suspends, revokes and signs out in one act, and is undone', BOTH_DATABASES, async () => {
    const store = await opened();
    const body = { publisher: 'bad', reason: REASON, advice: ['disconnect-accounts', 'rotate-keys'] };
    const done = await bodyOf(store.as('one', '', body));
    expect(done).toMatchObject({
      httpStatus: 201,
      state: 'done',
      effects: { versionsYanked: 3, suspended: true, tokensRevoked: 1, sessionsEnded: 1 },
    });
    // Everything is in force when the answer arrives.
    expect(await store.revoked()).toEqual(ALL);
    expect(await store.listed()).toEqual(['com.other.needs']);
    expect((await store.call('GET', '/api/developer/whoami', { token: store.token })).status).toBe(401);
    expect((await store.call('GET', '/api/people/me', { session: store.owner })).status).toBe(401);
    expect((await download(store, 'com.bad.one', 'installation-number-1')).status).toBe(410);
    const { entries } = await bodyOf(store.call('GET', '/api/apps/revocations'));
    expect(entries[0].reason).toBe(
      `${REASON} Disconnect the accounts that you connected to it. Replace the keys and passwords that you gave it.`,
    );
    const log = (await bodyOf(store.admin('GET', '/api/admin/audit?publisher=bad&limit=6'))).entries;
    expect(log.map(({ action }: { action: string }) => action)).toEqual([
      'emergency.act',
      ...Array(3).fill('version.yank'),
      'publisher.suspend',
      'version.submit',
    ]);

    const undone = await bodyOf(store.as('two', `/${done.id}/undo`, { reason: 'It was another publisher.' }));
    expect(undone).toMatchObject({ state: 'undone', undoneBy: 'person:two' });
    expect(await store.revoked()).toEqual([]);
    expect((await store.listed()).sort()).toEqual(['com.bad.one', 'com.bad.two', 'com.other.needs']);
    expect((await download(store, 'com.bad.one', 'installation-number-1')).status).toBe(200);
    // Tokens do not come back.
    expect((await store.call('GET', '/api/developer/whoami', { token: store.token })).status).toBe(401);
    expect(await bodyOf(store.as('one', `/${done.id}/undo`, { reason: 'Again.' }))).toMatchObject({
      code: 'already_handled',
    });
    const { emergencies, names } = await bodyOf(store.admin('GET', EMERGENCIES));
    expect(emergencies).toMatchObject([{ id: done.id, state: 'undone' }]);
    expect(names).toMatchObject({ 'person:one': 'one', 'person:two': 'two' });
  });

  it('keeps what others did before and after it when it is undone', async () => {
    const store = await opened();
    await store.admin('POST', '/api/apps/com.bad.two/versions/1.0.0/yank', { reason: 'Before.' });
    await store.admin('PATCH', '/api/admin/publishers/bad', { suspended: true, reason: 'Before.' });
    store.advance(1_000);
    const done = await bodyOf(store.as('one', '', { publisher: 'bad', reason: REASON }));
    expect(done.effects).toMatchObject({ versionsYanked: 2, suspended: false });
    store.advance(1_000);
    await store.admin('POST', '/api/admin/apps/com.bad.one/versions/1.0.0/unyank', { reason: 'It is fine.' });
    store.advance(1_000);
    await store.admin('POST', '/api/apps/com.bad.one/versions/1.0.0/yank', { reason: 'It is not.' });
    await store.as('one', `/${done.id}/undo`, { reason: 'A mistake.' });
    expect(await store.revoked()).toEqual(['com.bad.one 1.0.0', 'com.bad.two 1.0.0']);
    expect(await bodyOf(store.admin('GET', '/api/admin/publishers?q=bad'))).toMatchObject({
      publishers: [{ suspended: true, suspension: { reason: 'Before.' } }],
    });
  });

  it('acts on one app, and leaves the others', async () => {
    const store = await opened();
    await store.as('one', '', {
      appId: 'com.bad.two',
      reason: REASON,
      revokeTokens: false,
      endSessions: false,
    });
    expect(await store.revoked()).toEqual(['com.bad.two 1.0.0']);
    expect((await store.listed()).sort()).toEqual(['com.bad.one', 'com.other.needs']);
    expect((await store.call('GET', '/api/developer/whoami', { token: store.token })).status).toBe(200);
  });
});

describe('an emergency above the installs of the policy', () => {
  const waiting = async () => {
    const store = await opened({ policyFile: await policyFile(0) });
    await download(store, 'com.bad.one', 'installation-number-1');
    await store.writeInstalls();
    const started = await bodyOf(store.as('one', '', { publisher: 'bad', reason: REASON }));
    expect(started).toMatchObject({ httpStatus: 201, state: 'waiting', effects: null });
    expect(await store.revoked()).toEqual([]);
    return { store, id: started.id as string };
  };

  it('needs a second administrator, who is not the first and no program', async () => {
    const { store, id } = await waiting();
    expect(await bodyOf(store.as('one', `/${id}/confirm`))).toMatchObject({ code: 'forbidden' });
    expect(await bodyOf(store.admin('POST', `${EMERGENCIES}/${id}/confirm`))).toMatchObject({
      code: 'forbidden',
    });
    expect(await store.revoked()).toEqual([]);
    expect(await bodyOf(store.as('two', `/${id}/confirm`))).toMatchObject({
      state: 'done',
      decidedBy: 'person:two',
    });
    expect(await store.revoked()).toEqual(ALL);
  });

  it('is not confirmed after it was refused', async () => {
    const { store, id } = await waiting();
    expect(await bodyOf(store.as('two', `/${id}/refuse`, { reason: 'It is fine.' }))).toMatchObject({
      state: 'refused',
    });
    expect(await bodyOf(store.as('two', `/${id}/confirm`))).toMatchObject({ code: 'already_handled' });
    expect(await store.revoked()).toEqual([]);
  });

  it(
    'is carried out once when several administrators confirm, refuse and undo at the same time',
    BOTH_DATABASES,
    async () => {
      const { store, id } = await waiting();
      const session = await store.signedIn('three', { role: 'administrator' });
      const answers = await Promise.all([
        store.as('two', `/${id}/confirm`),
        store.call('POST', `${EMERGENCIES}/${id}/confirm`, { session }),
        store.as('two', `/${id}/confirm`),
        store.as('two', `/${id}/refuse`, { reason: 'No.' }),
      ]);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      const { state } = (await bodyOf(store.admin('GET', EMERGENCIES))).emergencies[0];
      expect(await store.revoked()).toEqual(state === 'done' ? ALL : []);
      const log = await bodyOf(store.admin('GET', '/api/admin/audit?action=emergency.act'));
      expect(log.entries).toHaveLength(state === 'done' ? 1 : 0);
      if (state !== 'done') return;
      const undos = await Promise.all(
        (['one', 'two', 'one'] as const).map((name) =>
          store.as(name, `/${id}/undo`, { reason: 'A mistake.' }),
        ),
      );
      expect(undos.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(await store.revoked()).toEqual([]);
    },
  );

  it('cannot be avoided by a moderator who yanks alone', async () => {
    const { store } = await waiting();
    const session = await store.signedIn('moderator', { role: 'moderator' });
    const path = '/api/apps/com.bad.one/versions/1.0.0/yank';
    expect(await bodyOf(store.call('POST', path, { session, json: { reason: 'Mine.' } }))).toMatchObject({
      code: 'forbidden',
    });
    // The publisher may, and a moderator may yank an app with fewer installs.
    expect((await store.call('POST', path, { token: store.token, json: { reason: 'Mine.' } })).status).toBe(
      200,
    );
    const other = '/api/apps/com.bad.two/versions/1.0.0/yank';
    expect((await store.call('POST', other, { session, json: { reason: 'Mine.' } })).status).toBe(200);
  });
});

describe('the time of an emergency', () => {
  it('is below two seconds for a thousand versions, with one signed list', DEEP, async () => {
    const store = await opened();
    const record = await store.stores.versions.find({ appId: 'com.bad.one', version: '1.0.0' });
    if (!record) throw new Error('There is no version.');
    const publishedAt = store.clock().toISOString();
    const { versions } = store.stores;
    for (let n = 0; n < 1_000; n += 1) {
      const ref = { appId: 'com.bad.one', version: `2.${n}.0` };
      const mover = jobMover('checker', publishedAt);
      await versions.add({ ...record, ...ref }, mover);
      await versions.move(ref, { from: 'submitted', to: 'checking' }, {}, mover);
      await versions.move(ref, { from: 'checking', to: 'approved' }, {}, mover);
      const { signature, keyId } = record;
      await versions.move(
        ref,
        { from: 'approved', to: 'published' },
        { publishedAt, signature, keyId },
        mover,
      );
    }
    const start = performance.now();
    const done = await jsonOf<{ effects: { versionsYanked: number } }>(
      store.as('one', '', { publisher: 'bad', reason: REASON }),
    );
    const ms = performance.now() - start;
    expect(done.effects.versionsYanked).toBe(1_003);
    expect(await store.revoked()).toHaveLength(1_003);
    // Far above what it takes, so that only a growth with the number of versions fails it.
    expect(ms).toBeLessThan(20_000);
    process.stderr.write(`an emergency with 1,003 versions: ${Math.round(ms)} ms\n`);
  });
});
