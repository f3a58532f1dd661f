import { BOTH_DATABASES, runs } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import {
  type ModeratedStore,
  openModeratedStore,
  type Reviewer,
  reviewPath,
} from '../../support/moderated-store.ts';
import { ADMIN_TOKEN, bodyOf, openTestStore } from '../../support/test-store.ts';

async function waiting() {
  const store = await openTestStore();
  const token = await store.publisherToken();
  await store.publish(token);
  return { store, token };
}

const ROUNDS = runs(20);
const NOTES = '/api/apps/com.example.notes/versions';

type Act = (store: ModeratedStore, version: string, token: string) => Promise<Response>;

const acts = {
  approve: (store, version) => store.as('anna', 'POST', `${reviewPath(version)}/approve`),
  'approve too': (store, version) => store.as('ben', 'POST', `${reviewPath(version)}/approve`),
  reject: (store, version) => store.as('ben', 'POST', `${reviewPath(version)}/reject`, { note: 'No.' }),
  withdraw: (store, version, token) => store.call('POST', `${NOTES}/${version}/withdraw`, { token }),
} satisfies Record<string, Act>;

/** The status and notes of a version after each action. */
const OUTCOMES = {
  approve: { status: 'published', notes: '' },
  'approve too': { status: 'published', notes: '' },
  reject: { status: 'rejected', notes: 'No.' },
  withdraw: { status: 'rejected', notes: 'withdrawn' },
};

describe('of two concurrent requests', () => {
  it.each([
    ['approve', 'approve too'],
    ['approve', 'reject'],
    ['reject', 'withdraw'],
    ['approve', 'withdraw'],
  ] as const)(
    `to %s and to %s, one wins, ${ROUNDS} times`,
    { ...BOTH_DATABASES, timeout: 60_000 },
    async (one, other) => {
      const store = await openModeratedStore();
      const token = await store.publisherToken();
      for (let round = 0; round < ROUNDS; round += 1) {
        const version = `1.${round}.0`;
        // Avoids the upload quota.
        store.advance(60_000);
        expect((await store.publish(token, { version })).status).toBe(201);
        // The two requests take turns at being first.
        const turns = round % 2 === 0 ? ([one, other] as const) : ([other, one] as const);
        const answers = await Promise.all(turns.map((act) => bodyOf(acts[act](store, version, token))));
        expect([round, ...answers.map(({ httpStatus }) => httpStatus).sort()]).toEqual([round, 200, 409]);
        const winner = turns[
          answers.findIndex(({ httpStatus }) => httpStatus === 200)
        ] as keyof typeof OUTCOMES;
        const loser = answers.find(({ httpStatus }) => httpStatus === 409);
        expect(loser).toMatchObject({
          code: 'already_handled',
          status: expect.stringMatching(/approved|published|rejected/),
        });
        expect(await bodyOf(store.call('GET', `${NOTES}/${version}/status`))).toMatchObject(OUTCOMES[winner]);
      }
    },
  );
});

describe('a decision', () => {
  it('is made once, and answers 409 with the current status afterwards', BOTH_DATABASES, async () => {
    const { store } = await waiting();
    const decisions = [
      store.decide('approve', '1.0.0'),
      store.decide('reject', '1.0.0', { note: 'No.' }),
      store.decide('approve', '1.0.0'),
      store.decide('reject', '1.0.0', { note: 'No.' }),
    ];
    const statuses = (await Promise.all(decisions)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 409, 409, 409]);
    const late = await bodyOf(store.decide('approve', '1.0.0'));
    expect(late).toMatchObject({
      code: 'already_handled',
      status: expect.stringMatching(/published|rejected/),
    });
  });

  it('to reject requires a note, which the status of the version shows', async () => {
    const { store } = await waiting();
    expect(await bodyOf(store.decide('reject', '1.0.0', {}))).toMatchObject({
      httpStatus: 400,
      code: 'invalid_request',
    });
    expect(await bodyOf(store.decide('reject', '1.0.0', { note: 'Explain the domain.' }))).toMatchObject({
      status: 'rejected',
    });
    expect(
      await bodyOf(store.call('GET', '/api/apps/com.example.notes/versions/1.0.0/status')),
    ).toMatchObject({
      status: 'rejected',
      notes: 'Explain the domain.',
    });
  });

  it('is refused to tokens of developers and without a token', async () => {
    const { store, token } = await waiting();
    const path = '/api/moderation/apps/com.example.notes/versions/1.0.0/approve';
    expect(await bodyOf(store.call('POST', path, { token }))).toMatchObject({
      httpStatus: 403,
      code: 'forbidden',
    });
    expect(await bodyOf(store.call('POST', path))).toMatchObject({ httpStatus: 401, code: 'unauthorized' });
  });

  it('answers 404 for a version that does not exist', BOTH_DATABASES, async () => {
    const { store } = await waiting();
    expect(await bodyOf(store.decide('approve', '9.9.9'))).toMatchObject({
      httpStatus: 404,
      code: 'not_found',
    });
  });
});

