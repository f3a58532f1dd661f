import { LIMITS } from '@svc/contracts';
import { sampleBundle } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { UPLOAD_BOUNDS } from '../../src/publishing/bounds.ts';
import { bodyOf, openTestStore, type TestStore } from '../support/test-store.ts';

/** A body of which the first byte comes at once and the rest when told; it counts how often more of it is asked for. */
function heldBody(bytes: Uint8Array) {
  let asked = 0;
  const { promise: told, resolve: end } = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        asked += 1;
        if (asked === 1) return controller.enqueue(bytes.subarray(0, 1));
        await told;
        controller.enqueue(bytes.subarray(1));
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return { body, asked: () => asked, end };
}

const send = (store: TestStore, token: string | null, body: ReadableStream<Uint8Array>) =>
  store.call('POST', '/api/apps/publish', { token, body, headers: { 'content-type': 'application/zip' } });

/** A busy machine takes its time. */
const TIMEOUTS = { timeout: 30_000 };

/** As many uploads of an account as it may begin in ten minutes, none of which goes on. */
async function holdAll(store: TestStore, token: string) {
  const bodies = Array.from({ length: LIMITS.uploads.perDeveloper }, () => heldBody(Buffer.from('no zip')));
  const answers = bodies.map(({ body }) => send(store, token, body));
  const reading = () => bodies.filter(({ asked }) => asked() > 0).length;
  await expect.poll(reading, TIMEOUTS).toBe(UPLOAD_BOUNDS.bodies.perAccount.active);
  return { bodies, answers, reading };
}

describe('senders who are slow', () => {
  it('do not keep others from publishing, however many uploads two of them begin', async () => {
    // Here nothing is cut, so that all of them are under way for as long as the test takes.
    const pace = { ...UPLOAD_BOUNDS.pace, graceMs: 3_600_000 };
    const store = await openTestStore({ uploadBounds: { pace } });
    const hostile = [await store.publisherToken('slow-one'), await store.publisherToken('slow-two')];
    const honest = await store.publisherToken();
    const held = [];
    for (const token of hostile) held.push(await holdAll(store, token));
    expect((await store.publish(honest)).status).toBe(201);
    expect((await store.publish(honest, { version: '1.1.0' })).status).toBe(201);
    // All of theirs are under way still, and nothing is read of those that wait.
    for (const { reading } of held) expect(reading()).toBe(UPLOAD_BOUNDS.bodies.perAccount.active);
    for (const { bodies, answers } of held) {
      for (const { end } of bodies) end();
      expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(answers.map(() => 400));
    }
    expect(await store.filesUnder('incoming')).toEqual([]);
  });

  it('are cut, told why, and leave nothing behind', async () => {
    const pace = { graceMs: 10, windowMs: 50, bytesPerSecond: 1024 };
    const store = await openTestStore({ uploadBounds: { pace } });
    const token = await store.publisherToken();
    const slow = await send(store, token, heldBody(sampleBundle()).body);
    expect(slow.headers.get('connection')).toBe('close');
    expect(await bodyOf(slow)).toMatchObject({ httpStatus: 408, code: 'upload_too_slow' });
    expect(await store.filesUnder('incoming')).toEqual([]);
    expect((await store.publish(token)).status).toBe(201);
  });
});

describe('bodies', () => {
  it('of callers without a token are never read', async () => {
    const store = await openTestStore();
    for (const token of [null, 'svcp_made-up']) {
      const { body, asked } = heldBody(sampleBundle());
      expect((await send(store, token, body)).status).toBe(401);
      expect(asked()).toBe(0);
    }
  });

  it('beyond what one account may begin are refused with the time to wait, and others are not', async () => {
    const bodies = { ...UPLOAD_BOUNDS.bodies, perAccount: { active: 1, waiting: 1 } };
    const store = await openTestStore({ uploadBounds: { bodies } });
    const [hostile, honest] = [await store.publisherToken('hostile'), await store.publisherToken()];
    const held = [heldBody(Buffer.from('no zip')), heldBody(Buffer.from('no zip'))];
    const answers = held.map(({ body }) => send(store, hostile, body));
    await expect.poll(() => held[0]?.asked(), TIMEOUTS).toBe(2);
    const third = heldBody(Buffer.from('no zip'));
    const refused = await send(store, hostile, third.body);
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(await bodyOf(refused)).toMatchObject({ httpStatus: 429, code: 'rate_limited', retryAfter: 5 });
    expect(third.asked()).toBe(0);
    expect((await store.publish(honest)).status).toBe(201);
    held[0]?.end();
    await expect.poll(() => held[1]?.asked(), TIMEOUTS).toBe(2);
    held[1]?.end();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([400, 400]);
  });

  it('do not fill the disk: what is over the bound is refused, and room comes back', async () => {
    const bundle = sampleBundle();
    const store = await openTestStore({ uploadBounds: { spoolBytes: bundle.byteLength + 1 } });
    const token = await store.publisherToken();
    const first = heldBody(bundle);
    const answer = send(store, token, first.body);
    await expect.poll(() => first.asked(), TIMEOUTS).toBe(2);
    const refused = await store.publish(token);
    // A byte of the first upload is there, and a byte is left beyond the bundle.
    expect(refused.status).toBe(201);
    const more = await store.upload(token, new Uint8Array(bundle.byteLength + 1));
    expect(await bodyOf(more)).toMatchObject({ httpStatus: 503, code: 'unavailable', retryAfter: 15 });
    expect(await store.filesUnder('incoming')).toHaveLength(1);
    first.end();
    expect((await answer).status).toBe(409);
    expect((await store.publish(token, { version: '2.0.0' })).status).toBe(201);
    expect(await store.filesUnder('incoming')).toEqual([]);
  });
});
