import type { RecoveredActs } from '@svc/contracts';
import { BOTH_DATABASES, sampleBundle } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { hashSecret } from '../../../src/platform/secret.ts';
import { browserAt } from '../../support/browser.ts';
import { has } from '../../support/extensions.ts';
import { openPublisherStore } from '../../support/people.ts';
import { bodyOf, jsonOf, twinOf } from '../../support/test-store.ts';

const DAY = 24 * 3_600_000;
const GITHUB = 'https://token.actions.githubusercontent.com';
const MAIL = { SVC_SMTP_URL: 'smtp://127.0.0.1:1', SVC_MAIL_FROM: 'store@store.test' };

/** acme of anna and the member ben. A thief with anna's session acts in her name; carl is their accomplice. */
async function opened(roles: Parameters<typeof openPublisherStore>[0] = {}) {
  const store = await openPublisherStore({ environment: MAIL, ...roles });
  const { sessions } = store;
  /** Signs both in again: sessions end in time, and proofs are old. */
  async function signIn() {
    sessions.anna = await store.signedIn('anna');
    sessions.carl = await store.signedIn('carl');
  }
  /** Makes carl a member by an invitation of anna, and an owner in one click. */
  async function bringIn() {
    await signIn();
    const session = sessions.carl;
    const made = await jsonOf<{ url: string }>(store.as('anna', 'POST', '/invitations', { role: 'member' }));
    const path = new URL(made.url).pathname;
    const form = { csrf: session.csrf };
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    await store.call('POST', path, { session, body: String(new URLSearchParams(form)), headers });
    store.advance(1_000);
    await store.as('anna', 'PATCH', `/members/${session.personId}`, { role: 'owner' });
    store.advance(1_000);
  }
  /** Recovers anna's account with a link, as its page does. @returns what it lists, and how to undo it */
  async function recover(twin: Pick<typeof store, 'call'> = store) {
    store.advance(1_000);
    await store.stores.passwords.set('anna', 'x', '2026-01-01T00:00:00.000Z');
    const { url } = await jsonOf<{ url: string }>(store.admin('POST', '/api/admin/people/anna/reset-link'));
    const key = new URL(url).searchParams.get('key') ?? '';
    const browser = browserAt(store);
    await browser.open(`/reset?key=${key}`);
    const done = await browser.submit('/reset', { key, password: 'four new words of anna' });
    const secret = browser.session() ?? '';
    const cookie = `__Host-svc-session=${secret}`;
    const session = { personId: 'anna', cookie, csrf: hashSecret(`csrf ${secret}`) };
    const list = () => jsonOf<RecoveredActs>(store.call('GET', '/api/people/me/recovery', { session }));
    const undo = (id: number, at = twin) =>
      at.call('POST', `/api/people/me/recovery/${id}/undo`, { session });
    const idOf = async (words: string) =>
      (await list()).acts.find((act) => act.words.includes(words))?.id ?? 0;
    return { done, session, list, undo, idOf };
  }
  const mailsTo = async (id: string) =>
    (await store.stores.mails.to(`${id}@example.com`, 500)).filter((one) => one.kind === 'publisher-changed');
  return { ...store, signIn, bringIn, recover, mailsTo };
}

describe('a change of who owns a publisher', () => {
  it('is mailed to all its owners, to the user concerned, and to the owner who is said to have done it', async () => {
    const store = await opened({ roles: { anna: 'owner', ben: 'owner' } });
    await store.bringIn();
    await store.as('anna', 'PATCH', '', { website: 'https://evil.example' });
    store.advance(1_000);
    await store.as('carl', 'DELETE', '/members/ben');
    const words = (mails: readonly { detail: object }[]) =>
      mails.map(({ detail }) => (detail as { action: string }).action);
    const expected = ['member.add', 'member.change', 'publisher.change'];
    expect(words(await store.mailsTo('anna'))).toEqual(expected);
    expect(words(await store.mailsTo('ben'))).toEqual(expected);
    expect(words(await store.mailsTo('carl'))).toEqual(expected);
  });

  it('is mailed also when other mails about the publisher have reached their limit', async () => {
    const store = await opened();
    const now = store.clock().toISOString();
    for (let n = 0; n < 200; n += 1) await store.stores.rateLimits.add('mail acme', now, '');
    await store.bringIn();
    expect((await store.mailsTo('anna')).length).toBe(2);
  });
});

