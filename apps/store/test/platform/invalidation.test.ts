import { BOTH_DATABASES, DEEP } from '@svc/testkit';
import { eventually } from '@svc/testkit/eventually';
import { describe, expect, it, vi } from 'vitest';
import { createInvalidation } from '../../src/platform/invalidation.ts';
import { browserAt } from '../support/browser.ts';
import { needsExtension } from '../support/extensions.ts';
import { APP, openRatedStore } from '../support/rated-store.ts';
import { BASE_URL, bodyOf, type TestSession, type TestStore, twinOf } from '../support/test-store.ts';

/** Pages of errors have the id of the request. */
const REQUEST_ID = /[0-9a-f]{8}-[0-9a-f-]{27}/g;

const VERSION = `/api/apps/${APP}/versions/1.0.0`;
const NAME = 'com.example%2Fnotes';

/** Everything that is read of an app, a publisher and a person, of the kinds that are cached and of those that must not be. */
const READS = {
  detail: `/api/apps/${APP}`,
  page: `/apps/${APP}`,
  catalogue: '/api/apps/catalog',
  search: '/api/apps/catalog?q=notes',
  front: '/',
  category: '/categories/productivity',
  files: `${VERSION}/files/assets/icon.png`,
  bundle: `${VERSION}/bundle`,
  status: `${VERSION}/status`,
  head: `/api/apps/${APP}/head`,
  reviews: `/api/apps/${APP}/reviews`,
  publisher: '/publishers/example',
  feed: '/feeds/new.atom',
  publisherFeed: '/feeds/publishers/example.atom',
  events: '/api/events',
  deprecations: `/api/apps/deprecations?apps=${APP}`,
  revocations: '/api/apps/revocations',
  registry: '/v0/servers',
  registryVersion: `/v0/servers/${NAME}/versions/1.0.0`,
  allowList: '/policy/allowed-mcp-servers.json',
  sitemap: '/sitemap.xml',
  preview: `/apps/${APP}/preview.png`,
  policy: '/api/policy',
  token: '/api/developer/whoami',
  session: '/api/people/me',
} as const;
type Read = keyof typeof READS;

type World = Awaited<ReturnType<typeof opened>>;

/** Two processes of a store with a rated app; `olga` owns its publisher. */
async function opened() {
  const store = await openRatedStore();
  await store.rated('ann', 5, { title: 'Good' });
  await store.admin('POST', '/api/admin/publishers', { slug: 'acme', name: 'Acme', verified: true });
  const olga = await store.signedIn('olga');
  return { store, other: await twinOf(store), olga, acme: await store.publisherToken('acme') };
}

const put = (path: string, json: object) => (world: World) => world.store.admin('PATCH', path, json);
const app = (change: object) => put(`/api/admin/apps/${APP}`, { reason: 'Look.', ...change });
const publisher = (change: object) => put('/api/admin/publishers/example', { reason: 'Look.', ...change });
const person = (id: string, change: object) => put(`/api/admin/people/${id}`, { reason: 'Look.', ...change });
const life = (json: object) => (world: World) =>
  world.store.call('PUT', `/api/publishers/example/apps/${APP}/life`, { session: world.olga, json });

let emergency = '';

