import { runs } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { deviceToken } from '../../support/device.ts';
import { openModeratedStore, type Reviewer, reviewPath } from '../../support/moderated-store.ts';
import { bodyOf, type TestSession } from '../../support/test-store.ts';

const OWN = '/api/apps/com.example.notes/versions/1.0.0';
const ROUNDS = runs(20);
const MAX_MESSAGES = 100;

async function waiting(policy: object = {}) {
  const store = await openModeratedStore({ policy });
  const token = await store.publisherToken();
  await store.publish(token);
  const carl = await store.signedIn('carl', { membership: { example: 'owner' } });
  const dora = await store.signedIn('dora', { membership: { example: 'member' } });
  const ask = (who: Reviewer, json: object) =>
    bodyOf(store.as(who, 'POST', `${reviewPath()}/messages`, json));
  const request = (who: Reviewer, text: string) => ask(who, { text, requestChanges: true });
  const answer = (session: TestSession, text: string) =>
    bodyOf(store.call('POST', `${OWN}/messages`, { session, json: { text } }));
  const read = (session: TestSession) => bodyOf(store.call('GET', `${OWN}/messages`, { session }));
  const status = () => bodyOf(store.call('GET', `${OWN}/status`));
  return { store, token, carl, dora, ask, request, answer, read, status };
}

describe('a conversation about a version in review', () => {
  it('is read and written by moderators and members, and shows their names and roles', async () => {
    const { store, carl, dora, request, answer, read } = await waiting();
    expect(await request('anna', 'Say what the domain is for.')).toMatchObject({
      httpStatus: 201,
      status: 'in_review',
      changesRequestedAt: '2026-03-01T12:00:00.000Z',
    });
    await answer(carl, 'It serves pictures.');
    await answer(dora, 'And thumbnails.');
    const messages = [
      { number: 1, side: 'store', role: 'moderator', name: 'anna', requestsChanges: true },
      { number: 2, side: 'publisher', role: 'owner', name: 'carl', isYours: true },
      { number: 3, side: 'publisher', role: 'member', name: 'dora', isYours: false, text: 'And thumbnails.' },
    ];
    expect(await read(carl)).toMatchObject({ httpStatus: 200, messages, left: MAX_MESSAGES - 2 });
    const seen = await bodyOf(store.as('ben', 'GET', `${reviewPath()}/messages`));
    expect(seen).toMatchObject({ messages: messages.map((message) => ({ ...message, isYours: false })) });
    // No user ids and no email addresses.
    expect(JSON.stringify([seen, await read(carl)])).not.toMatch(/person:|@example/);
  });

  it('does not change the state of the version; changesRequestedAt is set until the publisher answers', async () => {
    const { store, carl, ask, request, answer, status } = await waiting();
    await ask('anna', { text: 'A question, no request.' });
    expect(await status()).not.toHaveProperty('changesRequestedAt');
    await request('anna', 'Change this.');
    expect(await status()).toMatchObject({
      status: 'in_review',
      changesRequestedAt: '2026-03-01T12:00:00.000Z',
    });
    const queue = async (query: string) =>
      (await bodyOf(store.as('ben', 'GET', `/api/moderation/queue?${query}`))).total;
    expect([await queue('changesRequested=true'), await queue('changesRequested=false')]).toEqual([1, 0]);
    expect(await bodyOf(store.as('ben', 'GET', reviewPath()))).toMatchObject({
      review: { changesRequestedAt: '2026-03-01T12:00:00.000Z' },
    });
    expect(await answer(carl, 'Done in 1.0.1.')).toMatchObject({ changesRequestedAt: null });
    expect([await queue('changesRequested=true'), await queue('changesRequested=false')]).toEqual([0, 1]);
    expect(await status()).not.toHaveProperty('changesRequestedAt');
  });

  it('contains a canned reason before the text', async () => {
    const reasons = [{ id: 'licence', title: 'Licence', text: 'Say which licence it has.' }];
    const { ask } = await waiting({ cannedReasons: reasons });
    expect(await ask('anna', { reason: 'licence', text: 'In README.md.' })).toMatchObject({
      messages: [{ text: 'Say which licence it has.\n\nIn README.md.' }],
    });
    expect(await ask('anna', { reason: 'none' })).toMatchObject({ httpStatus: 400 });
    expect(await ask('anna', {})).toMatchObject({ httpStatus: 400, code: 'invalid_request' });
  });

  it('is mailed only to members and the moderators who took part', async () => {
    const { store, carl, request, answer } = await waiting();
    await request('anna', '<b>Say</b> why.\n.\nFrom: x@y.example');
    await answer(carl, 'Because.');
    const mails = await store.stores.mails.due('2026-03-01T12:00:00.000Z', 10);
    expect(mails.map(({ kind, recipient }) => [kind, recipient]).sort()).toEqual([
      ['review-answer', 'anna@example.com'],
      ['review-message', 'carl@example.com'],
      ['review-message', 'dora@example.com'],
    ]);
  });

  it('is mailed to no moderator who wrote as a member, or is none any more', async () => {
    const { store, carl, dora, request, answer } = await waiting();
    await request('anna', 'Why?');
    await request('ben', 'What for?');
    await answer(dora, 'For this.');
    const roles = { dora: 'moderator', ben: 'person' };
    for (const [id, role] of Object.entries(roles))
      expect((await store.admin('PATCH', `/api/admin/people/${id}`, { role })).status).toBe(200);
    const sent = async () => {
      const mails = await store.stores.mails.due(store.clock().toISOString(), 100);
      return mails.flatMap(({ kind, recipient }) => (kind === 'review-answer' ? [recipient] : [])).sort();
    };
    const before = await sent();
    expect(before).toEqual(['anna@example.com', 'ben@example.com']);
    await answer(carl, 'For that.');
    expect(await sent()).toEqual(['anna@example.com', ...before]);
  });

  it('shows a moderator who is a member too only what they wrote on that side as theirs', async () => {
    const { store, request, answer, read } = await waiting();
    await request('anna', 'Say why.');
    const anna = await store.signedIn('anna', { membership: { example: 'member' } });
    await answer(anna, 'As we know.');
    const { messages } = await read(anna);
    expect(messages.map(({ isYours }: { isYours: boolean }) => isYours)).toEqual([false, true]);
  });

  it('is recorded in the audit log without its text', async () => {
    const { store, carl, request, answer } = await waiting();
    await request('anna', 'Secret plan.');
    await answer(carl, 'Answer.');
    const { entries } = await bodyOf(store.as('admin', 'GET', '/api/admin/audit?appId=com.example.notes'));
    expect(entries.slice(0, 2)).toMatchObject([
      { action: 'version.message', actor: 'person:carl', detail: { number: 2, side: 'publisher' } },
      { action: 'version.request-changes', actor: 'person:anna', detail: { number: 1, side: 'store' } },
    ]);
    expect(JSON.stringify(entries)).not.toContain('Secret plan');
  });
});

