import { packBundle } from '@svc/bundle';
import { LIMITS } from '@svc/contracts';
import { DEEP, sampleBundle, sampleFiles } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import type { Inspection } from '../../../src/core/domain/versions/inspect-bundle.ts';
import { UPLOAD_BOUNDS } from '../../../src/core/publishing/bounds.ts';
import { type BundleInspector, createQueues } from '../../../src/core/publishing/inspection-queues.ts';
import { OverrunError } from '../../../src/platform/overrun-error.ts';
import { bodyOf, openTestStore, type TestStore } from '../../support/test-store.ts';

const { perDeveloper } = LIMITS.uploads;

/** A large script, whose expected cost exceeds the limit of the quick queue. */
const COSTLY = { 'ui/a.js': 'x'.repeat(600_000) };

const upload = (store: TestStore, token: string, publisher: string, files = {}) =>
  store.upload(token, sampleBundle({ publisher, id: `com.example.${publisher}` }, files));

/** A store whose inspections of matching apps do not end until the test calls `endAll`. */
async function storeWithEndless(hostileIds: RegExp) {
  const inspected: string[] = [];
  const { promise: over, resolve: endAll } = Promise.withResolvers<void>();
  const store = await openTestStore({
    inspector: (own) => ({
      async inspect(file, queue) {
        const found = await own.inspect(file, queue);
        const id = found.ok ? found.candidate.manifest.id : '';
        inspected.push(id);
        if (hostileIds.test(id)) await over;
        return found;
      },
    }),
  });
  return { store, inspected, endAll };
}

describe('hostile bundles', () => {
  it(
    'that take the whole time of an inspection do not block other accounts, with 100 uploads at once',
    DEEP,
    async () => {
      const { store, endAll } = await storeWithEndless(/hostile/);
      const accounts = await Promise.all(
        ['a', 'b', 'c', 'd', 'e'].map(async (name) => {
          const slug = `hostile-${name}`;
          return { slug, token: await store.publisherToken(slug) };
        }),
      );
      const honest = await store.publisherToken();
      let answered = 0;
      const hostile = accounts.flatMap(({ slug, token }) =>
        Array.from({ length: perDeveloper }, async (_, n) => {
          const id = `com.example.${slug}-${n}`;
          const { status } = await store.upload(token, sampleBundle({ publisher: slug, id }, COSTLY));
          answered += status === 201 ? 1 : 0;
          return status;
        }),
      );
      for (let n = 0; n < 5; n += 1) {
        expect((await store.publish(honest, { version: `1.${n}.0` })).status).toBe(201);
      }
      expect(answered).toBe(0);
      endAll();
      const statuses = await Promise.all(hostile);
      // Uploads beyond the queue are refused; all uploads get a response.
      expect(statuses.every((status) => [201, 429, 503].includes(status))).toBe(true);
      expect(statuses).toContain(201);
    },
  );

  it('of one account leave a thread for equally expensive bundles of other accounts', async () => {
    const { store, endAll } = await storeWithEndless(/hostile/);
    const [hostile, honest] = [await store.publisherToken('hostile'), await store.publisherToken('honest')];
    const held = ['0', '1', '2'].map((n) =>
      store.upload(hostile, sampleBundle({ publisher: 'hostile', id: `com.example.hostile${n}` }, COSTLY)),
    );
    expect((await upload(store, honest, 'honest', COSTLY)).status).toBe(201);
    endAll();
    for (const answer of held) expect((await answer).status).toBe(201);
  });
});

describe('a bundle', () => {
  const cases: [string, number, string, (store: TestStore) => Promise<Response>][] = [
    [
      'of a publisher that the token does not act for',
      403,
      'not_a_member',
      async (store) => upload(store, await store.publisherToken('stranger'), 'example', COSTLY),
    ],
    [
      'of an unknown publisher',
      404,
      'unknown_publisher',
      async (store) => upload(store, await store.publisherToken('stranger'), 'nowhere', COSTLY),
    ],
    [
      'of a suspended publisher',
      403,
      'publisher_suspended',
      async (store) => {
        const token = await store.publisherToken('closed');
        await store.admin('PATCH', '/api/admin/publishers/closed', { suspended: true });
        return upload(store, token, 'closed', COSTLY);
      },
    ],
    [
      'whose token lacks the scope',
      403,
      'forbidden',
      async (store) =>
        upload(store, await store.publisherToken('scoped', true, ['publish:update']), 'scoped', COSTLY),
    ],
    [
      'whose id belongs to another publisher',
      409,
      'id_taken',
      async (store) =>
        store.upload(
          await store.publisherToken('other'),
          sampleBundle({ publisher: 'other', version: '9.0.0' }, COSTLY),
        ),
    ],
    [
      'whose app is suspended',
      403,
      'app_suspended',
      async (store) => {
        await store.admin('PATCH', '/api/admin/apps/com.example.notes', { suspended: true });
        return store.upload(await store.publisherToken(), sampleBundle({ version: '2.0.0' }, COSTLY));
      },
    ],
    [
      'whose version is not greater',
      409,
      'version_not_greater',
      async (store) => store.upload(await store.publisherToken(), sampleBundle({}, COSTLY)),
    ],
    [
      'whose manifest names no publisher',
      422,
      'validation_failed',
      async (store) => upload(store, await store.publisherToken(), '', COSTLY),
    ],
    [
      'whose manifest is not JSON',
      422,
      'validation_failed',
      async (store) =>
        store.upload(
          await store.publisherToken(),
          packBundle(sampleFiles('', { 'plugin.json': '{', ...COSTLY })),
        ),
    ],
    [
      'that has no manifest',
      422,
      'validation_failed',
      async (store) =>
        store.upload(
          await store.publisherToken(),
          packBundle(sampleFiles('', { 'plugin.json': null, ...COSTLY })),
        ),
    ],
    [
      'that is not a zip file',
      400,
      'invalid_bundle',
      async (store) => store.upload(await store.publisherToken(), Buffer.alloc(500_000)),
    ],
  ];

  it.each(cases)('%s is refused without an inspection', async (_name, httpStatus, code, act) => {
    const { store, inspected } = await storeWithEndless(/^$/);
    expect((await store.publish(await store.publisherToken())).status).toBe(201);
    inspected.length = 0;
    const answer = await bodyOf(act(store));
    expect(answer).toMatchObject({ httpStatus, code });
    expect(inspected).toEqual([]);
    if (httpStatus === 422 || httpStatus === 400)
      expect(answer.issues).toContainEqual(expect.objectContaining({ level: 'error' }));
    expect(await store.filesUnder('incoming')).toEqual([]);
  });

  it('is refused when its publisher is suspended during the inspection', async () => {
    const { store, inspected, endAll } = await storeWithEndless(/notes/);
    const token = await store.publisherToken();
    const answer = store.publish(token);
    await expect.poll(() => inspected).toEqual(['com.example.notes']);
    await store.admin('PATCH', '/api/admin/publishers/example', { suspended: true });
    endAll();
    expect(await bodyOf(answer)).toMatchObject({ httpStatus: 403, code: 'publisher_suspended' });
  });
});

