import type { Decision } from '@svc/contracts';
import { BOTH_DATABASES } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { createAppealStore } from '../../../src/extensions/appeals/appeal-store.ts';
import { openModeratedStore, type Reviewer } from '../../support/moderated-store.ts';
import { bodyOf } from '../../support/test-store.ts';

const APP = 'com.example.notes';
const DAY = 24 * 3_600_000;
const yank = { reason: 'Leaks.', rule: 'malicious' };

/** A store with a rejected version of a publisher, its owner, and a second administrator. */
async function opened(policy: object = {}) {
  const store = await openModeratedStore({ policy });
  const token = await store.publisherToken();
  await store.publish(token);
  const owner = await store.signedIn('owner', { membership: { example: 'owner' } });
  const root = await store.signedIn('root', { role: 'administrator' });
  const mine = async () =>
    (await bodyOf(store.call('GET', '/api/publishers/example/decisions', { session: owner })))
      .decisions as Decision[];
  const appeal = async (text = 'It answers.', id?: string) => {
    const of = id ?? (await mine())[0]?.id;
    const path = `/api/publishers/example/decisions/${of}/messages`;
    return bodyOf(store.call('POST', path, { session: owner, json: { text } }));
  };
  const decide = (who: Reviewer | 'root', id: string, outcome: string) => {
    const path = `/api/moderation/appeals/${id}/decide`;
    const json = { outcome, note: 'Looked at it again.' };
    return who === 'root'
      ? store.call('POST', path, { session: root, json })
      : store.as(who, 'POST', path, json);
  };
  const status = async (version = '1.0.0') =>
    bodyOf(store.call('GET', `/api/apps/${APP}/versions/${version}/status`));
  return { store, token, owner, root, mine, appeal, decide, status };
}

