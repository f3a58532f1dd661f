import { describe, expect, it } from 'vitest';
import type { TokenStore } from '../../../src/core/domain/identity/token-store.ts';
import { createLastUsedTracker } from '../../../src/core/tokens/last-used-tracker.ts';
import { hashSecret } from '../../../src/platform/secret.ts';
import { bodyOf, openTestStore, type TestSession, type TestStore } from '../../support/test-store.ts';

const lastUse = async (store: TestStore, session: TestSession): Promise<string | undefined> =>
  (await bodyOf(store.call('GET', '/api/people/me/tokens', { session }))).tokens[0].lastUsedAt;

/** A store, a session, and a function that uses a token of the same user. */
async function opened() {
  const store = await openTestStore();
  const session = await store.signedIn('anna');
  const { id, token } = await bodyOf(
    store.call('POST', '/api/people/me/tokens', { session, json: { name: 'a' } }),
  );
  const use = () => store.call('GET', '/api/developer/whoami', { token });
  return { store, session, id, token, use };
}

describe('the use of a token', () => {
  it('is written after the request, at most once a minute', async () => {
    const { store, session, use } = await opened();
    expect(await lastUse(store, session)).toBeUndefined();
    await use();
    await store.writeUses();
    expect(await lastUse(store, session)).toBe('2026-03-01T12:00:00.000Z');
    store.advance(60_000);
    await use();
    await store.writeUses();
    expect(await lastUse(store, session)).toBe('2026-03-01T12:00:00.000Z');
    store.advance(1);
    await use();
    await store.writeUses();
    expect(await lastUse(store, session)).toBe('2026-03-01T12:01:00.001Z');
  });

  it.each<[string, (world: Awaited<ReturnType<typeof opened>>) => unknown]>([
    [
      'is revoked',
      ({ store, session, id }) => store.call('DELETE', `/api/people/me/tokens/${id}`, { session }),
    ],
    ['has expired', ({ store }) => store.advance(91 * 24 * 3_600_000)],
    [
      'belongs to a suspended user',
      ({ store, session }) => store.stores.people.change(session.personId, { suspended: true }),
    ],
  ])('is not written when the token is refused because it %s', async (_why, refuse) => {
    const world = await opened();
    const { store, token, use } = world;
    const recorded = async () => (await store.stores.tokens.find(hashSecret(token)))?.token.lastUsedAt;
    await refuse(world);
    expect((await use()).status).toBe(401);
    await store.writeUses();
    expect(await recorded()).toBeNull();
  });

  it('is written when the store closes', async () => {
    const { store, use } = await opened();
    await use();
    await store.close();
    const again = await openTestStore({ folder: store.folder });
    expect(await lastUse(again, await again.signedIn('anna'))).toBe('2026-03-01T12:00:00.000Z');
  });
});

describe('the last-used tracker', () => {
  /** A tracker over a token store that records its calls, or fails. */
  function over(state: { fails: boolean }) {
    const written: string[][] = [];
    const used = async (ids: readonly string[]) => {
      if (state.fails) throw new Error('away');
      written.push([...ids]);
    };
    const tokens = { used } as unknown as TokenStore;
    const tracker = createLastUsedTracker({
      unitOfWork: (work) => work({ tokens }),
      clock: () => new Date('2026-03-01T12:00:00.000Z'),
    });
    return { tracker, written };
  }

  it('keeps uses in the queue while the database is unavailable', async () => {
    const state = { fails: true };
    const { tracker, written } = over(state);
    tracker.recordUse('a');
    await expect(tracker.writeUses()).rejects.toThrow('away');
    tracker.recordUse('b');
    state.fails = false;
    await tracker.writeUses();
    await tracker.writeUses();
    expect(written).toEqual([['a', 'b']]);
  });

  it('queues each token once, and at most 10,000 tokens', async () => {
    const { tracker, written } = over({ fails: false });
    for (let n = 0; n < 30_000; n += 1) tracker.recordUse(`token-${n >> 1}`);
    await tracker.writeUses();
    expect(written.map((ids) => ids.length)).toEqual([10_000]);
  });

  it('writes 10,000 tokens in one statement', async () => {
    const { store, session, id } = await opened();
    const ids = [...Array.from({ length: 9_999 }, (_, n) => `token-${n}`), id];
    await store.stores.tokens.used(ids, '2026-03-01T12:00:00.000Z', '2026-03-01T11:00:00.000Z');
    expect(await lastUse(store, session)).toBe('2026-03-01T12:00:00.000Z');
  });
});
