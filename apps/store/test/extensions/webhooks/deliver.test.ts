import { createHmac, createPublicKey, verify } from 'node:crypto';
import { BOTH_DATABASES } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import type { PostAnswer, Sites } from '../../../src/core/publishers/site.ts';
import { webhookQueries } from '../../../src/extensions/webhooks/extension.ts';
import { onPostgres } from '../../support/database.ts';
import { bodyOf, jsonOf, openTestStore, type TestStore } from '../../support/test-store.ts';

const deliverDue = (store: TestStore): Promise<void> => store.runJob('Delivering webhooks');

type Sent = { url: string; headers: Record<string, string>; body: string };

/** Receivers whose answers a test sets. */
function receivers(answer: (sent: Sent) => PostAnswer | Promise<PostAnswer> = () => ({ status: 204 })) {
  const sent: Sent[] = [];
  const state = { answer };
  const nothing = async () => ({ fault: 'none' });
  const sites: Sites = {
    isPrivate: async () => false,
    txt: nothing,
    file: nothing,
    async post(url, headers, body) {
      sent.push({ url, headers, body });
      return state.answer({ url, headers, body });
    },
  };
  return { sent, sites, state };
}

const HOOK = { url: 'https://receiver.example.com/hook' };
const OURS = '/api/webhooks?publisher=example';

async function opened(answer?: Parameters<typeof receivers>[0], repeatsJobs = false) {
  const { sent, sites, state } = receivers(answer);
  const store = await openTestStore({ sites, repeatsJobs });
  const token = await store.publisherToken('example', true);
  const owner = await store.signedIn('ann', { membership: { example: 'owner' } });
  const add = (json: object = HOOK, path = OURS) => store.call('POST', path, { session: owner, json });
  return { store, token, owner, sent, sites, state, add };
}

const typesOf = (sent: readonly Sent[]) => sent.map(({ body }) => JSON.parse(body).type);

const deliveriesOf = async (store: TestStore, session: Parameters<TestStore['prove']>[0], id: string) =>
  (await bodyOf(store.call('GET', `/api/webhooks/${id}/deliveries`, { session }))).deliveries;