describe('an appeal', () => {
  it(
    'is decided by another moderator, and returns a rejected version to the queue',
    BOTH_DATABASES,
    async () => {
      const { store, mine, appeal, decide, status } = await opened();
      await store.as('anna', 'POST', `/api/moderation/apps/${APP}/versions/1.0.0/reject`, {
        reason: 'not-working',
      });
      const [decision] = await mine();
      expect(decision).toMatchObject({
        kind: 'version-rejected',
        appId: APP,
        rule: { id: 'function', title: 'It works' },
        policy: 1,
        appeal: null,
        canAppeal: true,
      });
      const id = decision?.id ?? '';
      expect(await appeal()).toMatchObject({ httpStatus: 201, appeal: { state: 'open' } });
      const listed = await bodyOf(store.as('anna', 'GET', '/api/moderation/appeals'));
      expect(listed.appeals).toMatchObject([
        {
          id,
          appName: 'Notes',
          publisherName: 'The example',
          conflict: 'uploader',
          messages: [{ side: 'publisher', text: 'It answers.' }],
        },
      ]);
      expect((await decide('anna', id, 'reversed')).status).toBe(403);
      expect(
        (await store.as('ben', 'POST', `/api/moderation/appeals/${id}/messages`, { text: 'Since when?' }))
          .status,
      ).toBe(201);
      // Two moderators decide at the same time: the first does.
      const both = await Promise.all([decide('ben', id, 'reversed'), decide('admin', id, 'upheld')]);
      expect(both.map((answer) => answer.status).sort()).toEqual([200, 409]);
      const [after] = await mine();
      const outcome = after?.appeal?.state;
      expect((await status()).status).toBe(outcome === 'reversed' ? 'in_review' : 'rejected');
      expect(after).toMatchObject({ canAppeal: false, messages: [{}, { name: 'ben', text: 'Since when?' }] });
      expect(await appeal('Again.')).toMatchObject({ httpStatus: 409, code: 'already_handled' });
    },
  );

  it('of a yank or a suspension is decided by an administrator, and undoes it', async () => {
    const { store, mine, appeal, decide, status, owner } = await opened();
    await store.decide('approve', '1.0.0');
    await store.as('anna', 'POST', `/api/apps/${APP}/versions/1.0.0/yank`, yank);
    await store.admin('PATCH', '/api/admin/publishers/example', { suspended: true, reason: 'Malware.' });
    // Both were taken in the same millisecond.
    const [suspension, yanked] = (await mine()).sort((a, b) => (a.kind < b.kind ? -1 : 1));
    expect([suspension?.kind, yanked?.kind, yanked?.rule.id]).toEqual([
      'publisher-suspended',
      'version-yanked',
      'malicious',
    ]);
    // A suspended publisher may appeal.
    for (const one of [suspension, yanked]) expect((await appeal('No.', one?.id)).httpStatus).toBe(201);
    expect((await decide('ben', yanked?.id ?? '', 'reversed')).status).toBe(403);
    for (const one of [suspension, yanked])
      expect((await decide('root', one?.id ?? '', 'reversed')).status).toBe(200);
    expect((await status()).status).toBe('published');
    const detail = await bodyOf(store.call('GET', '/api/publishers/example', { session: owner }));
    expect(detail.suspended).toBe(false);
    expect(await bodyOf(store.call('GET', '/api/apps/revocations'))).toMatchObject({ entries: [] });
  });

  it.each([
    ['a suspension of the publisher', 'publisher-suspended'],
    ['a suspension of the app', 'app-suspended'],
    ['a yank', 'version-yanked'],
  ])('of %s ends when the decision is taken back by the one who took it', BOTH_DATABASES, async (_, kind) => {
    const { store, mine, appeal, decide, root } = await opened();
    await store.decide('approve', '1.0.0');
    const undo = { reason: 'It was a mistake.' };
    const asRoot = (method: string, path: string, json?: object) =>
      store.call(method, path, { session: root, ...(json && { json }) });
    const [take, back] = {
      'publisher-suspended': [
        ['PATCH', '/api/admin/publishers/example', { suspended: true, ...yank }],
        ['PATCH', '/api/admin/publishers/example', { suspended: false }],
      ],
      'app-suspended': [
        ['PATCH', `/api/admin/apps/${APP}`, { suspended: true, ...yank }],
        ['PATCH', `/api/admin/apps/${APP}`, { suspended: false, ...undo }],
      ],
      'version-yanked': [
        ['POST', `/api/apps/${APP}/versions/1.0.0/yank`, yank],
        ['POST', `/api/admin/apps/${APP}/versions/1.0.0/unyank`, undo],
      ],
    }[kind] as [[string, string, object], [string, string, object]];
    expect((await asRoot(...take)).status).toBeLessThan(300);
    const [decision] = await mine();
    expect(decision).toMatchObject({ kind });
    const id = decision?.id ?? '';
    expect(await appeal()).toMatchObject({ appeal: { state: 'open' } });
    expect(await bodyOf(decide('root', id, 'reversed'))).toMatchObject({ httpStatus: 403 });
    const [method, path, json] = back;
    expect((await asRoot(method, path, json)).status).toBeLessThan(300);
    expect(await mine()).toMatchObject([{ canAppeal: false, appeal: { state: 'reversed' } }]);
    expect(await bodyOf(store.as('anna', 'GET', '/api/moderation/appeals'))).toMatchObject({ appeals: [] });
    const { entries } = await bodyOf(asRoot('GET', '/api/admin/audit?action=appeal.decide'));
    expect(entries).toMatchObject([{ detail: { decision: id, outcome: 'reversed' } }]);
  });

  it('ends after 90 days, and is closed to users of other publishers', async () => {
    const { store, mine, appeal } = await opened();
    await store.decide('reject', '1.0.0', { note: 'No.' });
    const [decision] = await mine();
    const stranger = await store.signedIn('stranger');
    const path = '/api/publishers/example/decisions';
    expect((await store.call('GET', path, { session: stranger })).status).toBe(403);
    const json = { text: 'Mine.' };
    const theirs = `${path}/${decision?.id}/messages`;
    expect((await store.call('POST', theirs, { session: stranger, json })).status).toBe(403);
    expect((await appeal('Mine.', 'nothing')).code).toBe('not_found');
    store.advance(90 * DAY + 1);
    // The session has ended too.
    const session = await store.signedIn('colleague', { membership: { example: 'member' } });
    expect(await bodyOf(store.call('GET', path, { session }))).toMatchObject({
      decisions: [{ canAppeal: false }],
    });
    expect(await bodyOf(store.call('POST', theirs, { session, json }))).toMatchObject({
      code: 'already_handled',
    });
  });

  it(
    'is listed also beside two hundred of another publisher, which were there first',
    BOTH_DATABASES,
    async () => {
      const { store } = await opened();
      const { decisions } = store.stores;
      const appeals = createAppealStore(store.stores.db);
      const cited = { rule: 'other', policy: 1, note: '', decidedBy: 'rita' };
      const about = { kind: 'version-rejected', appId: APP, version: '1.0.0', ...cited } as const;
      const decidedAt = store.clock().toISOString();
      const add = async (id: string, publisher: string) => {
        await decisions.add({ ...about, id, publisher, decidedAt });
        store.advance(1);
        await appeals.openAppeal(id, store.clock().toISOString());
      };
      for (let n = 0; n < 200; n += 1) await add(`flood-${n}`, 'flood');
      await add('small', 'small');
      const open = (await appeals.openAppeals()).map(({ id }) => id);
      expect([open.length, ...open.slice(0, 3)]).toEqual([100, 'flood-0', 'small', 'flood-1']);
    },
  );

  it('has at most twenty messages of each side', async () => {
    const { store, appeal } = await opened();
    await store.decide('reject', '1.0.0', { note: 'No.' });
    for (let n = 0; n < 20; n += 1) expect((await appeal(`${n}`)).httpStatus).toBe(201);
    expect((await appeal('21')).code).toBe('limit_reached');
  });

  it('keeps the id of an app that was never published from other publishers, until it is decided', async () => {
    const { store, mine, appeal, decide } = await opened();
    await store.decide('reject', '1.0.0', { note: 'No.' });
    await appeal();
    const token = await store.publisherToken('other');
    const taken = () => bodyOf(store.publish(token, { publisher: 'other' }));
    expect(await taken()).toMatchObject({ code: 'id_taken' });
    const [decision] = await mine();
    expect((await decide('ben', decision?.id ?? '', 'upheld')).status).toBe(200);
    expect(await taken()).toMatchObject({ httpStatus: 201 });
  });

  it('is not offered for what the publisher itself did', async () => {
    const { store, token, mine } = await opened();
    await store.decide('approve', '1.0.0');
    await store.call('POST', `/api/apps/${APP}/versions/1.0.0/yank`, { token, json: { reason: 'Oops.' } });
    expect(await mine()).toEqual([]);
  });
});