/** The acts in the order in which one store can see them all. */
const ACTS = {
  'suspend an app': app({ suspended: true }),
  'unsuspend an app': app({ suspended: false }),
  'suspend a publisher': publisher({ suspended: true }),
  'unsuspend a publisher': publisher({ suspended: false }),
  'remove a verification': publisher({ verified: false }),
  'verify a publisher': publisher({ verified: true }),
  'rename a publisher': async ({ store, olga }) => {
    const name = 'Another Name';
    await store.call('PATCH', '/api/publishers/example', { session: olga, json: { name } });
    return store.admin('POST', '/api/admin/name-requests/example/approve', { name });
  },
  'suspend a reviewer': person('ann', { suspended: true }),
  'unsuspend a reviewer': person('ann', { suspended: false }),
  'give a role': person('olga', { role: 'moderator' }),
  'take a role': person('olga', { role: 'person' }),
  'suspend a member': person('olga', { suspended: true }),
  'unsuspend a member': async (world) => {
    const answer = await person('olga', { suspended: false })(world);
    // The suspension has ended the session.
    Object.assign(world.olga, await world.store.signedIn('olga'));
    return answer;
  },
  'yank a version': ({ store }) => store.admin('POST', `${VERSION}/yank`, { reason: 'Look.' }),
  'undo a yank': ({ store }) =>
    store.admin('POST', `/api/admin/apps/${APP}/versions/1.0.0/unyank`, { reason: 'Look.' }),
  'stop a publisher': async ({ store }) => {
    const acts = { yank: true, suspend: true, revokeTokens: false, endSessions: false };
    const started = store.admin('POST', '/api/admin/emergencies', {
      ...{ publisher: 'example', reason: 'Look.', advice: [] },
      ...acts,
    });
    emergency = (await bodyOf((await started).clone())).id;
    return started;
  },
  'undo an emergency': ({ store }) =>
    store.admin('POST', `/api/admin/emergencies/${emergency}/undo`, { reason: 'Look.' }),
  'deprecate an app': life({ delisted: false, deprecation: { note: 'Use another one.' } }),
  'feature an app': async ({ store }) => store.admin('PUT', '/api/admin/featured', { apps: [APP] }),
  'publish a version': ({ store }) => store.publish(store.token, { version: '1.1.0' }),
  'transfer an app': ({ store }) =>
    store.admin('POST', `/api/admin/apps/${APP}/reassign`, { publisher: 'acme', reason: 'Look.' }),
  'change the brand': async ({ store }) => {
    const { cookie } = await store.signedIn('ada', { role: 'administrator' });
    const browser = browserAt(store);
    browser.cookies.set('__Host-svc-session', cookie.split('=')[1] as string);
    await browser.open('/setup/brand');
    return browser.submit('/setup/brand', { name: 'R&D Apps' });
  },
  'suspend the new publisher': put('/api/admin/publishers/acme', { suspended: true, reason: 'Look.' }),
} satisfies Record<string, (world: World) => Promise<Response>>;
type Act = keyof typeof ACTS;

/** What a suspended app and its end change: whatever shows or serves it. */
const SHOWN = [
  ...([
    'detail',
    'page',
    'catalogue',
    'search',
    'front',
    'category',
    'files',
    'bundle',
    'head',
    'reviews',
  ] as const),
  ...([
    'publisher',
    'feed',
    'publisherFeed',
    'registry',
    'registryVersion',
    'allowList',
    'sitemap',
    'preview',
  ] as const),
];
const NAMED = ['detail', 'page', 'catalogue', 'search', 'front', 'category', 'publisher'] as const;
const YANKED = [...SHOWN, 'status', 'events', 'revocations'] as const;

/** What each act changes, to a reader without rights, and to the token and the session of a member. */
const CHANGED: Record<Act, readonly Read[]> = {
  'suspend an app': [...SHOWN, 'events'],
  'unsuspend an app': [...SHOWN, 'events'],
  'suspend a publisher': [...SHOWN, 'token'],
  'unsuspend a publisher': [...SHOWN, 'token'],
  'remove a verification': [...NAMED, 'token'],
  'verify a publisher': [...NAMED, 'token'],
  'rename a publisher': [...NAMED, 'feed', 'publisherFeed', 'preview', 'token', 'session'],
  'suspend a reviewer': [...NAMED, 'reviews'],
  'unsuspend a reviewer': [...NAMED, 'reviews'],
  'give a role': ['session'],
  'take a role': ['session'],
  'suspend a member': ['session'],
  'unsuspend a member': ['session'],
  'yank a version': YANKED,
  'undo a yank': YANKED,
  'stop a publisher': [...YANKED, 'token'],
  'undo an emergency': [...YANKED, 'token'],
  'deprecate an app': ['detail', 'page', 'deprecations', 'registry', 'registryVersion'],
  'feature an app': ['front'],
  'publish a version': [
    ...NAMED,
    'head',
    'feed',
    'publisherFeed',
    'events',
    'registry',
    'registryVersion',
    'sitemap',
  ],
  'transfer an app': [...NAMED, 'feed', 'publisherFeed', 'preview'],
  'change the brand': ['page', 'front', 'category', 'publisher', 'preview'],
  // Its app was of another publisher before.
  'suspend the new publisher': [
    ...SHOWN.filter((read) => read !== 'publisher' && read !== 'publisherFeed'),
    'deprecations',
  ],
};