describe('a webhook', () => {
  it('gets the events of its publisher in order, signed with its secret and with the key of the store', async () => {
    const { store, token, owner, sent, add } = await opened();
    const { id, secret } = await jsonOf<{ id: string; secret: string }>(add());
    await store.publisherToken('other', true);
    await store.publish(token);
    await store.decide('approve', '1.0.0', {});
    await store.admin('POST', '/api/apps/com.example.notes/versions/1.0.0/yank', {
      reason: 'It lost notes.',
    });
    await deliverDue(store);
    expect(typesOf(sent)).toEqual([
      'version.submitted',
      'version.approved',
      'version.published',
      'version.yanked',
    ]);
    const { headers, body } = sent[3] as Sent;
    expect(JSON.parse(body)).toEqual({
      type: 'version.yanked',
      timestamp: '2026-03-01T12:00:00.000Z',
      data: {
        ...{
          id: expect.stringMatching(/^\d+$/),
          appId: 'com.example.notes',
          version: '1.0.0',
          publisher: 'example',
        },
        reason: 'It lost notes.',
        tags: ['svc-version-com.example.notes@1.0.0'],
      },
    });
    const content = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`);
    const [v1, v1a] = (headers['webhook-signature'] ?? '').split(' ').map((part) => part.split(','));
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
    expect(v1).toEqual(['v1', createHmac('sha256', key).update(content).digest('base64')]);
    const { webhooks, publicKey } = await bodyOf(store.call('GET', OURS, { session: owner }));
    const x = Buffer.from(publicKey.replace('whpk_', ''), 'base64').toString('base64url');
    const publicJwk = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    expect(v1a?.[0]).toBe('v1a');
    expect(verify(null, content, publicJwk, Buffer.from(v1a?.[1] ?? '', 'base64'))).toBe(true);
    // The secret was shown once.
    expect(JSON.stringify(webhooks)).not.toContain(secret);
    expect((await deliveriesOf(store, owner, id))[0]).toMatchObject({
      state: 'delivered',
      status: 204,
      tries: 1,
    });
    await deliverDue(store);
    expect(sent).toHaveLength(4);
  });

  it('gives an event up after a day in which others arrived, and sends again what a user chooses', async () => {
    const isPoison = (body: string) => JSON.parse(body).data.version === '1.0.0';
    const { store, token, owner, sent, state, add } = await opened(({ body }) => ({
      status: isPoison(body) ? 500 : 200,
    }));
    const { id } = await jsonOf<{ id: string }>(add({ ...HOOK, types: ['version.submitted'] }));
    await store.publish(token);
    const begin = store.clock().getTime();
    const poison = async () => (await deliveriesOf(store, owner, id)).at(-1);
    await deliverDue(store);
    for (let n = 1; (await poison()).state === 'waiting'; n += 1) {
      store.advance(Date.parse((await poison()).nextTryAt) - store.clock().getTime());
      await store.publish(token, { version: `1.${n}.0` });
      await deliverDue(store);
      // The pause of a receiver that has just failed.
      store.advance(30 * 60_000);
      await deliverDue(store);
    }
    expect((store.clock().getTime() - begin) / 3_600_000).toBeGreaterThan(23.6);
    const failed = await poison();
    expect(failed).toMatchObject({ state: 'failed', tries: 9, nextTryAt: null, status: 500 });
    expect(sent.filter(({ body }) => isPoison(body))).toHaveLength(9);
    state.answer = () => ({ status: 200 });
    const path = `/api/webhooks/${id}/deliveries/${failed.event.data.id}/redeliver`;
    const fresh = await store.signedIn('ann');
    expect((await store.call('POST', path, { session: fresh })).status).toBe(200);
    await deliverDue(store);
    expect(await poison()).toMatchObject({ state: 'delivered' });
  });

  it(
    'is paused after half a day without an answer, with a mail to its owners, and loses nothing',
    BOTH_DATABASES,
    async () => {
      const { store, token, owner, sent, state, add } = await opened(() => ({
        fault: 'It refuses connections.',
      }));
      await store.signedIn('bob', { membership: { example: 'member' } });
      const { id } = await jsonOf<{ id: string }>(add({ ...HOOK, types: ['version.submitted'] }));
      const resume = () => store.call('POST', `/api/webhooks/${id}/resume`, { session: owner });
      await store.publish(token);
      const hook = async () => (await bodyOf(store.call('GET', OURS, { session: owner }))).webhooks[0];
      for (let hour = 0; hour < 20; hour += 0.5) {
        await deliverDue(store);
        store.advance(30 * 60_000);
      }
      expect(await hook()).toMatchObject({
        failingSince: '2026-03-01T12:00:00.000Z',
        pausedAt: expect.any(String),
      });
      // Waiting, or sent by now: without a mail server, to the log.
      const isMailed = async (to: string) =>
        (await store.stores.mails.to(to, 10)).some(({ kind }) => kind === 'webhook-paused') ||
        store.lines.some((line) => line.includes(`"to":"${to}"`) && line.includes('is paused'));
      expect([await isMailed('ann@example.com'), await isMailed('bob@example.com')]).toEqual([true, false]);
      // Nothing is sent while it is paused, however long.
      await store.publish(token, { version: '1.1.0' });
      sent.length = 0;
      store.advance(40 * 24 * 3_600_000);
      await deliverDue(store);
      expect(sent).toEqual([]);
      state.answer = () => ({ status: 200 });
      Object.assign(owner, await store.signedIn('ann'));
      expect((await resume()).status).toBe(200);
      expect((await resume()).status).toBe(409);
      await deliverDue(store);
      expect(sent.map(({ body }) => JSON.parse(body).data.version)).toEqual(['1.0.0', '1.1.0']);
      expect(await hook()).toMatchObject({ failingSince: null, pausedAt: null });
    },
  );

  it('ends with 410, and follows no redirect', async () => {
    const { store, token, owner, sent, state, add } = await opened(() => ({ status: 302 }));
    const { id } = await jsonOf<{ id: string }>(add());
    await store.publish(token);
    await deliverDue(store);
    expect(await deliveriesOf(store, owner, id)).toMatchObject([{ state: 'waiting', status: 302 }]);
    state.answer = () => ({ status: 410 });
    store.advance(5_000);
    await deliverDue(store);
    await store.decide('approve', '1.0.0', {});
    await deliverDue(store);
    expect(sent).toHaveLength(2);
    const { webhooks } = await bodyOf(store.call('GET', OURS, { session: owner }));
    expect(webhooks).toMatchObject([{ disabledAt: expect.any(String) }]);
  });

  it('waits for no other receiver', async () => {
    const slow = Promise.withResolvers<PostAnswer>();
    const { store, token, sent, add } = await opened(({ url }) =>
      url.includes('slow') ? slow.promise : { status: 200 },
    );
    await add({ url: 'https://slow.example.com/' });
    await add();
    await store.publish(token);
    const delivering = deliverDue(store);
    await expect
      .poll(() => sent.map(({ url }) => new URL(url).host).sort())
      .toEqual(['receiver.example.com', 'slow.example.com']);
    slow.resolve({ status: 200 });
    await delivering;
  });

  it.for([1, 20, 200])('does not wait for %s receivers that never answer', async (dead, { annotate }) => {
    const never = Promise.withResolvers<PostAnswer>();
    // As in a running store: a run by name waits for those before it.
    const { store, token, sent, owner } = await opened(
      ({ url }) => (url.includes('dead') ? never.promise : { status: 200 }),
      true,
    );
    const afterEvent = await webhookQueries(store.stores.db).events.last();
    const hook = (id: string) => ({
      ...{ id, publisher: 'example', url: `https://${id}.example.com/`, types: null, secret: 'whsec_AAAA' },
      ...{ afterEvent, createdAt: store.clock().toISOString(), madeBy: owner.personId, disabledAt: null },
    });
    await webhookQueries(store.stores.db).webhooks.add(hook('good'));
    await store.publish(token, { version: '0.9.0' });
    // It has answered once.
    await deliverDue(store);
    for (let n = 0; n < dead; n += 1) await webhookQueries(store.stores.db).webhooks.add(hook(`dead-${n}`));
    const delivering = deliverDue(store);
    await expect.poll(() => sent.some(({ url }) => url.includes('dead'))).toBe(true);
    sent.length = 0;
    await store.publish(token, { version: '1.0.0' });
    const began = performance.now();
    const next = deliverDue(store);
    await expect
      .poll(() => typesOf(sent.filter(({ url }) => url.includes('good'))))
      .toEqual(['version.submitted']);
    await annotate(`beside ${dead} dead ones: ${Math.round(performance.now() - began)} ms`);
    never.resolve({ fault: 'It did not answer within 10 seconds.' });
    await Promise.all([delivering, next]);
  });

  it(
    'gets each event although processes deliver at the same time, and the one before died',
    BOTH_DATABASES,
    async () => {
      const { store, token, sent, sites, add } = await opened();
      await add();
      const other = onPostgres() ? await openTestStore({ folder: store.folder, sites }) : store;
      await store.publish(token);
      await Promise.all([deliverDue(store), deliverDue(other), deliverDue(store)]);
      await deliverDue(store);
      expect(typesOf(sent)).toEqual(['version.submitted']);
      // A process that dies after it claimed a delivery leaves a lease, after which the event is sent again.
      await store.decide('approve', '1.0.0', {});
      const last = await webhookQueries(store.stores.db).events.last();
      for (const hook of await webhookQueries(store.stores.db).webhooks.behind(false, last, 10))
        await webhookQueries(store.stores.db).webhooks.queue(hook, [last], last, store.clock().toISOString());
      const [hook] = await webhookQueries(store.stores.db).webhooks.due(
        false,
        store.clock().toISOString(),
        10,
      );
      const [due] = await webhookQueries(store.stores.db).webhooks.dueOf(
        hook?.id ?? '',
        store.clock().toISOString(),
        10,
      );
      if (!due) throw new Error('Nothing is due.');
      const until = new Date(store.clock().getTime() + 60_000).toISOString();
      await webhookQueries(store.stores.db).webhooks.claim(due, store.clock().toISOString(), until);
      if (hook) await webhookQueries(store.stores.db).webhooks.beginTurn(hook, until);
      await deliverDue(other);
      expect(sent).toHaveLength(1);
      for (const one of new Set([store, other])) one.advance(60_000);
      await deliverDue(other);
      expect(typesOf(sent)).toEqual(['version.submitted', 'version.published']);
    },
  );

  it('gets nothing while the user who added it is suspended, or no administrator for one of the store', async () => {
    const { store, token, owner, sent, add } = await opened();
    const root = await store.signedIn('root', { role: 'administrator' });
    await store.signedIn('other', { role: 'administrator' });
    await add();
    const all = { session: root, json: { url: 'https://all.example.com/hook' } };
    expect((await store.call('POST', '/api/webhooks', all)).status).toBe(201);
    const change = (id: string, json: object) =>
      store.admin('PATCH', `/api/admin/people/${id}`, { reason: 'Stolen.', ...json });
    await store.publish(token);
    await change(owner.personId, { suspended: true });
    await change(root.personId, { role: 'moderator' });
    await deliverDue(store);
    await store.publish(token, { version: '1.1.0' });
    await deliverDue(store);
    expect(sent).toEqual([]);
    await change(owner.personId, { suspended: false });
    await change(root.personId, { role: 'administrator' });
    await deliverDue(store);
    const to = (url: string) => typesOf(sent.filter((one) => one.url === url));
    expect(to(HOOK.url)).toEqual(['version.submitted', 'version.submitted']);
    expect(to(all.json.url)).toEqual(expect.arrayContaining(['version.submitted', 'version.submitted']));
  });

  it('has an address on the Internet, belongs to owners, and ends with a recovery of who added it', async () => {
    const { store, owner, add } = await opened();
    for (const url of [
      'http://a.example/',
      'https://a.example:8443/',
      'https://localhost/',
      'https://u:p@a.example/',
    ])
      expect([url, (await add({ url })).status]).toEqual([url, 400]);
    expect((await add(HOOK, '/api/webhooks')).status).toBe(403);
    const { id } = await jsonOf<{ id: string }>(add());
    const eve = await store.signedIn('eve');
    expect((await store.call('GET', `/api/webhooks/${id}/deliveries`, { session: eve })).status).toBe(404);
    await webhookQueries(store.stores.db).webhooks.removeMadeBy(owner.personId);
    expect((await bodyOf(store.call('GET', OURS, { session: owner }))).webhooks).toEqual([]);
  });
});

it('lists public events for mirrors, which continue where they were', async () => {
  const { store, token } = await opened();
  await store.publish(token);
  const none = await bodyOf(store.call('GET', '/api/events'));
  // Verified by the administrator who created it; what waits for review is not public.
  expect(none.events.map(({ type }: { type: string }) => type)).not.toContain('version.submitted');
  await store.decide('approve', '1.0.0', {});
  await store.admin('POST', '/api/apps/com.example.notes/versions/1.0.0/yank', { reason: 'It lost notes.' });
  const first = await bodyOf(store.call('GET', `/api/events?since=${none.next}&limit=1`));
  expect(first.events).toMatchObject([{ type: 'version.published', data: { appId: 'com.example.notes' } }]);
  const second = await bodyOf(store.call('GET', `/api/events?since=${first.next}`));
  expect(second.events).toMatchObject([{ type: 'version.yanked', data: { reason: 'It lost notes.' } }]);
  expect((await bodyOf(store.call('GET', `/api/events?since=${second.next}`))).next).toBe(second.next);
  expect((await store.call('GET', '/api/events?since=none')).status).toBe(400);
});
