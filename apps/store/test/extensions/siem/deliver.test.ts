import type { AuditEntry } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { createAuditDelivery } from '../../../src/extensions/siem/deliver.ts';
import { siemQueries } from '../../../src/extensions/siem/extension.ts';
import { UnavailableError } from '../../../src/platform/unavailable-error.ts';
import { bodyOf, openTestStore } from '../../support/test-store.ts';

/** A store with some entries, and a collector that may be away. */
async function opened(count = 3) {
  const store = await openTestStore();
  const actor = { name: 'automation', from: { address: null, requestId: null } };
  const at = store.clock().toISOString();
  const event = { action: 'publisher.create', publisher: 'acme' } as const;
  await store.stores.audit.addAll(
    actor,
    at,
    Array.from({ length: count }, () => event),
  );
  const got: number[] = [];
  let fault: Error | null = null;
  const auditSink = {
    host: 'siem.example',
    async send(entries: readonly AuditEntry[]) {
      if (fault) throw fault;
      got.push(...entries.map(({ id }) => id));
    },
  };
  const watched: string[] = [];
  const outages = {
    add: () => {},
    watch: async <T>(name: string, work: () => Promise<T>) => {
      watched.push(name);
      return work();
    },
  };
  const delivery = siemQueries(store.stores.db).delivery;
  const deps = { clock: store.clock, audit: store.stores.audit, delivery, auditSink, outages };
  const all = async () => Array.from({ length: await store.stores.audit.lastId() }, (_, n) => n + 1);
  return {
    ...{ store, got, delivery, deps, all, watched },
    deliver: createAuditDelivery(deps),
    break: (error: Error | null) => {
      fault = error;
    },
  };
}

describe('the delivery of the audit log', () => {
  it('sends every entry once and in order, in batches, also those that come later', async () => {
    const { deliver, got, all, store } = await opened(1_203);
    await deliver();
    expect(got).toEqual(await all());
    await store.admin('POST', '/api/admin/publishers', { slug: 'other', name: 'Other' });
    await deliver();
    await deliver();
    expect(got).toEqual(await all());
  });

  it('sends entries again that a collector may not have, after a pause that grows to five minutes', async () => {
    const world = await opened();
    world.break(new UnavailableError('away', { retryAfter: 1 }));
    const waits: number[] = [];
    for (let tries = 0; tries < 9; tries += 1) {
      await world.deliver();
      const before = world.watched.length;
      let waited = 0;
      while (world.watched.length === before && waited < 400) {
        world.store.advance(1_000);
        waited += 1;
        await world.deliver();
      }
      waits.push(waited);
    }
    expect(waits.slice(0, 4)).toEqual([5, 10, 20, 40]);
    expect(Math.max(...waits)).toBe(300);
    world.break(null);
    world.store.advance(300_000);
    await world.deliver();
    expect(world.got).toEqual(await world.all());
  });

  it('waits as long as the collector asks', async () => {
    const world = await opened();
    world.break(new UnavailableError('away', { retryAfter: 600 }));
    await world.deliver();
    world.break(null);
    world.store.advance(599_000);
    await world.deliver();
    expect(world.got).toEqual([]);
    world.store.advance(1_000);
    await world.deliver();
    expect(world.got).toEqual(await world.all());
  });

  it('is the work of one process at a time, and of the next after two minutes', async () => {
    const { deliver, delivery, deps, got, store, all } = await opened();
    const now = store.clock();
    const until = new Date(now.getTime() + 120_000).toISOString();
    expect(await delivery.claim(now.toISOString(), until)).toBe(true);
    await deliver();
    expect(got).toEqual([]);
    store.advance(121_000);
    await createAuditDelivery(deps)();
    expect(got).toEqual(await all());
    expect(await bodyOf(store.admin('GET', '/api/admin/audit-delivery'))).toMatchObject({
      ...{ httpStatus: 200, to: null, delivered: got.length, last: got.length },
      deliveredAt: store.clock().toISOString(),
    });
  });
});
