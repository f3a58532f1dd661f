import { keyRing, verifyToolRecord } from '@svc/signing';
import { BOTH_DATABASES } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { createStores } from '../../../src/adapters/database/stores.ts';
import { jobMover } from '../../../src/core/domain/versions/changes.ts';
import { createToolStore } from '../../../src/extensions/servers/tool-store.ts';
import { openDatabase } from '../../support/database.ts';
import { APP, DRIFT, openProbedStore, POISONED, TOOLS, TOOLS_OF } from '../../support/probed-store.ts';
import { bodyOf } from '../../support/test-store.ts';

const SENT_TO = `/api/apps/${APP}/versions/1.0.0/served-tools`;
const REF = { appId: APP, version: '1.0.0' };
const SUSPENDED = { suspended: true, reason: 'Malware' };
/** A manifest whose update waits for a moderator. */
const NEEDS_REVIEW = { name: 'Notes and more' };

type Opened = Awaited<ReturnType<typeof openProbedStore>>['store'];

describe('the tools that a publisher sends', () => {
  const send = (store: Opened, token: string, tools: unknown) =>
    bodyOf(store.call('PUT', SENT_TO, { token, json: { tools } }));

  it('are recorded once, clean and bounded, and compared by the prober', async () => {
    const { store, token, probe } = await openProbedStore();
    const hidden = {
      name: 'clear',
      description: 'Clears.\u202e\u{e0041}',
      inputSchema: { $ref: '#' },
      _meta: 1,
    };
    expect(await send(store, token, [hidden, { name: 'not a name' }, 7])).toMatchObject({
      httpStatus: 201,
      source: 'publisher',
      tools: [{ name: 'clear', description: 'Clears.', inputSchema: { $ref: '#' } }],
    });
    expect(await send(store, token, [])).toMatchObject({ code: 'already_handled' });
    await store.decide('approve', '1.0.0');
    await probe();
    expect((await bodyOf(store.admin('GET', DRIFT))).entries).toMatchObject([
      {
        drift: [
          { tool: 'add_note', kind: 'added', widens: true },
          { path: '/inputSchema/$ref', widens: true },
          { widens: false },
        ],
      },
    ]);
  });

  it(
    'are refused after the decision, also from its own publisher, and signed only for a moderator who saw them',
    BOTH_DATABASES,
    async () => {
      const { store, token } = await openProbedStore();
      const sent = await send(store, token, TOOLS);
      expect(sent).toMatchObject({ httpStatus: 201, source: 'publisher' });
      // Nothing that the store has signed is in the hands of the publisher before a decision.
      expect(Object.keys(sent)).not.toContain('signature');
      await store.decide('approve', '1.0.0');
      const key = await bodyOf(store.call('GET', '/api/apps/public-key'));
      for (const [query, reviewedAt] of [
        ['', undefined],
        ['?reviewed=1', store.clock().toISOString()],
      ] as const) {
        const { httpStatus, ...signed } = await bodyOf(store.call('GET', TOOLS_OF + query));
        expect({ httpStatus, tools: signed.tools, reviewedAt: signed.reviewedAt }).toEqual({
          ...{ httpStatus: 200, tools: TOOLS, reviewedAt },
        });
        expect(verifyToolRecord(signed, keyRing([key]))).toBe(true);
      }
      await store.publish(token, { version: '1.0.1', ...NEEDS_REVIEW });
      await store.decide('approve', '1.0.1');
      const late = SENT_TO.replace('1.0.0', '1.0.1');
      expect(await bodyOf(store.call('PUT', late, { token, json: { tools: POISONED } }))).toMatchObject({
        ...{ httpStatus: 409, code: 'already_handled' },
      });
      expect((await store.call('GET', TOOLS_OF.replace('1.0.0', '1.0.1'))).status).toBe(404);
    },
  );

  it('are not approved by a moderator whose page did not have them yet', async () => {
    const { store, token, probe } = await openProbedStore();
    await send(store, token, POISONED);
    const path = `/api/moderation/apps/${APP}/versions/1.0.0/approve`;
    expect((await store.admin('POST', path, { toolsRecordedAt: null })).status).toBe(200);
    expect((await store.call('GET', TOOLS_OF)).status).toBe(404);
    await probe();
    const record = await bodyOf(store.call('GET', `${TOOLS_OF}?reviewed=1`));
    expect(record).toMatchObject({ source: 'store', tools: TOOLS });
    expect(record.reviewedAt).toBeUndefined();
  });

  it.each<[string, (store: Opened) => Promise<unknown>, string]>([
    [
      'its publisher is suspended',
      ({ admin }) => admin('PATCH', '/api/admin/publishers/example', SUSPENDED),
      'publisher_suspended',
    ],
    [
      'the app is suspended',
      ({ admin }) => admin('PATCH', `/api/admin/apps/${APP}`, SUSPENDED),
      'app_suspended',
    ],
    [
      'only trusted workflows may publish the app',
      ({ stores }) => stores.apps.setRules('example', APP, { trustedOnly: true, confirm: false }),
      'forbidden',
    ],
    [
      'a member has confirmed the version without them',
      ({ stores }) => stores.apps.setRules('example', APP, { trustedOnly: false, confirm: true }),
      'already_handled',
    ],
    [
      'the publisher retracted it',
      ({ stores, clock }) =>
        stores.versions.move(
          REF,
          { from: 'in_review', to: 'rejected' },
          {},
          jobMover('store', clock().toISOString()),
        ),
      'already_handled',
    ],
  ])('are refused while %s', async (_why, prepare, code) => {
    const { store, token } = await openProbedStore();
    await prepare(store);
    expect(await send(store, token, POISONED)).toMatchObject({ code });
    expect(await createToolStore(store.stores.db).record(REF)).toBeNull();
  });

  it('are refused from a token without a scope, or of another app', async () => {
    const { store } = await openProbedStore();
    const made = async (json: object) =>
      (await bodyOf(store.admin('POST', '/api/admin/tokens', { publisher: 'example', ...json }))).token;
    expect(await send(store, await made({ scopes: ['status'] }), TOOLS)).toMatchObject({ code: 'forbidden' });
  });

  it('are refused from others, and when they are too many', async () => {
    const { store, token } = await openProbedStore();
    const other = await store.publisherToken('other');
    expect(await send(store, other, [])).toMatchObject({ code: 'not_a_member' });
    expect(
      await send(
        store,
        token,
        Array.from({ length: 1_001 }, () => ({})),
      ),
    ).toMatchObject({ code: 'invalid_request' });
    expect(
      await send(
        store,
        token,
        Array.from({ length: 200_000 }, (_, n) => ({ name: `t${n}` })),
      ),
    ).toMatchObject({
      code: 'body_too_large',
    });
    expect(await send(store, token, [{ name: 'x'.repeat(1_100_000) }])).toMatchObject({
      code: 'body_too_large',
    });
    expect(
      await send(store, token, [{ name: 'big', inputSchema: { enum: ['x'.repeat(200_000)] } }]),
    ).toMatchObject({
      tools: [{ name: 'big', inputSchema: { type: 'object' } }],
    });
  });
});

it('that changed are listed one of each publisher after the other', BOTH_DATABASES, async () => {
  const stores = createStores(await openDatabase());
  const tools = createToolStore(stores.db);
  const at = (n: number) => new Date(Date.parse('2026-01-01T00:00:00.000Z') + n).toISOString();
  const add = async (appId: string, publisher: string, n: number) => {
    await stores.apps.add({ appId, publisher, suspended: false, createdAt: at(0) });
    await tools.planCheck(appId, at(n));
    await tools.finishCheck({ appId, nextAt: at(n), state: { driftSince: at(n) } }, at(n));
  };
  for (const slug of ['flood', 'small'])
    await stores.publishers.create(
      { slug, name: slug, verified: false, createdAt: at(0), suspended: false },
      { look: slug, proof: slug },
    );
  for (let n = 0; n < 110; n += 1) await add(`com.flood.a${n}`, 'flood', n);
  await add('com.small.notes', 'small', 200);
  const listed = (await tools.withDrift(100)).map(({ appId }) => appId);
  expect([listed.length, ...listed.slice(0, 3)]).toEqual([
    ...[100, 'com.flood.a0', 'com.small.notes', 'com.flood.a1'],
  ]);
});
