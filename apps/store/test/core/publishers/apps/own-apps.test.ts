import { sampleBundle } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { daysOf } from '../../../../src/core/publishers/apps/own-apps.ts';
import { openPublisherStore } from '../../../support/people.ts';
import { APP, openRatedStore } from '../../../support/rated-store.ts';
import { bodyOf, type TestSession } from '../../../support/test-store.ts';

type Store = Awaited<ReturnType<typeof openPublisherStore>>;

/** Uploads a version of an app with the session of a browser. */
const uploadAs = (store: Store, session: TestSession, manifest: Parameters<typeof sampleBundle>[0]) =>
  store.call('POST', '/api/apps/publish', {
    session,
    body: sampleBundle({ publisher: 'acme', ...manifest }) as Uint8Array<ArrayBuffer>,
    headers: { 'content-type': 'application/zip' },
  });

describe('the apps of a publisher', () => {
  it('are listed for its members with their status', async () => {
    const store = await openPublisherStore();
    const { anna } = store.sessions;
    const upload = (version: string) => uploadAs(store, anna, { id: 'com.acme.notes', version });
    await upload('1.0.0');
    await store.decide('approve', '1.0.0', {}, 'com.acme.notes');
    store.advance(1000);
    await upload('1.1.0');
    await store.decide('reject', '1.1.0', { note: 'No.' }, 'com.acme.notes');
    store.advance(1000);
    await upload('1.2.0');
    const { apps, nextCursor } = await bodyOf(store.as('ben', 'GET', '/apps'));
    expect(nextCursor).toBeNull();
    expect(apps).toEqual([
      {
        appId: 'com.acme.notes',
        name: 'Notes',
        suspended: false,
        createdAt: '2026-03-01T12:00:00.000Z',
        iconUrl: 'https://store.test/api/apps/com.acme.notes/versions/1.0.0/files/assets/icon.png',
        newest: {
          ...{ version: '1.2.0', status: 'in_review', submittedAt: '2026-03-01T12:00:02.000Z' },
          needsYou: false,
        },
        recent: Array.from({ length: 30 }, () => 0),
        counts: {
          ...{ submitted: 0, checking: 0, in_review: 1, approved: 0, rejected: 1, published: 1, yanked: 0 },
        },
        listed: {
          version: '1.0.0',
          publishedAt: '2026-03-01T12:00:00.000Z',
          installs: 0,
          rating: { average: 0, count: 0 },
        },
      },
    ]);
    expect(await bodyOf(store.as('ben', 'GET', '/apps/com.acme.notes'))).toEqual({
      httpStatus: 200,
      ...apps[0],
    });
  });

  it('are not visible to non-members, administrators and former members', async () => {
    const store = await openPublisherStore();
    await uploadAs(store, store.sessions.anna, { id: 'com.acme.notes' });
    const boss = await store.signedIn('boss', { role: 'administrator' });
    await store.as('anna', 'DELETE', '/members/ben');
    const paths = ['', '/com.acme.notes', '/com.acme.notes/versions', '/com.acme.notes/versions/1.0.0'];
    for (const path of [...paths, '/com.acme.notes/diff?from=1.0.0&to=1.0.0']) {
      for (const session of [store.sessions.ben, store.sessions.carl, boss]) {
        const answer = await bodyOf(store.call('GET', `/api/publishers/acme/apps${path}`, { session }));
        expect([path, answer.httpStatus, answer.message]).toEqual([
          path,
          404,
          'You are not a member of a publisher with the short name acme.',
        ]);
      }
    }
  });

  it('cannot be read under the path of another publisher', async () => {
    const store = await openPublisherStore();
    await uploadAs(store, store.sessions.anna, { id: 'com.acme.notes' });
    await store.admin('POST', '/api/admin/publishers', { slug: 'other', name: 'Other' });
    const session = await store.signedIn('carl', { membership: { other: 'owner' } });
    for (const rest of ['', '/versions', '/versions/1.0.0', '/diff?from=1.0.0&to=1.0.0']) {
      const path = `/api/publishers/other/apps/com.acme.notes${rest}`;
      const answer = await bodyOf(store.call('GET', path, { session }));
      expect([rest, answer.httpStatus, answer.code]).toEqual([rest, 404, 'not_found']);
    }
  });

  it('have pages, and an invalid cursor or limit is refused', async () => {
    const store = await openPublisherStore();
    for (const id of ['com.acme.c', 'com.acme.a', 'com.acme.b']) {
      await uploadAs(store, store.sessions.anna, { id });
    }
    const first = await bodyOf(store.as('anna', 'GET', '/apps?limit=2'));
    expect(first.apps.map(({ appId }: { appId: string }) => appId)).toEqual(['com.acme.a', 'com.acme.b']);
    const rest = await bodyOf(store.as('anna', 'GET', `/apps?limit=2&cursor=${first.nextCursor}`));
    expect(rest.apps.map(({ appId }: { appId: string }) => appId)).toEqual(['com.acme.c']);
    expect(rest.nextCursor).toBeNull();
    for (const query of ['cursor=nonsense', 'limit=0', 'limit=101']) {
      expect(await bodyOf(store.as('anna', 'GET', `/apps?${query}`))).toMatchObject({
        httpStatus: 400,
        code: 'invalid_request',
      });
    }
  });

  it('can be uploaded by a signed-in member, but not from another site, without the CSRF token or by a non-member', async () => {
    const store = await openPublisherStore();
    const { anna } = store.sessions;
    const foreign = await store.call('POST', '/api/apps/publish', {
      session: anna,
      body: sampleBundle({ publisher: 'acme' }) as Uint8Array<ArrayBuffer>,
      headers: { 'content-type': 'application/zip', origin: 'https://evil.example' },
    });
    expect(foreign.status).toBe(403);
    expect((await uploadAs(store, { ...anna, csrf: 'guessed' }, {})).status).toBe(403);
    expect((await uploadAs(store, store.sessions.carl, {})).status).toBe(403);
    expect((await bodyOf(store.as('anna', 'GET', '/apps'))).apps).toEqual([]);
    expect((await uploadAs(store, anna, {})).status).toBe(201);
  });

  it('can still be read while they are suspended', async () => {
    const store = await openPublisherStore();
    await uploadAs(store, store.sessions.anna, { id: 'com.acme.notes' });
    await store.admin('PATCH', '/api/admin/apps/com.acme.notes', { suspended: true });
    await store.admin('PATCH', '/api/admin/publishers/acme', { suspended: true });
    const { apps } = await bodyOf(store.as('ben', 'GET', '/apps'));
    expect(apps).toMatchObject([{ appId: 'com.acme.notes', suspended: true }]);
  });
});

