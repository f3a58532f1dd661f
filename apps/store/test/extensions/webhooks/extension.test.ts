import { BOTH_DATABASES } from '@svc/testkit';
import { expect, it } from 'vitest';
import { webhookQueries } from '../../../src/extensions/webhooks/extension.ts';
import { openPublisherStore } from '../../support/people.ts';
import { bodyOf, jsonOf, openTestStore } from '../../support/test-store.ts';

const OURS = '/api/webhooks?publisher=acme';
const DAY = 24 * 3_600_000;

/** A store with a webhook of the publisher acme, which anna added. */
async function opened(options: Parameters<typeof openPublisherStore>[0] = {}) {
  const store = await openPublisherStore(options);
  const as = (method: string, path: string, json?: unknown) =>
    store.call(method, path, { session: store.sessions.anna, ...(json !== undefined && { json }) });
  const add = (host = 'evil.example') => as('POST', OURS, { url: `https://${host}/hook` });
  const { id } = await jsonOf<{ id: string }>(add());
  const { webhooks, events } = webhookQueries(store.stores.db);
  /** Queues an event of the store. */
  async function queue(): Promise<void> {
    const hook = await webhooks.find(id);
    const last = await events.last();
    expect(hook && (await webhooks.queue(hook, [last], last, store.clock().toISOString()))).toBe(true);
  }
  return { store, as, add, id, webhooks, queue };
}

// A webhook stays when the operator switches webhooks off, and an attacker may have added it.
it.each([
  ['a store', {}],
  ['a store that runs without webhooks now', { SVC_WITHOUT: 'webhooks' }],
])('the recovery of an account removes its webhooks, in %s', BOTH_DATABASES, async (_, environment) => {
  const { store: before, id } = await opened();
  await before.close();
  const store = await openTestStore({ folder: before.folder, environment });
  expect(await webhookQueries(store.stores.db).webhooks.find(id)).not.toBeNull();
  const ended = await store.hooks.endAccess(store.stores, 'anna');
  expect(ended).toMatchObject({ webhooksRemoved: 1 });
  expect(await webhookQueries(store.stores.db).webhooks.find(id)).toBeNull();
});

it('webhooks end with their publisher', async () => {
  const { store, as, webhooks, id, queue } = await opened();
  await queue();
  store.advance(8 * DAY);
  await store.prove(store.sessions.anna);
  expect((await as('DELETE', '/api/publishers/acme')).status).toBe(200);
  expect(await webhooks.find(id)).toBeNull();
  expect(await webhooks.deliveries(id, 1)).toEqual([]);
});

it(
  'an owner adds and removes none once they are demoted, whatever is under way',
  BOTH_DATABASES,
  async () => {
    const { store, as, add, id } = await opened({ roles: { anna: 'owner', ben: 'owner' } });
    const demote = store.as('ben', 'PATCH', '/members/anna', { role: 'member' });
    const answers = await Promise.all([
      add(),
      demote,
      as('DELETE', `/api/webhooks/${id}`),
      add('other.example'),
    ]);
    expect(answers[1]?.status).toBe(200);
    expect(answers.every(({ status }) => [200, 201, 403].includes(status))).toBe(true);
    const { entries } = await bodyOf(store.admin('GET', '/api/admin/audit'));
    const actors: string[] = entries.map(({ actor }: { actor: string }) => actor);
    expect(actors.indexOf('person:anna')).toBeGreaterThan(actors.indexOf('person:ben'));
  },
);

it('deliveries are kept for thirty days', async () => {
  const { store, webhooks, id, queue } = await opened();
  const now = store.clock();
  await queue();
  await store.hooks.purgeExpired(new Date(now.getTime() + 30 * DAY));
  expect(await webhooks.deliveries(id, 1)).toHaveLength(1);
  await store.hooks.purgeExpired(new Date(now.getTime() + 30 * DAY + 1));
  expect(await webhooks.deliveries(id, 1)).toEqual([]);
});
