import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ANSWERS } from '@svc/runtime/read-answer';
import { describe, expect, it } from 'vitest';
import { createStoreSession, loginToken } from '../src/store-session.ts';
import { tempFolder } from './support/temp-folder.ts';

const STORE = 'https://store.example.com';
const TOKEN = `svcd_${'a'.repeat(35)}`;
const START = {
  deviceCode: 'secret-code',
  userCode: 'BCDF-GHJK',
  verifyUrl: `${STORE}/device`,
  interval: 5,
  expiresIn: 600,
};

type Reply = { status?: number; json: unknown };

const refusal = (code: string): Reply => ({
  status: 400,
  json: { code, message: 'No.', requestId: '1' },
});

/** A session at a store that answers polls one after the other. */
function opened(
  polls: Reply[],
  { start = START as object | Response, given = null as string | null, isLate = false } = {},
) {
  const asked: { path: string; body: unknown; authorization: string | null }[] = [];
  const kept = new Map<string, string>();
  const pages: string[] = [];
  const pauses: number[] = [];
  let changes = 0;
  let now = 0;
  const session = createStoreSession({
    store: STORE,
    async fetch(input, init) {
      const path = String(input).slice(STORE.length);
      const authorization = new Headers(init?.headers).get('authorization');
      asked.push({ path, body: init?.body ? JSON.parse(String(init.body)) : null, authorization });
      if (path === '/api/developer/token') return new Response(null, { status: 204 });
      if (isLate)
        return new Promise((_, reject) =>
          init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)),
        );
      if (path.endsWith('/start') && start instanceof Response) return start;
      const { status = 200, json }: Reply = path.endsWith('/start')
        ? { json: start }
        : (polls.shift() ?? { json: { pending: true } });
      return Response.json(json, { status });
    },
    system: {
      now: () => now,
      async sleep(ms, signal) {
        if (ms === ANSWERS.deviceSignIn.ms && !isLate)
          await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
        await new Promise((resolve) => setImmediate(resolve));
        signal?.throwIfAborted();
        pauses.push(ms);
        now += ms;
      },
    },
    client: 'svc desktop',
    given: () => given,
    saved: async () => null,
    openPage: async (page) => pages.push(page) > 0,
    changed: () => {
      changes += 1;
    },
  });
  session.keepIn({
    read: async (name) => kept.get(name) ?? null,
    write: async (name, text) => void (text === null ? kept.delete(name) : kept.set(name, text)),
  });
  return { session, asked, kept, pages, pauses, changes: () => changes };
}

describe('a store that does not answer like one', () => {
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
  const endless = () =>
    new ReadableStream<Uint8Array>({ pull: (to) => to.enqueue(new Uint8Array(64 * 1024)) });
  it.each<[string, () => Response]>([
    ['null', () => new Response('null')],
    ['an empty object', () => new Response('{}')],
    ['an empty answer', () => new Response('')],
    ['deep JSON', () => new Response(deep)],
    ['an answer without an end', () => new Response(endless())],
    ['a refusal of null', () => new Response('null', { status: 400 })],
    ['a refusal without an end', () => new Response(endless(), { status: 500 })],
    ['an address that is none', () => Response.json({ ...START, verifyUrl: 'x' })],
  ])('cannot be signed in at, and nothing fails: %s', async (_what, start) => {
    const { session, pages } = opened([], { start: start() });
    await expect(session.begin()).rejects.toMatchObject({ status: 400 });
    expect(pages).toEqual([]);
  });

  it('is not waited for', async () => {
    const { session } = opened([], { isLate: true });
    await expect(session.begin()).rejects.toMatchObject({ message: 'The store cannot be reached.' });
  });
});

describe('the session of a desktop at its store', () => {
  it('begins with a code that the user compares, and keeps a token that can only read', async () => {
    const { session, asked, kept, pages, pauses, changes } = opened([
      { json: { pending: true } },
      refusal('slow_down'),
      { json: { token: TOKEN } },
    ]);
    expect(await session.begin()).toEqual({
      by: null,
      pending: { userCode: 'BCDF-GHJK', page: `${STORE}/device?code=BCDF-GHJK` },
      fault: null,
    });
    expect(pages).toEqual([`${STORE}/device?code=BCDF-GHJK`]);
    expect(asked[0]?.body).toEqual({ client: 'svc desktop', scopes: ['read'] });
    await expect.poll(changes).toBe(1);
    expect(await session.show()).toEqual({ by: 'desktop', pending: null, fault: null });
    expect(await session.token()).toBe(TOKEN);
    expect(pauses).toEqual([5_000, 5_000, 10_000]);
    await session.end();
    expect(kept.size).toBe(0);
    expect(asked.at(-1)).toMatchObject({ path: '/api/developer/token', authorization: `Bearer ${TOKEN}` });
    expect(await session.token()).toBeNull();
  });

  it.each([
    ['access_denied', /denied/],
    ['expired', /not approved in time/],
  ])('says why it did not begin: %s', async (code, fault) => {
    const { session, changes } = opened([refusal(code)]);
    await session.begin();
    await expect.poll(changes).toBe(1);
    expect(await session.show()).toMatchObject({
      by: null,
      pending: null,
      fault: expect.stringMatching(fault),
    });
  });

  it('keeps no token of another form, and opens no page of another host', async () => {
    const { session, kept, changes } = opened([{ json: { token: 'svcp_other' } }]);
    await session.begin();
    await expect.poll(changes).toBe(1);
    expect(kept.size).toBe(0);
    const elsewhere = opened([], { start: { ...START, verifyUrl: 'https://evil.example/device' } });
    await expect(elsewhere.session.begin()).rejects.toThrow('not its own');
    expect(elsewhere.pages).toEqual([]);
  });

  it('can be cancelled, and the variable takes precedence', async () => {
    const { session, kept } = opened([], { given: TOKEN });
    await session.begin();
    session.cancel();
    expect(await session.show()).toEqual({ by: 'environment', pending: null, fault: null });
    expect([await session.token(), kept.size]).toEqual([TOKEN, 0]);
  });

  it('uses the token of svc login, from its file or the keyring', async () => {
    const home = await tempFolder();
    const keyring = {
      get: async (account: string) => (account === 'https://kept.example.com' ? TOKEN : null),
      set: async () => {},
      delete: async () => {},
    };
    const read = (store: string) => loginToken({ env: {}, home, keyring }, store)();
    expect(await read(STORE)).toBeNull();
    await mkdir(join(home, '.config/svc'), { recursive: true });
    const stores = {
      [STORE]: { token: TOKEN },
      'https://kept.example.com': { keyring: true },
      'https://x.example': { token: 'no' },
    };
    await writeFile(join(home, '.config/svc/credentials.json'), JSON.stringify({ stores }));
    expect(
      await Promise.all([read(STORE), read('https://kept.example.com'), read('https://x.example')]),
    ).toEqual([TOKEN, TOKEN, null]);
  });
});
