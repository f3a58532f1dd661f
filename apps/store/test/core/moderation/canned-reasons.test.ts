import type { CannedReason } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { openModeratedStore, reviewPath } from '../../support/moderated-store.ts';
import { bodyOf } from '../../support/test-store.ts';

const OWN = [
  { id: 'no-licence', title: 'No licence', text: 'Add a LICENSE file.' },
  { id: 'not-working', title: 'Broken', text: 'It fell over.' },
];

async function waiting(policy: object = {}) {
  const store = await openModeratedStore({ policy });
  const token = await store.publisherToken();
  await store.publish(token);
  const reasons = async (): Promise<CannedReason[]> =>
    (await bodyOf(store.as('anna', 'GET', '/api/moderation/reasons'))).reasons;
  const reject = (json: unknown) => bodyOf(store.as('anna', 'POST', `${reviewPath()}/reject`, json));
  return { reasons, reject };
}

describe('canned reasons', () => {
  it('have defaults', async () => {
    const { reasons, reject } = await waiting();
    const [first] = await reasons();
    expect(await reasons()).toContainEqual({
      id: 'impersonation',
      rule: 'impersonation',
      title: expect.any(String),
      text: expect.any(String),
    });
    expect(await reject({ reason: first?.id })).toMatchObject({ status: 'rejected', notes: first?.text });
  });

  it('are extended by the policy, which also replaces those with the same id', async () => {
    const { reasons } = await waiting({ cannedReasons: OWN });
    const all = await reasons();
    expect(all).toEqual(expect.arrayContaining(OWN));
    expect(all.filter(({ id }) => id === 'not-working')).toHaveLength(1);
  });

  it('come before the note of the reviewer', async () => {
    const { reject } = await waiting({ cannedReasons: OWN });
    expect(await reject({ reason: 'no-licence', note: 'MIT would do.' })).toMatchObject({
      notes: 'Add a LICENSE file.\n\nMIT would do.',
    });
  });

  it.each([
    [{}, '/note'],
    [{ note: ' ' }, '/note'],
    [{ reason: 'no-such-reason' }, '/reason'],
    [{ reason: '', note: 'No.' }, '/reason'],
    [{ reason: '__proto__', note: 'No.' }, '/reason'],
    [{ reason: 'Impersonation', note: 'No.' }, '/reason'],
    [{ reason: 7 }, '/reason'],
    [{ note: 'x'.repeat(2_001) }, '/note'],
  ])('are validated: a rejection with %j is refused', async (body, path) => {
    const { reject } = await waiting();
    expect(await reject(body)).toMatchObject({
      httpStatus: 400,
      code: 'invalid_request',
      issues: [{ path }],
    });
    expect(await reject({ note: 'No.' })).toMatchObject({ status: 'rejected' });
  });
});
