import { expect, it } from 'vitest';
import { openModeratedStore } from '../../support/moderated-store.ts';
import { bodyOf } from '../../support/test-store.ts';

it('the list of moderators contains only moderators and administrators, without email addresses', async () => {
  const store = await openModeratedStore();
  await store.signedIn('someone');
  await store.signedIn('root', { role: 'administrator' });
  const { moderators } = await bodyOf(store.as('anna', 'GET', '/api/moderation/moderators'));
  expect(moderators.map(({ by }: { by: string }) => by).sort()).toEqual([
    'person:anna',
    'person:ben',
    'person:root',
  ]);
  expect(JSON.stringify(moderators)).not.toContain('@');
});