describe('a new owner', () => {
  it('cannot remove, demote or suspend an older owner, nor hand over or delete the publisher, for 14 days', async () => {
    const store = await opened({ roles: { anna: 'owner', ben: 'member' } });
    store.advance(DAY);
    await store.bringIn();
    await store.signIn();
    const attempts = () =>
      Promise.all([
        store.as('carl', 'DELETE', '/members/anna'),
        store.as('carl', 'PATCH', '/members/anna', { role: 'member' }),
        store.as('carl', 'POST', '/transfer', { to: 'ben' }),
        store.as('carl', 'DELETE', ''),
      ]).then((all) => Promise.all(all.map(bodyOf)));
    for (const refused of await attempts())
      expect(refused).toMatchObject({
        httpStatus: 403,
        message: expect.stringContaining('less than 14 days'),
      });
    // A new owner may remove a user who became an owner after them.
    expect((await store.as('carl', 'PATCH', '/members/ben', { role: 'owner' })).status).toBe(200);
    expect(await store.roster()).toEqual({ anna: 'owner', ben: 'owner', carl: 'owner' });

    // Not one who leaves and returns either.
    store.advance(14 * DAY - 1_000);
    await store.signIn();
    await store.as('carl', 'DELETE', '/members/carl');
    await store.bringIn();
    store.advance(2_000);
    expect(await bodyOf(store.as('carl', 'DELETE', '/members/anna'))).toMatchObject({ httpStatus: 403 });
    store.advance(14 * DAY);
    await store.signIn();
    expect((await store.as('carl', 'DELETE', '/members/anna')).status).toBe(200);
  });

  it('who administers the store cannot use that against an older owner', async () => {
    const store = await opened();
    store.advance(DAY);
    const session = await store.signedIn('dora', { role: 'administrator', membership: { acme: 'owner' } });
    const admin = (method: string, path: string, json?: unknown) =>
      store.call(method, `/api/admin/${path}`, { session, ...(json !== undefined && { json }) });
    for (const answer of [
      await admin('PATCH', 'people/anna', { suspended: true, reason: 'x' }),
      await admin('DELETE', 'publishers/acme/members/anna'),
      await admin('PUT', 'publishers/acme/members/anna', { role: 'member' }),
    ])
      expect(answer.status).toBe(403);
    // One who owns nothing of it acts for the store.
    const other = await store.signedIn('emma', { role: 'administrator' });
    const suspend = { session: other, json: { suspended: true, reason: 'x' } };
    expect((await store.call('PATCH', '/api/admin/people/anna', suspend)).status).toBe(200);
  });
});

