import { describe, expect, it } from 'vitest';
import type { TokenStore } from '../../src/domain/identity/token-store.ts';
import { createLastUsedTracker } from '../../src/tokens/last-used-tracker.ts';
import { bodyOf, openTestStore, type TestSession, type TestStore } from '../support/test-store.ts';

const lastUse = async (store: TestStore, session: TestSession): Promise<string | undefined> =>
  (await bodyOf(store.call('GET', '/api/people/me/tokens', { session }))).tokens[0].lastUsedAt;

/** A store, a session, and a way to use a token of it. */
async function opened() {
  const store = await openTestStore();
  const session = await store.signedIn('anna');
  const { token } = await bodyOf(
    store.call('POST', '/api/people/me/tokens', { session, json: { name: 'a' } }),
  );
  const use = (bearer = token) => store.call('GET', '/api/developer/whoami', { token: bearer });
  return { store, session, use };
}

describe('the use of a token', () => {
  it('is noted after the request, to a minute', async () => {
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

  it('is not one of a token that is refused', async () => {
    const { store, session, use } = await opened();
    expect((await use('svcp_nothing')).status).toBe(401);
    await store.writeUses();
    expect(await lastUse(store, session)).toBeUndefined();
  });

  it('is written when the store closes', async () => {
    const { store, use } = await opened();
    await use();
    await store.close();
    const again = await openTestStore({ folder: store.folder });
    expect(await lastUse(again, await again.signedIn('anna'))).toBe('2026-03-01T12:00:00.000Z');
  });
});

describe('notes of use', () => {
  /** Notes over a store that remembers what it was told, or fails. */
  function over(state: { fails: boolean }) {
    const written: string[][] = [];
    const used = async (ids: readonly string[]) => {
      if (state.fails) throw new Error('away');
      written.push([...ids]);
    };
    const tokens = { used } as unknown as TokenStore;
    const notes = createLastUsedTracker({
      unitOfWork: (work) => work({ tokens }),
      clock: () => new Date('2026-03-01T12:00:00.000Z'),
    });
    return { notes, written };
  }

  it('wait for a database that is away', async () => {
    const state = { fails: true };
    const { notes, written } = over(state);
    notes.recordUse('a');
    await expect(notes.writeUses()).rejects.toThrow('away');
    notes.recordUse('b');
    state.fails = false;
    await notes.writeUses();
    await notes.writeUses();
    expect(written).toEqual([['a', 'b']]);
  });

  it('are bounded, and one for each token', async () => {
    const { notes, written } = over({ fails: false });
    for (let n = 0; n < 30_000; n += 1) notes.recordUse(`token-${n >> 1}`);
    await notes.writeUses();
    expect(written.map((ids) => ids.length)).toEqual([10_000]);
  });

  it('of as many tokens as they hold are one statement on either database', async () => {
    const { store } = await opened();
    const ids = Array.from({ length: 10_000 }, (_, n) => `token-${n}`);
    await store.stores.tokens.used(ids, '2026-03-01T12:00:00.000Z', '2026-03-01T11:00:00.000Z');
  });
});
