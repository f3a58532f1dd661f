import type { CaseAssignment, CaseKind, HistoryEntry } from '@svc/contracts';
import { BOTH_DATABASES } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { needsExtension } from '../../support/extensions.ts';
import { openModeratedStore, type Reviewer } from '../../support/moderated-store.ts';
import { bodyOf } from '../../support/test-store.ts';

const APP = 'com.example.notes';
const REMOTE = { mcpUrl: 'https://mcp.notes.example/mcp', domains: ['api.notes.example'] };
const EVIDENCE = 'It sends notes to another server: see the log.';

/** A store with a published app, a version in review, and moderators. */
async function opened() {
  const store = await openModeratedStore();
  const token = await store.publisherToken('example', true);
  await store.publish(token);
  await store.decide('approve', '1.0.0', {});
  await store.publish(token, { version: '1.1.0', name: 'Notes Two', remote: REMOTE });
  const owner = await store.signedIn('owner', { membership: { example: 'owner' } });
  const reader = await store.signedIn('reader');
  const pathOf = (kind: CaseKind, subject: string) =>
    `/api/moderation/cases/${kind}/${encodeURIComponent(subject)}/assignment`;
  const assign = (who: Reviewer, kind: CaseKind, subject: string, json: object) =>
    bodyOf(store.as(who, 'PUT', pathOf(kind, subject), json));
  const assigned = async (): Promise<CaseAssignment[]> =>
    (await bodyOf(store.as('anna', 'GET', '/api/moderation/cases'))).assignments;
  const history = async (who: Reviewer, query = ''): Promise<HistoryEntry[]> =>
    (await bodyOf(store.as(who, 'GET', `/api/moderation/history${query}`))).entries;
  const report = () =>
    store.call('POST', `/api/apps/${APP}/reports`, {
      session: reader,
      json: { category: 'malware', evidence: EVIDENCE },
    });
  const decideReports = (who: Reviewer) =>
    bodyOf(
      store.as(who, 'POST', `/api/moderation/apps/${APP}/versions/1.0.0/reports`, {
        outcome: 'dismissed',
        note: 'Its own server.',
      }),
    );
  const tidy = () => store.runJob('Removing assignments of decided cases');
  return { store, owner, assign, assigned, history, report, decideReports, tidy };
}

const REPORTED = ['report', `${APP} 1.0.0`] as const;

describe('a case', needsExtension('reports'), () => {
  it('is assigned to a moderator, who is told by mail, until it is decided', BOTH_DATABASES, async () => {
    const { store, assign, assigned, report, decideReports, tidy } = await opened();
    expect(await assign('anna', ...REPORTED, { to: 'person:ben' })).toMatchObject({ httpStatus: 404 });
    await report();
    expect(await assign('anna', ...REPORTED, { to: 'person:ben' })).toEqual({
      ...{ httpStatus: 200, kind: 'report', subject: `${APP} 1.0.0`, assignedTo: 'person:ben' },
    });
    expect(await assigned()).toEqual([{ kind: 'report', subject: `${APP} 1.0.0`, assignedTo: 'person:ben' }]);
    const mails = await store.stores.mails.due('2026-03-01T12:00:00.000Z', 10);
    expect(mails.filter(({ kind }) => kind === 'case-assigned').map(({ recipient }) => recipient)).toEqual([
      'ben@example.com',
    ]);
    await tidy();
    expect(await assigned()).toHaveLength(1);
    expect(await decideReports('ben')).toMatchObject({ decided: 1 });
    await tidy();
    expect(await assigned()).toEqual([]);
  });

  it('is taken by one of two moderators who take it at the same time', BOTH_DATABASES, async () => {
    const { assign, report } = await opened();
    await report();
    const both = await Promise.all([
      assign('anna', ...REPORTED, { to: 'person:anna', from: null }),
      assign('ben', ...REPORTED, { to: 'person:ben', from: null }),
    ]);
    expect(both.map(({ httpStatus }) => httpStatus).sort()).toEqual([200, 409]);
    expect(await assign('anna', ...REPORTED, { to: null })).toMatchObject({ assignedTo: null });
  });

  it('is never assigned to a user without a role, nor by one', async () => {
    const { store, owner, assign, report } = await opened();
    await report();
    expect(await assign('anna', ...REPORTED, { to: 'person:owner' })).toMatchObject({ httpStatus: 400 });
    const path = `/api/moderation/cases/report/${encodeURIComponent(REPORTED[1])}/assignment`;
    const mine = await store.call('PUT', path, { session: owner, json: { to: null } });
    expect(mine.status).toBe(403);
  });

  it('that is a report is hidden from moderators who are members of the publisher', async () => {
    const { store, assign, report, decideReports } = await opened();
    await report();
    const insider = await store.signedIn('ines', { role: 'moderator', membership: { example: 'member' } });
    const read = async (path: string) => bodyOf(store.call('GET', path, { session: insider }));
    const path = `/api/moderation/cases/report/${encodeURIComponent(REPORTED[1])}/assignment`;
    const taken = await store.call('PUT', path, { session: insider, json: { to: null } });
    expect(taken.status).toBe(404);
    expect(await assign('anna', ...REPORTED, { to: 'person:ines' })).toMatchObject({ httpStatus: 400 });
    expect(await assign('anna', ...REPORTED, { to: 'person:ben' })).toMatchObject({ httpStatus: 200 });
    expect((await read('/api/moderation/cases')).assignments).toEqual([]);
    await decideReports('ben');
    const seen = (await read('/api/moderation/history')).entries as HistoryEntry[];
    expect(seen.map(({ action }) => action)).toEqual(['version.approve']);
  });

  it('of a version has its assignment in the queue', async () => {
    const { store, assign, assigned } = await opened();
    expect(await assign('anna', 'version', `${APP} 1.1.0`, { to: 'person:anna' })).toMatchObject({
      assignedTo: 'person:anna',
    });
    expect(await assigned()).toEqual([]);
    const { total } = await bodyOf(store.as('anna', 'GET', '/api/moderation/queue?assigned=me'));
    expect(total).toBe(1);
  });

  it('of any kind that does not wait is not found', async () => {
    const { assign } = await opened();
    for (const kind of ['server', 'appeal', 'review', 'report'] as const)
      expect(await assign('anna', kind, 'none', { to: null })).toMatchObject({ httpStatus: 404 });
  });
});

