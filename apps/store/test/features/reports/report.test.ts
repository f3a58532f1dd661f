import { BOTH_DATABASES } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
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
    // Severity 40 times three at most, against 100 times a half: installs and records are equal.
    expect([first.appId, second.appId]).toEqual([APP, other.id]);
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
});