describe('access to a conversation', () => {
  it('is refused to a user who is not a member, without a session, with a forged CSRF token, and on the path of the other side', async () => {
    const { store, carl, request } = await waiting();
    await request('anna', 'Between us.');
    const eve = await store.signedIn('eve');
    for (const method of ['GET', 'POST']) {
      const json = method === 'POST' ? { json: { text: 'Hello' } } : {};
      const call = (more: object) => bodyOf(store.call(method, `${OWN}/messages`, { ...json, ...more }));
      expect(await call({ session: eve })).toMatchObject({ httpStatus: 403, code: 'not_a_member' });
      expect(await call({})).toMatchObject({ httpStatus: 401 });
      const path = `${reviewPath()}/messages`;
      expect((await store.call(method, path, { ...json, session: carl })).status).toBe(403);
    }
    const forged = { ...carl, csrf: 'forged' };
    expect(
      await bodyOf(store.call('POST', `${OWN}/messages`, { session: forged, json: { text: 'x' } })),
    ).toMatchObject({ httpStatus: 403 });
    // A moderator who is not a member reads it only on the path for moderators.
    expect((await store.call('GET', `${OWN}/messages`, { session: store.sessions.anna })).status).toBe(403);
  });

  it('answers 404 for a version that does not exist', async () => {
    const { store, carl } = await waiting();
    const path = '/api/apps/com.example.notes/versions/9.9.9/messages';
    expect((await store.call('GET', path, { session: carl })).status).toBe(404);
  });
});

describe('a token of the publisher', () => {
  it('answers with the role automation', async () => {
    const { store, token, request } = await waiting();
    await request('anna', 'Why?');
    const answered = await bodyOf(store.call('POST', `${OWN}/messages`, { token, json: { text: 'So.' } }));
    expect(answered).toMatchObject({
      httpStatus: 201,
      messages: [{}, { side: 'publisher', role: 'automation', name: null, isYours: true }],
    });
  });
});

describe('a token of a user', () => {
  it('answers with their name, as a member', async () => {
    const { store, carl, request } = await waiting();
    await request('anna', 'Why?');
    const token = await deviceToken(store, carl);
    const answered = await bodyOf(store.call('POST', `${OWN}/messages`, { token, json: { text: 'So.' } }));
    expect(answered).toMatchObject({
      httpStatus: 201,
      messages: [{}, { role: 'member', name: 'carl', isYours: true }],
    });
  });
});