const ALL = Object.keys(READS) as Read[];

async function readAll({ app }: TestStore, token: string, { cookie }: TestSession, reads: readonly Read[]) {
  const results: Partial<Record<Read, string>> = {};
  for (const read of reads) {
    const authorization = read === 'token' ? { authorization: `Bearer ${token}` } : {};
    const headers = { accept: '*/*', ...authorization, ...(read === 'session' && { cookie }) };
    const answer = await app.request(BASE_URL + READS[read], { headers });
    const text = Buffer.from(await answer.arrayBuffer()).toString('latin1');
    results[read] = `${answer.status} ${text.replaceAll(REQUEST_ID, '')}`;
  }
  return results;
}

type Results = Awaited<ReturnType<typeof readAll>>;

const differing = (a: Results, b: Results): Read[] => ALL.filter((read) => a[read] !== b[read]);

/**
 * Carries out acts in one process, and reads in the other until it sees each. @returns how long that took for each act and read that it
 * changes, in milliseconds
 */
async function follow(acts: readonly Act[], reads: readonly Read[]): Promise<number[]> {
  const world = await opened();
  const { store, other } = world;
  const read = (process: TestStore) => readAll(process, store.token, world.olga, reads);
  const waits: number[] = [];
  for (const act of acts) {
    const before = await read(store);
    // Cached by the other process, and nothing of it expires: its clock moves a second for each act.
    await eventually(async () => expect(differing(await read(other), before)).toEqual([]));
    for (const { advance } of new Set([store, other])) advance(1_000);
    const { status } = await ACTS[act](world);
    const started = performance.now();
    expect([act, status < 400]).toEqual([act, true]);
    const after = await read(store);
    const changed = new Set(differing(before, after));
    expect([act, changed]).toEqual([act, new Set(CHANGED[act].filter((one) => reads.includes(one)))]);
    const late = new Set(reads);
    await eventually(async () => {
      const now = await readAll(other, store.token, world.olga, [...late]);
      for (const one of [...late].filter((read) => now[read] === after[read])) {
        late.delete(one);
        if (changed.has(one)) waits.push(performance.now() - started);
      }
      expect([act, [...late]]).toEqual([act, []]);
    });
  }
  return waits;
}

const CATALOGUE = needsExtension('storefront', 'ratings', 'registry', 'feeds');
const ALL_ACTS = needsExtension('emergencies', 'featured', 'brand');

describe('an act in one process', CATALOGUE, () => {
  it('is seen at once by the other: a suspended app, and its end', BOTH_DATABASES, async () => {
    await follow(['suspend an app', 'unsuspend an app'], ['detail', 'page', 'search', 'bundle', 'publisher']);
  });

  it('is seen by every read of the other, for each kind of act', { ...DEEP, ...ALL_ACTS }, async ({
    annotate,
  }) => {
    const waits = (await follow(Object.keys(ACTS) as Act[], ALL)).sort((a, b) => a - b);
    const at = (share: number) => Math.round(waits[Math.floor(waits.length * share)] ?? Number.NaN);
    await annotate(`${waits.length} acts and reads: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`);
  });
});

describe('following other processes', () => {
  it('invalidates once for each change, and again when what it refreshes fails', async () => {
    let last = 1;
    const invalidation = createInvalidation(async () => last);
    const listener = vi.fn();
    invalidation.onChange(listener);
    const refresh = vi.fn(async () => {});
    await invalidation.follow(refresh);
    await invalidation.follow(refresh);
    expect([listener.mock.calls.length, refresh.mock.calls.length]).toEqual([1, 1]);
    last = 2;
    refresh.mockRejectedValueOnce(new Error('no database'));
    await expect(invalidation.follow(refresh)).rejects.toThrow('no database');
    await invalidation.follow(refresh);
    await invalidation.follow(refresh);
    expect([listener.mock.calls.length, refresh.mock.calls.length]).toEqual([3, 3]);
  });
});