const CHART = `/api/publishers/example/apps/${APP}/installs`;
const DAY_MS = 24 * 3_600_000;

describe('the chart of installs', () => {
  it('contains every day, with each version that was downloaded', async () => {
    const store = await openRatedStore();
    await store.install('anna');
    await store.install('ben');
    store.advance(2 * DAY_MS);
    await store.publishVersion('1.10.0');
    await store.install('anna', '1.10.0');
    await store.install('carl', '1.10.0');
    await store.install('dora');
    await store.writeInstalls();
    const chart = await bodyOf(store.as('olga', 'GET', `${CHART}?from=2026-02-28`));
    expect(chart).toEqual({
      httpStatus: 200,
      appId: APP,
      installs: 4,
      from: '2026-02-28',
      to: '2026-03-03',
      versions: ['1.10.0', '1.0.0'],
      days: [
        { day: '2026-02-28', installs: 0, updates: 0, versions: [] },
        {
          day: '2026-03-01',
          installs: 2,
          updates: 0,
          versions: [{ version: '1.0.0', installs: 2, updates: 0 }],
        },
        { day: '2026-03-02', installs: 0, updates: 0, versions: [] },
        {
          day: '2026-03-03',
          installs: 2,
          updates: 1,
          versions: [
            { version: '1.0.0', installs: 1, updates: 0 },
            { version: '1.10.0', installs: 1, updates: 1 },
          ],
        },
      ],
    });
  });

  it('covers the 30 days up to today by default', async () => {
    const store = await openRatedStore();
    const { days, from, to } = await bodyOf(store.as('olga', 'GET', CHART));
    expect([days.length, from, to]).toEqual([30, '2026-01-31', '2026-03-01']);
  });

  it('is refused for an app of another publisher', async () => {
    const store = await openRatedStore();
    await store.publisherToken('other');
    await store.signedIn('oscar', { membership: { other: 'owner' } });
    for (const path of [CHART, `/api/publishers/other/apps/${APP}/installs`]) {
      expect(await bodyOf(store.as('oscar', 'GET', path))).toMatchObject({ code: 'not_found' });
    }
  });

  it('refuses invalid dates, and a range that is reversed or too long', async () => {
    const store = await openRatedStore();
    for (const query of [
      'from=2026-03-02&to=2026-03-01',
      'from=2025-01-01&to=2026-03-01',
      'from=0001-01-01',
      'to=2026-02-30',
      'from=yesterday',
    ]) {
      const answer = await bodyOf(store.as('olga', 'GET', `${CHART}?${query}`));
      expect(answer, query).toMatchObject({ httpStatus: 400, issues: [{ level: 'error' }] });
    }
  });
});

it('daysOf includes leap days, and allows at most 366 days', () => {
  const now = new Date('2028-03-01T23:59:59.999Z');
  expect(daysOf({ from: '2028-02-28' }, now)).toEqual(['2028-02-28', '2028-02-29', '2028-03-01']);
  expect(daysOf({ from: '2027-03-02' }, now)).toHaveLength(366);
  expect(() => daysOf({ from: '2027-03-01' }, now)).toThrow('malformed');
  expect(daysOf({ from: '2028-03-01', to: '2028-03-01' }, now)).toEqual(['2028-03-01']);
});