describe('the outcome of a review', () => {
  it.each([
    ['approve', {}, 'was approved', 'was approved and is published'],
    ['reject', { note: 'No licence.' }, 'was rejected', 'No licence.'],
  ] as const)(
    'is mailed once to each member of the publisher, and to no other user: %s',
    async (decision, json, subject, said) => {
      const { store } = await waiting();
      await store.signedIn('anna', { membership: { example: 'owner' } });
      await store.signedIn('ben', { membership: { example: 'member' } });
      await store.signedIn('carl');
      await store.decide(decision, '1.0.0', json);
      await store.decide(decision, '1.0.0', json);
      await store.sendDueMails();
      const mails = store.lines
        .map((line) => JSON.parse(line))
        .filter((line) => line.subject?.endsWith(`(com.example.notes) 1.0.0 ${subject}`));
      expect(mails.map(({ to }) => to).sort()).toEqual(['anna@example.com', 'ben@example.com']);
      expect(mails[0].text).toContain(said);
    },
  );
});

describe('the record of a decision', () => {
  async function recorded(decision: 'approve' | 'reject', json: object) {
    const { store } = await waiting();
    await store.signedIn('anna', { membership: { example: 'owner' } });
    expect((await store.decide(decision, '1.0.0', json)).status).toBe(200);
    const [mail] = await store.stores.mails.due(store.clock().toISOString(), 10);
    const { entries } = await bodyOf(store.admin('GET', '/api/admin/audit?appId=com.example.notes'));
    const about = { publisher: 'example', appId: 'com.example.notes', version: '1.0.0' };
    const cited = await store.stores.decisions.lastAbout({ ...about, kinds: ['version-rejected'] });
    const { detail } = entries.find(({ action }: { action: string }) => action === `version.${decision}`);
    return { mail: mail?.detail, detail, cited };
  }

  it('cites a rule in the log and in the mail when it rejects', async () => {
    const { mail, detail, cited } = await recorded('reject', { note: 'No licence.', rule: 'listing' });
    expect(cited).toMatchObject({ rule: 'listing', policy: 1, note: 'No licence.' });
    expect(detail).toEqual({ note: 'No licence.', rule: 'listing', policy: 1, decision: cited?.id });
    expect(mail).toMatchObject({ version: '1.0.0', note: 'No licence.', rule: 'listing', policy: 1 });
  });

  it('is none against the publisher when it approves', async () => {
    const { mail, detail, cited } = await recorded('approve', { note: 'Read it.' });
    expect([cited, detail]).toEqual([null, { note: 'Read it.' }]);
    expect(mail).not.toHaveProperty('rule');
  });
});

