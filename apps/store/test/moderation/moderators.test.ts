import { expect, it } from 'vitest';
import { openModeratedStore } from '../support/moderated-store.ts';
import { bodyOf } from '../support/test-store.ts';

it('moderators know each other by the names that stand on record, and nobody else', async () => {
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
