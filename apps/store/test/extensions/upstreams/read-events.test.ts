import { BOTH_DATABASES } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { createUpstreamStore } from '../../../src/extensions/upstreams/upstream-store.ts';
import { needsExtension } from '../../support/extensions.ts';
import { bodyOf } from '../../support/test-store.ts';
import { APP, carrying, type Lie } from './support.ts';

const MINUTE = 60_000;
const READING = 'Reading events of upstreams';
const EVENTS = '/api/events';

const yanked = (type: string, appId: string | null, next: string) => ({
  events: [
    {
      type,
      timestamp: '2026-01-01T00:00:00.000Z',
      data: { id: next, appId, version: null, publisher: null },
    },
  ],
  next,
});

/** A company that has read the end of the events of its upstream. */
async function withEvents() {
  const world = await carrying();
  const readEvents = () => world.company.runJob(READING);
  await readEvents();
  world.origin.asked.length = 0;
  const state = async (version: string) =>
    (await world.company.stores.versions.find({ appId: APP, version }))?.state ?? null;
  return { ...world, readEvents, state };
}

describe('the events of an upstream', () => {
  it('bring a yank, its undoing, an update and a suspension at once', {
    ...BOTH_DATABASES,
    ...needsExtension('webhooks'),
  }, async () => {
    const { origin, company, readEvents, state, later } = await withEvents();
    later(MINUTE);
    await origin.publish(origin.token, { id: APP, version: '1.1.0' });
    await readEvents();
    expect(await state('1.1.0')).toBe('published');
    later(1_000);
    await origin.admin('POST', `/api/apps/${APP}/versions/1.1.0/yank`, { reason: 'It lost notes.' });
    await readEvents();
    expect(await state('1.1.0')).toBe('yanked');
    later(1_000);
    await origin.admin('POST', `/api/admin/apps/${APP}/versions/1.1.0/unyank`, {
      reason: 'It was no fault.',
    });
    await readEvents();
    expect(await state('1.1.0')).toBe('published');
    await origin.admin('PATCH', `/api/admin/apps/${APP}`, { suspended: true, reason: 'Looked into.' });
    await readEvents();
    expect((await company.call('GET', `/api/apps/${APP}`)).status).toBe(404);
  });

  it(
    'cost one request while nothing happens, and none where there are none',
    needsExtension('webhooks'),
    async () => {
      const { origin, readEvents, later } = await withEvents();
      await readEvents();
      const events = () => origin.asked.filter((path) => path.startsWith(EVENTS));
      expect(events()).toHaveLength(1);
      origin.lie((path) => (path === EVENTS ? new Response('', { status: 404 }) : undefined));
      await readEvents();
      origin.asked.length = 0;
      await readEvents();
      expect(events()).toEqual([]);
      later(60 * MINUTE);
      await readEvents();
      expect(events()).toHaveLength(1);
    },
  );

  it.each<[string, Lie]>([
    ['that are a page', (path) => (path === EVENTS ? new Response('<html>') : undefined)],
    ['that are away', (path) => (path === EVENTS ? new Response('', { status: 503 }) : undefined)],
    [
      'of other apps',
      (path) =>
        path === EVENTS ? Response.json(yanked('version.yanked', 'com.other.app', '99')) : undefined,
    ],
    [
      'of kinds that are new',
      (path) => (path === EVENTS ? Response.json(yanked('app.renamed', null, '99')) : undefined),
    ],
    [
      'without an end',
      (path) =>
        path === EVENTS
          ? Response.json(yanked('version.yanked', APP, String(Math.floor(Math.random() * 1e9))))
          : undefined,
    ],
  ])('%s change nothing that is not signed', async (_what, lie) => {
    const { origin, readEvents, state, upstream } = await withEvents();
    origin.lie(lie);
    await readEvents();
    expect(origin.asked.filter((path) => path.startsWith(EVENTS)).length).toBeLessThanOrEqual(4);
    expect(await state('1.0.0')).toBe('published');
    expect((await upstream()).failure).toBe(null);
  });

  it(
    'are read by the process that follows the upstream, and by another one when that is gone',
    BOTH_DATABASES,
    async () => {
      const { company, id, later } = await withEvents();
      const { lead } = createUpstreamStore(company.stores.db);
      expect(await lead(id, 'other', company.clock())).toBe(false);
      later(41_000);
      expect(await lead(id, 'other', company.clock())).toBe(true);
      await company.runJob('Following upstreams');
      expect((await bodyOf(company.admin('GET', '/api/admin/upstreams'))).upstreams).toHaveLength(1);
      expect(await lead(id, 'other', company.clock())).toBe(true);
      expect(await lead(id, 'third', company.clock())).toBe(false);
    },
  );
});