/** A version in review, uploaded by anna or with the token of the publisher. */
async function waitingFor({
  policy = {},
  uploader = 'token',
}: {
  policy?: object;
  uploader?: 'anna' | 'token';
}) {
  const store = await openModeratedStore({ policy });
  const token = await store.publisherToken();
  if (uploader === 'token') await store.publish(token);
  else {
    await store.stores.members.add({ publisher: 'example', personId: 'anna', role: 'owner', since: 'now' });
    const made = await bodyOf(
      store.call('POST', '/api/people/me/tokens', { session: store.sessions.anna, json: { name: 'mine' } }),
    );
    await store.publish(made.token);
    // anna leaves the publisher, and remains the uploader.
    await store.stores.members.remove('example', 'anna');
  }
  const approve = (who: Reviewer) => bodyOf(store.as(who, 'POST', `${reviewPath()}/approve`));
  const conflict = async (who: Reviewer) => (await bodyOf(store.as(who, 'GET', reviewPath()))).conflict;
  const join = (personId: string) =>
    store.stores.members.add({ publisher: 'example', personId, role: 'member', since: 'now' });
  return { store, token, approve, conflict, join };
}

describe('an approval', () => {
  it('is refused to a member of the publisher, and accepted from another moderator', async () => {
    const { approve, conflict, join } = await waitingFor({});
    await join('anna');
    expect([await conflict('anna'), await conflict('ben'), await conflict('admin')]).toEqual([
      'member',
      null,
      null,
    ]);
    expect(await approve('anna')).toMatchObject({
      httpStatus: 403,
      code: 'forbidden',
      message: expect.stringContaining('You are a member of the publisher'),
    });
    expect(await approve('ben')).toMatchObject({ httpStatus: 200, status: 'published' });
  });

  it('is refused to the uploader, also after they left the publisher', async () => {
    const { approve, conflict } = await waitingFor({ uploader: 'anna' });
    expect(await conflict('anna')).toBe('uploader');
    expect(await approve('anna')).toMatchObject({ httpStatus: 403, code: 'forbidden' });
    expect(await approve('ben')).toMatchObject({ status: 'published' });
  });

  it('is accepted from automation, which acts for the operator', async () => {
    const { store, approve } = await waitingFor({});
    await store.publish(ADMIN_TOKEN, { id: 'com.example.other' });
    expect(await approve('admin')).toMatchObject({ status: 'published' });
    const other = `${reviewPath('1.0.0', 'com.example.other')}/approve`;
    expect(await bodyOf(store.as('admin', 'POST', other))).toMatchObject({ status: 'published' });
  });

  it('is accepted from all moderators when the policy allows it', async () => {
    const { approve, conflict, join } = await waitingFor({ policy: { independentReview: false } });
    await join('anna');
    expect(await conflict('anna')).toBeNull();
    expect(await approve('anna')).toMatchObject({ status: 'published' });
  });

  it('is accepted from the only moderator, until there is another', async () => {
    const { store, approve, conflict, join } = await waitingFor({});
    await join('anna');
    await store.stores.people.change('ben', { suspended: true });
    expect(await conflict('anna')).toBeNull();
    await store.stores.people.change('ben', { suspended: false });
    expect(await approve('anna')).toMatchObject({ httpStatus: 403 });
    await store.stores.people.change('ben', { role: 'person' });
    expect(await approve('anna')).toMatchObject({ status: 'published' });
  });

  it(`is refused or made before its moderator joins the publisher, when both happen at once, ${ROUNDS} times`, async () => {
    const { store, token, join } = await waitingFor({});
    for (let round = 1; round <= ROUNDS; round += 1) {
      const version = `1.${round}.0`;
      store.advance(60_000);
      await store.publish(token, { version });
      const approving = store.as('anna', 'POST', `${reviewPath(version)}/approve`);
      const joining = join('anna');
      const [{ status }] = await Promise.all([approving, joining]);
      expect([200, 403]).toContain(status);
      // After both requests, the outcome is final.
      const later = await store.as('anna', 'POST', `${reviewPath(version)}/approve`);
      expect([round, later.status]).toEqual([round, status === 200 ? 409 : 403]);
      await store.stores.members.remove('example', 'anna');
    }
  });
});

describe('a rejection', () => {
  it('is accepted from a member of the publisher, as it publishes nothing', async () => {
    const { store, join } = await waitingFor({});
    await join('anna');
    const body = { note: 'Withdrawn by its publisher.' };
    expect(await bodyOf(store.as('anna', 'POST', `${reviewPath()}/reject`, body))).toMatchObject({
      status: 'rejected',
    });
  });
});