describe('the text of a message', () => {
  it.each([
    ['markup', '<img src=x onerror=alert(1)>'],
    ['several lines', 'one\ntwo\n\tthree'],
    ['right-to-left letters', 'שלום'],
  ])('can be %s, and is returned unchanged', async (_what, text) => {
    const { request } = await waiting();
    expect(await request('anna', text)).toMatchObject({ messages: [{ text }] });
  });

  it.each([
    ['empty', ' \n '],
    ['too long', 'a'.repeat(2_001)],
    ['text with bidirectional control characters', 'a\u202Eb'],
    ['malformed Unicode', 'a\uD800'],
  ])('cannot be %s', async (_what, text) => {
    const { request } = await waiting();
    expect(await request('anna', text)).toMatchObject({ httpStatus: 400, code: 'invalid_request' });
  });

  it('is refused beyond 100 messages of a side', async () => {
    const { store, carl, request, answer } = await waiting();
    const message = {
      at: '2026-03-01T12:00:00.000Z',
      author: 'person:carl',
      role: 'owner',
      text: 'a',
    } as const;
    const ref = { appId: 'com.example.notes', version: '1.0.0' };
    for (let number = 1; number < MAX_MESSAGES; number += 1) {
      await store.stores.messages.add(ref, { ...message, number, side: 'publisher', requestsChanges: false });
    }
    expect(await answer(carl, 'The last.')).toMatchObject({ httpStatus: 201, left: 0 });
    expect(await answer(carl, 'One more.')).toMatchObject({ httpStatus: 409, code: 'limit_reached' });
    expect(await request('anna', 'Still here.')).toMatchObject({ httpStatus: 201 });
  });
});

describe('a request for changes', () => {
  it('is refused while another moderator holds the lock, unless it overrides the lock', async () => {
    const { store, ask, request } = await waiting();
    await store.as('ben', 'POST', `${reviewPath()}/lock`);
    expect(await request('anna', 'Change.')).toMatchObject({
      httpStatus: 409,
      code: 'locked',
      lock: { name: 'ben' },
    });
    expect(await ask('anna', { text: 'A word only.' })).toMatchObject({ httpStatus: 201 });
    expect(await ask('anna', { text: 'Change.', requestChanges: true, override: true })).toMatchObject({
      httpStatus: 201,
    });
  });

  it('is recorded with the lock that it overrides, and nothing else is', async () => {
    const { store, ask } = await waiting();
    const asked = [
      { text: 'A word.', override: true },
      { text: 'Change.', requestChanges: true },
      { text: 'Change.', requestChanges: true, override: true },
    ];
    for (const json of asked) expect((await ask('anna', json)).httpStatus).toBe(201);
    const { entries } = await bodyOf(store.as('admin', 'GET', '/api/admin/audit?appId=com.example.notes'));
    expect(entries.slice(0, 3).map(({ detail }: { detail: object }) => detail)).toEqual([
      { number: 3, side: 'store', override: true },
      { number: 2, side: 'store' },
      { number: 1, side: 'store' },
    ]);
  });
});

describe('concurrent requests', () => {
  it(`messages of both sides get unique numbers, ${ROUNDS} at a time`, async () => {
    const { carl, dora, read, ask, answer } = await waiting();
    const sent = Array.from({ length: ROUNDS }, (_, i) =>
      i % 2 === 0 ? ask('anna', { text: `a${i}` }) : answer(i % 4 === 1 ? carl : dora, `p${i}`),
    );
    const statuses = (await Promise.all(sent)).map(({ httpStatus }) => httpStatus);
    expect(new Set(statuses)).toEqual(new Set([201]));
    const { messages } = await read(carl);
    expect(messages.map(({ number }: { number: number }) => number)).toEqual(
      Array.from({ length: ROUNDS }, (_, i) => i + 1),
    );
  });

  it(`a message is stored before a rejection or refused, ${ROUNDS} times`, async () => {
    const { store, token, carl } = await waiting();
    for (let round = 1; round <= ROUNDS; round += 1) {
      const version = `1.${round}.0`;
      store.advance(60_000);
      expect((await store.publish(token, { version })).status).toBe(201);
      const path = `/api/apps/com.example.notes/versions/${version}/messages`;
      const write = () => bodyOf(store.call('POST', path, { session: carl, json: { text: 'Wait.' } }));
      const reject = () => bodyOf(store.as('ben', 'POST', `${reviewPath(version)}/reject`, { note: 'No.' }));
      // The two requests take turns at being first.
      const first = round % 2 === 0 ? write() : null;
      const [rejected, written] = await Promise.all([reject(), first ?? write()]);
      const kept = await store.stores.messages.of({ appId: 'com.example.notes', version });
      expect([round, rejected.httpStatus]).toEqual([round, 200]);
      expect([round, kept.length]).toEqual([round, written.httpStatus === 201 ? 1 : 0]);
      if (written.httpStatus !== 201)
        expect(written).toMatchObject({ code: 'already_handled', status: 'rejected' });
    }
  });

  it(`an approval removes a request for changes, ${ROUNDS} times`, async () => {
    const { store, token } = await waiting();
    for (let round = 1; round <= ROUNDS; round += 1) {
      const version = `1.${round}.0`;
      store.advance(60_000);
      await store.publish(token, { version });
      await Promise.all([
        store.as('anna', 'POST', `${reviewPath(version)}/messages`, {
          text: 'Change.',
          requestChanges: true,
        }),
        store.as('ben', 'POST', `${reviewPath(version)}/approve`),
      ]);
      const status = await bodyOf(
        store.call('GET', `/api/apps/com.example.notes/versions/${version}/status`),
      );
      expect([round, status.status, 'changesRequestedAt' in status]).toEqual([round, 'published', false]);
    }
  });
});