describe('the history', needsExtension('reports'), () => {
  it('lists decisions of all kinds, the newest first, with their reasons, and nothing else', async () => {
    const { store, history, report, decideReports } = await opened();
    await report();
    await decideReports('ben');
    await store.as('anna', 'POST', `/api/moderation/apps/${APP}/versions/1.1.0/reject`, {
      note: 'Too wide.',
    });
    const all = await history('anna');
    expect(all.map(({ kind, action, name, note }) => [kind, action, name, note])).toEqual([
      ['version', 'version.reject', 'anna', 'Too wide.'],
      ['report', 'report.decide', 'ben', 'Its own server.'],
      ['version', 'version.approve', null, null],
    ]);
    expect(JSON.stringify(all)).not.toMatch(/address|requestId|tokenId/);
    expect((await history('ben', '?by=me')).map(({ kind }) => kind)).toEqual(['report']);
    expect((await history('ben', '?kind=version')).map(({ action }) => action)).toEqual([
      'version.reject',
      'version.approve',
    ]);
    const first = await bodyOf(store.as('anna', 'GET', '/api/moderation/history?limit=2'));
    const cursor = encodeURIComponent(first.nextCursor);
    expect((await history('anna', `?limit=2&cursor=${cursor}`)).map(({ id }) => id)).toEqual([all[2]?.id]);
  });

  it('has appeals, hidden reviews and suspended apps too', needsExtension('appeals', 'ratings'), async () => {
    const { store, owner, assign, history } = await opened();
    await store.admin('PATCH', `/api/admin/apps/${APP}`, { suspended: true, reason: 'Look.' });
    const { decisions } = await bodyOf(
      store.call('GET', '/api/publishers/example/decisions', { session: owner }),
    );
    const [{ id }] = decisions;
    const path = `/api/publishers/example/decisions/${id}/messages`;
    await store.call('POST', path, { session: owner, json: { text: 'It is safe.' } });
    expect(await assign('anna', 'appeal', id, { to: 'person:ben' })).toMatchObject({ httpStatus: 200 });
    await store.as('admin', 'POST', `/api/moderation/appeals/${id}/decide`, {
      outcome: 'upheld',
      note: 'No.',
    });
    expect((await history('anna')).map(({ action }) => action).slice(0, 2)).toEqual([
      'appeal.decide',
      'app.suspend',
    ]);
  });
});
