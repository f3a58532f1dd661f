import { runs } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { openModeratedStore, type Reviewer, reviewPath } from '../../support/moderated-store.ts';
import { ADMIN_TOKEN, bodyOf } from '../../support/test-store.ts';

const ROUNDS = runs(20);

/** A version in review, uploaded by anna or with the token of the publisher. */
async function waiting({
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
    const { approve, conflict, join } = await waiting({});
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
    const { approve, conflict } = await waiting({ uploader: 'anna' });
    expect(await conflict('anna')).toBe('uploader');
    expect(await approve('anna')).toMatchObject({ httpStatus: 403, code: 'forbidden' });
    expect(await approve('ben')).toMatchObject({ status: 'published' });
  });

  it('is accepted from automation, which acts for the operator', async () => {
    const { store, approve } = await waiting({});
    await store.publish(ADMIN_TOKEN, { id: 'com.example.other' });
    expect(await approve('admin')).toMatchObject({ status: 'published' });
    const other = `${reviewPath('1.0.0', 'com.example.other')}/approve`;
    expect(await bodyOf(store.as('admin', 'POST', other))).toMatchObject({ status: 'published' });
  });

  it('is accepted from all moderators when the policy allows it', async () => {
    const { approve, conflict, join } = await waiting({ policy: { independentReview: false } });
    await join('anna');
    expect(await conflict('anna')).toBeNull();
    expect(await approve('anna')).toMatchObject({ status: 'published' });
  });

  it('is accepted from the only moderator, until there is another', async () => {
    const { store, approve, conflict, join } = await waiting({});
    await join('anna');
    await store.stores.people.change('ben', { suspended: true });
    expect(await conflict('anna')).toBeNull();
    await store.stores.people.change('ben', { suspended: false });
    expect(await approve('anna')).toMatchObject({ httpStatus: 403 });
    await store.stores.people.change('ben', { role: 'person' });
    expect(await approve('anna')).toMatchObject({ status: 'published' });
  });

  it(`is refused or made before its moderator joins the publisher, when both happen at once, ${ROUNDS} times`, async () => {
    const { store, token, join } = await waiting({});
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
    const { store, join } = await waiting({});
    await join('anna');
    const body = { note: 'Withdrawn by its publisher.' };
    expect(await bodyOf(store.as('anna', 'POST', `${reviewPath()}/reject`, body))).toMatchObject({
      status: 'rejected',
    });
  });
});