describe('an inspection that ends early', () => {
  it.each([
    ['time', 15_000, 'check.timeout', '', 'longer than 15 seconds'],
    ['pictures', 2_000, 'check.timeout', '/branding', 'pictures it names took longer than 2 seconds'],
    ['memory', null, 'check.memory', '', 'memory'],
  ])(
    'because of its limit of %s is reported as an issue, and counts as several uploads',
    async (what, ms, code, path, message) => {
      const store = await openTestStore({
        inspector: () => ({ inspect: () => Promise.reject(new OverrunError(what, ms)) }),
      });
      const token = await store.publisherToken();
      const refused = await store.publish(token);
      const left = perDeveloper - UPLOAD_BOUNDS.overrunUploads;
      expect(refused.headers.get('ratelimit')).toBe(`"uploads";r=${left};t=600`);
      expect(await bodyOf(refused)).toMatchObject({
        httpStatus: 422,
        code: 'validation_failed',
        issues: [{ code, level: 'error', path, message: expect.stringContaining(message) }],
      });
      const status = await store.call('GET', '/api/apps/com.example.notes/versions/1.0.0/status');
      expect(status.status).toBe(404);
      expect([...(await store.filesUnder('blobs')), ...(await store.filesUnder('incoming'))]).toEqual([]);
      const answers = [];
      for (let n = 0; n < 4; n += 1) answers.push((await store.publish(token)).status);
      expect(answers).toEqual([422, 422, 422, 429]);
    },
  );

  it('because of a crash is answered with 500', async () => {
    const store = await openTestStore({
      inspector: () => ({ inspect: () => Promise.reject(new Error('A check has a bug.')) }),
    });
    const token = await store.publisherToken();
    expect(await bodyOf(store.publish(token))).toMatchObject({ httpStatus: 500, code: 'internal' });
  });
});

describe('queues', () => {
  const SENT = { file: 'x', size: 1_000, requester: { account: 'a', network: 'n' } };

  function tracked(open: BundleInspector['open']) {
    const seen: string[] = [];
    const queues = createQueues(
      {
        threads: 2,
        open: (file, queue) => {
          seen.push(`open ${queue.name}`);
          return open(file, queue);
        },
        inspect: async (_file, queue) => {
          seen.push(`inspect ${queue.name}`);
          return { ok: false, code: 'invalid_bundle', issues: [] } satisfies Inspection;
        },
      },
      UPLOAD_BOUNDS,
    );
    return { queues, seen };
  }
  const claim = { publisher: 'example', id: null, version: null };

  it('are chosen by the expected cost and the size of a bundle', async () => {
    const { queues, seen } = tracked(async () => ({ is: 'opened', claim, costMs: 0 }));
    for (const costMs of [0, 30, 31, 250, 251, 1e9]) await queues.inspect(SENT, costMs);
    await queues.inspect({ ...SENT, size: LIMITS.bundle.bytes }, 0);
    await queues.inspect({ ...SENT, size: 3_000_000 }, 0);
    expect(seen.map((one) => one.split(' ')[1])).toEqual([
      'quick',
      'quick',
      'medium',
      'medium',
      'long',
      'long',
      'long',
      'medium',
    ]);
  });

  it('pass a bundle that is too expensive to open to the next queue', async () => {
    const { queues, seen } = tracked(async (_file, { costMs }) =>
      costMs < 100_000 ? { is: 'costly', costMs: 40 } : { is: 'opened', claim, costMs: 7 },
    );
    expect(await queues.open(SENT)).toEqual({ is: 'opened', claim, costMs: 7 });
    expect(seen).toEqual(['open quick', 'open medium', 'open long']);
  });

  it('have at least two threads, and the last one accepts every bundle', () => {
    expect(UPLOAD_BOUNDS.threads).toBeGreaterThanOrEqual(2);
    expect(UPLOAD_BOUNDS.queues.at(-1)).toMatchObject({
      costMs: Number.POSITIVE_INFINITY,
      zipBytes: LIMITS.bundle.bytes,
    });
  });
});
