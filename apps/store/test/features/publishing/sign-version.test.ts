import { expect, it } from 'vitest';
import { tamper } from '../../support/database.ts';
import { bodyOf, openTestStore } from '../../support/test-store.ts';

it('publishes an update without reasons for a review at once', async () => {
  const store = await openTestStore();
  const token = await store.publisherToken('example', true);
  await store.publish(token);
  await store.decide('approve', '1.0.0');
  const answer = await store.publish(token, { version: '1.1.0' });
  expect(await bodyOf(Promise.resolve(answer))).toMatchObject({ status: 'published', reasons: [] });
  const moves = (await bodyOf(store.admin('GET', '/api/moderation/apps/com.example.notes/versions/1.1.0')))
    .moves;
  expect(moves.map(({ from, to }: { from: string; to: string }) => `${from} ${to}`)).toEqual([
    'submitted checking',
    'checking approved',
    'approved published',
  ]);
});

it('keeps a version approved when signing fails, and signs it later', async () => {
  const store = await openTestStore();
  const token = await store.publisherToken('example', true);
  await store.publish(token);
  await store.decide('approve', '1.0.0');
  await tamper(store.folder, 'alter table listings rename column updated_at to updated_away');
  const answer = await bodyOf(Promise.resolve(await store.publish(token, { version: '1.1.0' })));
  await tamper(store.folder, 'alter table listings rename column updated_away to updated_at');
  expect(answer).toMatchObject({ httpStatus: 201, status: 'approved', reasons: [] });
  expect(store.lines.join('\n')).toContain('Signing failed; the version stays approved');
  await store.close();
  // The lease of a process that has ended.
  await tamper(store.folder, "update versions set lease_until = '2000-01-01T00:00:00.000Z'");
  const second = await openTestStore({ folder: store.folder });
  expect(await bodyOf(second.call('GET', '/api/apps/com.example.notes'))).toMatchObject({ version: '1.1.0' });
});