describe('a recovery', () => {
  it('leads to what was done in the name of the account, and undoes each of it', BOTH_DATABASES, async () => {
    const store = await opened({ roles: { anna: 'owner', ben: 'member' } });
    store.advance(DAY);
    await store.bringIn();
    await store.as('anna', 'DELETE', '/members/ben');
    await store.as('anna', 'PATCH', '', { website: 'https://evil.example' });
    await store.as('anna', 'POST', '/tokens', { name: 'builds' });
    const workflow = {
      ...{ appId: 'com.example.notes', repository: 'thief/notes', workflow: 'release.yml' },
      ...{ repositoryId: '1', ownerId: '2' },
    };
    if (has('ci')) await store.as('anna', 'POST', '/trusted-publishers', { issuer: GITHUB, ...workflow });
    await store.call('POST', '/api/apps/publish', {
      session: store.sessions.anna,
      body: sampleBundle({ publisher: 'acme' }) as Uint8Array<ArrayBuffer>,
      headers: { 'content-type': 'application/zip' },
    });
    store.advance(DAY);
    const left = async () => {
      const { db, tokens } = store.stores;
      const workflows = await db.selectFrom('trusted_publishers').select('id').execute();
      return [workflows.length, (await tokens.liveOf({ publisher: 'acme' }, '')).length];
    };
    expect(await left()).toEqual([has('ci') ? 1 : 0, 1]);
    const { done, list, undo, idOf } = await store.recover();
    expect(await left()).toEqual([0, 0]);
    expect(done.headers.get('location')).toBe('/account/recovery');
    const states = async () =>
      Object.fromEntries((await list()).acts.map(({ words, state }) => [words, state]));
    const open = {
      'made "carl" an owner': 'open',
      'made "carl" a member': 'open',
      'removed "ben" from the members': 'open',
      'changed the website to https://evil.example': 'open',
      'uploaded a version: com.example.notes 1.0.0': 'open',
    };
    expect(await states()).toMatchObject({
      ...open,
      'created a token': 'ended',
      ...(has('ci') && {
        'let the CI workflow GitHub thief/notes, release.yml publish com.example.notes': 'ended',
      }),
      'invited a member': 'ended',
    });
    const letters = await store.stores.mails.to('anna@example.com', 500);
    expect(letters.map(({ kind }) => kind)).toContain('account-recovered');

    for (const words of Object.keys(open).filter((one) => one !== 'made "carl" an owner'))
      expect([words, (await undo(await idOf(words))).status]).toEqual([words, 200]);
    expect(await states()).toMatchObject(
      Object.fromEntries(Object.keys(open).map((words) => [words, 'ended'])),
    );
    expect(await store.roster()).toEqual({ anna: 'owner', ben: 'member' });
    expect(await store.stores.publishers.find('acme')).toMatchObject({ website: 'https://acme.example' });
    const ref = { appId: 'com.example.notes', version: '1.0.0' };
    expect(await store.stores.versions.find(ref)).toMatchObject({ state: 'rejected' });
    // What was undone is not undone again, and no user undoes the acts of another.
    expect(await bodyOf(undo(await idOf('a member')))).toMatchObject({ code: 'already_handled' });
    expect(await bodyOf(undo(999_999))).toMatchObject({ code: 'not_found' });
  });

  it('returns a publisher that was handed over, or from which the account was removed, if no older owner is left', async () => {
    for (const how of ['transfer', 'removal'] as const) {
      const store = await opened();
      store.advance(DAY);
      await store.bringIn();
      if (how === 'transfer') {
        await store.as('anna', 'POST', '/transfer', { to: 'carl' });
      } else {
        store.advance(15 * DAY);
        await store.signIn();
        await store.as('carl', 'DELETE', '/members/anna');
      }
      expect((await store.roster()).anna).not.toBe('owner');
      const { undo, list, idOf } = await store.recover();
      const words = how === 'transfer' ? 'handed the publisher over to "carl"' : 'made "carl" an owner';
      const answer = await undo(await idOf(words));
      expect([how, answer.status, await store.roster()]).toMatchObject([how, 200, { anna: 'owner' }]);
      await undo(await idOf('made "carl" a member'));
      expect(await store.roster()).toEqual({ anna: 'owner', ben: 'member' });
      expect((await list()).acts.filter(({ state }) => state === 'open')).toEqual([]);
    }
  });

  it('does not return a publisher to a user who left it to owners of their own time', async () => {
    const store = await opened({ roles: { anna: 'owner', ben: 'owner' } });
    store.advance(DAY);
    await store.bringIn();
    await store.as('anna', 'DELETE', '/members/anna');
    const { list, undo, idOf } = await store.recover();
    const left = await idOf('removed "anna" from the members');
    expect((await list()).acts.find(({ id }) => id === left)).toMatchObject({ state: 'final' });
    expect(await bodyOf(undo(left))).toMatchObject({ httpStatus: 403 });
    expect(await bodyOf(undo(await idOf('a member')))).toMatchObject({ httpStatus: 403 });
    expect(await store.roster()).toEqual({ ben: 'owner', carl: 'owner' });
  });

  it(
    'is undone once, and a publisher keeps an owner, when both sides act at the same time',
    BOTH_DATABASES,
    async () => {
      const store = await opened();
      store.advance(DAY);
      await store.bringIn();
      store.advance(15 * DAY);
      const { undo, idOf } = await store.recover();
      const twin = await twinOf(store);
      await store.signIn();
      const id = await idOf('made "carl" a member');
      const removals = ['anna', 'ben', 'carl'].map((name) =>
        twin.call('DELETE', `/api/publishers/acme/members/${name}`, { session: store.sessions.carl }),
      );
      const answers = await Promise.all([undo(id), undo(id, twin), ...removals]);
      expect(
        answers
          .slice(0, 2)
          .map(({ status }) => status)
          .filter((status) => status === 200).length,
      ).toBeLessThan(2);
      expect(Object.values(await store.roster())).toContain('owner');
    },
  );
});

it('of long ago, or none, lists nothing', async () => {
  const store = await opened();
  await store.bringIn();
  const before = await jsonOf<RecoveredActs>(
    store.call('GET', '/api/people/me/recovery', { session: store.sessions.anna }),
  );
  expect(before).toEqual({ recoveredAt: null, acts: [] });
  const { list, session } = await store.recover();
  expect((await list()).acts.length).toBeGreaterThan(0);
  // A session lasts 14 days from its last use.
  for (let days = 0; days < 31; days += 10) {
    store.advance(10 * DAY);
    await store.call('GET', '/api/people/me', { session });
  }
  expect((await list()).acts).toEqual([]);
});
