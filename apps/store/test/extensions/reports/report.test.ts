import { BOTH_DATABASES, DEEP } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { createReportStore } from '../../../src/extensions/reports/report-store.ts';
import { bodyOf, openTestStore } from '../../support/test-store.ts';

const APP = 'com.example.notes';
const REPORTS = `/api/apps/${APP}/reports`;
const EVIDENCE = 'It sends notes to another server: see the log.';

async function opened() {
  const store = await openTestStore();
  const token = await store.publisherToken('example', true);
  await store.publish(token);
  await store.decide('approve', '1.0.0', {});
  const users = {
    anna: await store.signedIn('anna'),
    ben: await store.signedIn('ben'),
    member: await store.signedIn('member', { membership: { example: 'member' } }),
    moderator: await store.signedIn('moderator', { role: 'moderator' }),
  };
  const report = (name: keyof typeof users, category: string, more: object = {}) =>
    bodyOf(
      store.call('POST', REPORTS, { session: users[name], json: { category, evidence: EVIDENCE, ...more } }),
    );
  const queue = async () => (await bodyOf(store.admin('GET', '/api/moderation/reports'))).versions;
  const mine = async (name: keyof typeof users) =>
    (await bodyOf(store.call('GET', '/api/people/me/reports', { session: users[name] }))).reports;
  const decide = (outcome: string, version = '1.0.0') =>
    bodyOf(
      store.call('POST', `/api/moderation/apps/${APP}/versions/${version}/reports`, {
        session: users.moderator,
        json: { outcome, note: 'It was yanked.' },
      }),
    );
  return { ...store, token, users, report, queue, mine, decide };
}

