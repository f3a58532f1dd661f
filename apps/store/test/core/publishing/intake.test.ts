import { LIMITS } from '@svc/contracts';
import { sampleBundle } from '@svc/testkit';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { UPLOAD_BOUNDS } from '../../../src/core/publishing/bounds.ts';
import { createIntake } from '../../../src/core/publishing/intake.ts';
import { ADMIN_TOKEN, bodyOf, openTestStore, type TestStore } from '../../support/test-store.ts';

/** A body that sends its first byte at once, and the rest when the test calls `end`. Counts how often it is read. */
function heldBody(bytes: Uint8Array) {
  let asked = 0;
  const { promise: released, resolve: end } = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        asked += 1;
        if (asked === 1) return controller.enqueue(bytes.subarray(0, 1));
        await released;
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

/** Long enough for a busy machine. */
const TIMEOUTS = { timeout: 30_000 };

/** Begins as many uploads as an account may in ten minutes; each stalls after its first byte. */
async function holdAll(store: TestStore, token: string) {
  const bodies = Array.from({ length: LIMITS.uploads.perDeveloper }, () => heldBody(Buffer.from('no zip')));
  const answers = bodies.map(({ body }) => send(store, token, body));
  const reading = () => bodies.filter(({ asked }) => asked() > 0).length;
  await expect.poll(reading, TIMEOUTS).toBe(UPLOAD_BOUNDS.bodies.perAccount.active);
  return { bodies, answers, reading };
}

describe('slow uploads', () => {
  it('of two accounts, as many as they may begin, do not block other accounts', async () => {
    // No upload is aborted, so that all are in progress during the whole test.
    const pace = { ...UPLOAD_BOUNDS.pace, graceMs: 3_600_000 };
    const store = await openTestStore({ uploadBounds: { pace } });
    const hostile = [await store.publisherToken('slow-one'), await store.publisherToken('slow-two')];
    const honest = await store.publisherToken();
    const held = [];
    for (const token of hostile) held.push(await holdAll(store, token));
    expect((await store.publish(honest)).status).toBe(201);
    expect((await store.publish(honest, { version: '1.1.0' })).status).toBe(201);
    // All slow uploads are still in progress, and waiting bodies are not read.
    for (const { reading } of held) expect(reading()).toBe(UPLOAD_BOUNDS.bodies.perAccount.active);
    for (const { bodies, answers } of held) {
      for (const { end } of bodies) end();
      expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(answers.map(() => 400));
    }
    expect(await store.filesUnder('incoming')).toEqual([]);
  });

  it('are aborted with 408 upload_too_slow, and leave no files', async () => {
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

describe('request bodies', () => {
  it('of callers without a valid token are not read', async () => {
    const store = await openTestStore();
    for (const token of [null, 'svcp_made-up']) {
      const { body, asked } = heldBody(sampleBundle());
      expect((await send(store, token, body)).status).toBe(401);
      expect(asked()).toBe(0);
    }
  });

  it('beyond the limit of an account are refused with Retry-After, but not those of other accounts', async () => {
    const bodies = { ...UPLOAD_BOUNDS.bodies, perAccount: { active: 1, waiting: 1 } };
    const store = await openTestStore({ uploadBounds: { bodies } });
    const [hostile, honest] = [await store.publisherToken('hostile'), await store.publisherToken()];
    const sent = () => {
      const held = heldBody(Buffer.from('no zip'));
      return { ...held, answer: send(store, hostile, held.body) };
    };
    const first = sent();
    await expect.poll(() => first.asked(), TIMEOUTS).toBe(2);
    // Of two more at once one waits, whichever comes first.
    const two = [sent(), sent()];
    const refused = await Promise.race(two.map(({ answer }) => answer));
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(await bodyOf(refused)).toMatchObject({ httpStatus: 429, code: 'rate_limited', retryAfter: 5 });
    expect(two.map(({ asked }) => asked())).toEqual([0, 0]);
    expect((await store.publish(honest)).status).toBe(201);
    first.end();
    await expect.poll(() => two.map(({ asked }) => asked()).sort(), TIMEOUTS).toEqual([0, 2]);
    for (const { end } of two) end();
    const statuses = await Promise.all([first, ...two].map(async ({ answer }) => (await answer).status));
    expect(statuses.sort()).toEqual([400, 400, 429]);
  });

  it('of automation are never beyond the limit of an account', async () => {
    const bodies = { ...UPLOAD_BOUNDS.bodies, perAccount: { active: 1, waiting: 0 } };
    const store = await openTestStore({ uploadBounds: { bodies } });
    const held = [1, 2].map(() => heldBody(Buffer.from('no zip')));
    const answers = held.map(({ body }) => send(store, ADMIN_TOKEN, body));
    await expect.poll(() => held.map(({ asked }) => asked()), TIMEOUTS).toEqual([2, 2]);
    for (const { end } of held) end();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([400, 400]);
  });

  it('beyond the limit of the spool are refused, until there is space again', async () => {
    const bundle = sampleBundle();
    const store = await openTestStore({ uploadBounds: { spoolBytes: bundle.byteLength + 1 } });
    const token = await store.publisherToken();
    const first = heldBody(bundle);
    const answer = send(store, token, first.body);
    await expect.poll(() => first.asked(), TIMEOUTS).toBe(2);
    const accepted = await store.publish(token);
    // The spool has one byte of the first upload, and space for exactly one bundle.
    expect(accepted.status).toBe(201);
    const more = await store.upload(token, new Uint8Array(bundle.byteLength + 1));
    expect(await bodyOf(more)).toMatchObject({ httpStatus: 503, code: 'unavailable', retryAfter: 15 });
    expect(await store.filesUnder('incoming')).toHaveLength(1);
    first.end();
    expect((await answer).status).toBe(409);
    expect((await store.publish(token, { version: '2.0.0' })).status).toBe(201);
    expect(await store.filesUnder('incoming')).toEqual([]);
  });
});

describe('the pace of a body', () => {
  const PACE = { graceMs: 1_000, windowMs: 10_000, bytesPerSecond: 100 };
  const REQUESTER = { account: 'one', network: 'one', trusted: false };
  const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

  /**
   * Receives a body on a clock of the test, with an attestation of one byte.
   * @param storeMs how long the store works on each part; null when its disk is full
   */
  function receiving(parts: () => AsyncGenerator<Uint8Array>, storeMs: number | null = 0) {
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
    });
    onTestFinished(() => void vi.useRealTimers());
    const share = { perTurn: 1e9, perSecond: 1e9, burst: 1e9 };
    const intake = createIntake({} as never, { ...UPLOAD_BOUNDS, pace: PACE, share });
    let isEnded = false;
    async function* body() {
      try {
        yield* parts();
      } finally {
        isEnded = true;
      }
    }
    async function stage(chunks: AsyncIterable<Uint8Array>) {
      if (storeMs === null) throw new Error('The disk is full.');
      let size = 1;
      for await (const chunk of chunks) {
        size += chunk.byteLength;
        if (storeMs > 0) await wait(storeMs);
      }
      return { size };
    }
    let outcome: unknown = 'receiving';
    intake
      .receive({ stage } as never, body(), REQUESTER, 1, async ({ staged }) => staged.size)
      .then(
        (size) => (outcome = size),
        (error: Error & { code?: string }) => (outcome = error.code ?? error.message),
      );
    return {
      isEnded: () => isEnded,
      async after(ms: number) {
        await vi.advanceTimersByTimeAsync(ms);
        return outcome;
      },
    };
  }

  const parts = (bytes: number, pauseMs: number, count: number) =>
    async function* () {
      for (let n = 0; n < count; n += 1) {
        await wait(pauseMs);
        yield new Uint8Array(bytes);
      }
    };

  it('is enough at the limit, and where only the store is slow', async () => {
    expect(await receiving(parts(110, 1_000, 60)).after(61_000)).toBe(6_600);
    vi.useRealTimers();
    expect(await receiving(parts(10, 100, 5), 9_000).after(60_000)).toBe(50);
    vi.useRealTimers();
    // Of each window the store took nine tenths: the little that arrived in the rest shows nothing.
    expect(await receiving(parts(10, 1_000, 6), 9_000).after(70_000)).toBe(60);
  });

  it('is not measured after the disk is full', async () => {
    const { after, isEnded } = receiving(parts(10, 100, 1e6), null);
    expect(await after(200)).toBe('The disk is full.');
    expect([isEnded(), vi.getTimerCount()]).toEqual([true, 0]);
  });

  it.each([
    ['a byte a second', parts(1, 1_000, 100), 11_000],
    ['much at once in the first second, and then nothing', parts(1e5, 500, 1), 11_000],
    ['much at once in the first window, and then nothing', parts(1e5, 5_000, 1), 21_000],
  ])('is too slow for %s, at the end of a window', async (_what, first, ms) => {
    const { after, isEnded } = receiving(async function* () {
      yield* first();
      await wait(1e6);
    });
    expect(await after(ms - 1)).toBe('receiving');
    expect(await after(1)).toBe('upload_too_slow');
    expect(vi.getTimerCount()).toBeLessThan(2);
    await after(1e6);
    expect(isEnded()).toBe(true);
  });
});

it('a body takes only its share of a turn of the event loop, so that pages are answered during a fast upload', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const share = { perTurn: 1, perSecond: 1e9, burst: 1e9 };
  const intake = createIntake({} as never, { ...UPLOAD_BOUNDS, share });
  let sent = 0;
  const body = (async function* () {
    for (; sent < 100; sent += 1) yield new Uint8Array(10);
  })();
  // A storage without any wait of its own.
  const stage = async (chunks: AsyncIterable<Uint8Array>) => ({
    size: (await Array.fromAsync(chunks)).length,
  });
  const requester = { account: 'one', network: 'one', trusted: false };
  const received = intake.receive({ stage } as never, body, requester, 0, async ({ staged }) => staged.size);
  await new Promise(setImmediate);
  expect(sent).toBeLessThan(5);
  expect(await received).toBe(100);
  // Nothing checks the pace of an upload that has ended.
  expect(vi.getTimerCount()).toBe(0);
});