describe('reports of an app', () => {
  it('are merged by version, decided together, and followed by their users', BOTH_DATABASES, async () => {
    const store = await opened();
    expect(await store.report('anna', 'malware')).toMatchObject({
      httpStatus: 201,
      appId: APP,
      version: '1.0.0',
      state: 'open',
    });
    await store.report('ben', 'spam', { version: '1.0.0' });
    // A second report of a user replaces the first.
    await store.report('ben', 'impersonation');
    const [one, ...others] = await store.queue();
    expect(others).toEqual([]);
    expect(one).toMatchObject({ appId: APP, version: '1.0.0', publisher: 'example', installs: 0 });
    expect(one.reports.map(({ category }: { category: string }) => category).sort()).toEqual([
      'impersonation',
      'malware',
    ]);
    expect(await store.decide('upheld')).toMatchObject({ httpStatus: 200, decided: 2 });
    expect(await store.queue()).toEqual([]);
    for (const name of ['anna', 'ben'] as const)
      expect(await store.mine(name)).toMatchObject([{ state: 'upheld', note: 'It was yanked.' }]);
    expect(await store.decide('dismissed')).toMatchObject({ code: 'already_handled' });
    expect(await store.report('anna', 'malware')).toMatchObject({ code: 'already_handled' });
  });

  it('say that their version was taken down since, until they are decided', async () => {
    const store = await opened();
    await store.report('anna', 'malware');
    expect(await store.queue()).toMatchObject([{ status: 'published' }]);
    await store.admin('POST', `/api/apps/${APP}/versions/1.0.0/yank`, { reason: 'It leaks notes.' });
    expect(await store.queue()).toMatchObject([{ status: 'yanked' }]);
    // A user with a copy of it may report it still, and the decision is about both reports.
    expect(await store.report('ben', 'malware')).toMatchObject({ code: 'not_found' });
    expect(await store.report('ben', 'malware', { version: '1.0.0' })).toMatchObject({ httpStatus: 201 });
    expect(await store.decide('upheld')).toMatchObject({ httpStatus: 200, decided: 2 });
  });

  it('never show the publisher who reports, nor let its members decide', async () => {
    const store = await opened();
    await store.report('anna', 'malware');
    const everything = await Promise.all(
      [
        '/api/publishers/example/apps',
        `/api/publishers/example/apps/${APP}`,
        `/api/publishers/example/apps/${APP}/versions`,
        `/api/publishers/example/apps/${APP}/versions/1.0.0`,
        `/api/apps/${APP}`,
      ].map(async (path) => (await store.call('GET', path, { session: store.users.member })).text()),
    );
    expect(everything.join()).not.toMatch(/anna|another server/);
    // A moderator who is a member sees nothing, and decides nothing.
    const session = await store.signedIn('both', { role: 'moderator', membership: { example: 'member' } });
    expect(await bodyOf(store.call('GET', '/api/moderation/reports', { session }))).toMatchObject({
      versions: [],
    });
    const path = `/api/moderation/apps/${APP}/versions/1.0.0/reports`;
    const json = { outcome: 'dismissed', note: 'It is fine.' };
    expect(await bodyOf(store.call('POST', path, { session, json }))).toMatchObject({ code: 'forbidden' });
    // Moderators see records, not names.
    expect(JSON.stringify(await store.queue())).not.toContain('anna');
  });

  it('are limited: ten a day of a user, about published versions, by users only', async () => {
    const store = await opened();
    const answers = [];
    for (let n = 0; n < 11; n += 1) answers.push(await store.report('anna', 'spam'));
    expect(answers.map(({ httpStatus }) => httpStatus)).toEqual([...Array(10).fill(201), 429]);
    expect(await store.report('ben', 'spam', { version: '9.9.9' })).toMatchObject({ code: 'not_found' });
    expect(await store.report('ben', 'spam', { evidence: 'short' })).toMatchObject({
      code: 'invalid_request',
    });
    const json = { category: 'spam', evidence: EVIDENCE };
    expect(await bodyOf(store.call('POST', REPORTS, { token: store.token, json }))).toMatchObject({
      code: 'forbidden',
    });
    expect((await store.call('POST', REPORTS, { json })).status).toBe(401);
  });

  it('put what is serious first, and a crowd with a bad record does not outweigh one user with a good one', async () => {
    const store = await opened();
    const other = { id: 'com.example.other', name: 'Another app' };
    await store.publish(store.token, other);
    await store.admin('POST', `/api/moderation/apps/${other.id}/versions/1.0.0/approve`, {});
    const about = async (person: string, appId: string, category: string) => {
      const session = await store.signedIn(person);
      const json = { category, evidence: EVIDENCE };
      expect((await store.call('POST', `/api/apps/${appId}/reports`, { session, json })).status).toBe(201);
    };
    await about('good', other.id, 'malware');
    for (let n = 0; n < 20; n += 1) await about(`throwaway-${n}`, APP, 'impersonation');
    const [first, second] = await store.queue();
    // Twenty accounts of one email domain count as one: severity 40 against 100, as installs, ages and records are equal.
    expect([first.appId, second.appId]).toEqual([other.id, APP]);
    expect(second).toMatchObject({ total: 20, score: 5 });
    await store.decide('dismissed');
    await store.publish(store.token, { version: '1.1.0' });
    for (let n = 0; n < 3; n += 1) await about(`throwaway-${n}`, APP, 'impersonation');
    const again = await store.queue();
    expect(again[0].appId).toBe(other.id);
    expect(again[1].reports[0].record).toEqual({ upheld: 0, dismissed: 1 });
  });

  it('are decided once by two moderators at the same time', BOTH_DATABASES, async () => {
    const store = await opened();
    await store.report('anna', 'malware');
    const answers = await Promise.all([store.decide('upheld'), store.decide('dismissed')]);
    expect(answers.map(({ httpStatus }) => httpStatus).sort()).toEqual([200, 409]);
    const log = await bodyOf(store.admin('GET', '/api/admin/audit?action=report.decide'));
    expect(log.entries).toHaveLength(1);
  });

  /** The place of a report of malware under newer reports of spam by many accounts of one domain. */
  async function placeUnder(spam: number) {
    const store = await opened();
    const reports = createReportStore(store.stores.db);
    const at = store.clock().toISOString();
    const from = { weight: 250, domain: 'spam.example', network: 'n' };
    for (let n = 0; n < spam; n += 1)
      await reports.put({
        ...{ appId: APP, version: '1.0.0', id: `spam-${n}`, personId: `spammer-${n}` },
        ...{ publisher: 'example', category: 'spam', evidence: EVIDENCE, at, ...from },
      });
    const other = { id: 'com.example.other', name: 'Another app' };
    await store.publish(store.token, other);
    await store.admin('POST', `/api/moderation/apps/${other.id}/versions/1.0.0/approve`, {});
    store.advance(-60_000);
    const json = { category: 'malware', evidence: EVIDENCE };
    const path = `/api/apps/${other.id}/reports`;
    expect((await store.call('POST', path, { session: store.users.anna, json })).status).toBe(201);
    const began = performance.now();
    const queue: { appId: string }[] = await store.queue();
    return { place: queue.findIndex(({ appId }) => appId === other.id) + 1, ms: performance.now() - began };
  }

  it('show malware first although many reports of other versions are newer', async () => {
    expect(await placeUnder(50)).toMatchObject({ place: 1 });
  });

  it.for([2_000, 20_000])('show malware first under %s reports of spam', DEEP, async (spam, { annotate }) => {
    const { place, ms } = await placeUnder(spam);
    await annotate(`place ${place} under ${spam}, listed in ${Math.round(ms)} ms`);
    expect(place).toBe(1);
  });

  it('are followed by the end of what was decided: reporters and members get a mail, no user twice', async () => {
    const store = await opened();
    await store.report('anna', 'malware');
    await store.decide('upheld');
    const stop = (json: object) =>
      store.admin('PATCH', `/api/admin/apps/${APP}`, { reason: 'Look.', ...json });
    const mails = async (name: string) =>
      (await store.stores.mails.to(`${name}@example.com`, 50)).map(({ kind }) => kind);
    await store.admin('POST', `/api/apps/${APP}/versions/1.0.0/yank`, { reason: 'It leaks.' });
    await store.admin('POST', `/api/admin/apps/${APP}/versions/1.0.0/unyank`, { reason: 'It does not.' });
    for (const suspended of [true, false, false]) await stop({ suspended });
    await store.admin('PATCH', '/api/admin/people/ben', { suspended: true, reason: 'Look.' });
    await store.admin('PATCH', '/api/admin/people/ben', { suspended: false, reason: 'Not them.' });
    expect((await mails('anna')).sort()).toEqual(['report-decided', 'report-undone', 'report-undone']);
    expect((await mails('member')).filter((kind) => kind !== 'version-approved').sort()).toEqual([
      ...['app-suspended', 'decision-undone', 'decision-undone', 'version-yanked'],
    ]);
    expect((await mails('ben')).sort()).toEqual(['account-suspended', 'account-unsuspended']);
    await store.sendDueMails();
    const written = store.lines.join('\n');
    for (const words of [
      'The yank of',
      'The suspension of the app',
      'The suspension of your account',
      'on your report of',
    ])
      expect(written).toContain(words);
  });
});
