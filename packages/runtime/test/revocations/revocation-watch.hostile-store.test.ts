import { signRevocations } from '@svc/signing';
import { describe, expect, it } from 'vitest';
import { createRevocationWatch } from '../../src/revocations/revocation-watch.ts';
import { APP, newKey } from '../support/signing-store.ts';
import { LIST, openWatched, typesOf, YANKED } from '../support/watched.ts';
import { at, fail, openWorld, system } from '../support/world.ts';

describe('a store that lies about yanks', () => {
  it('cannot replace the list with an older one (replay)', async () => {
    const { store, library, watch } = await openWatched();
    const old = signRevocations([], at(5), store.state.key);
    store.yank(at(10), '1.0.0');
    await watch.check();
    store.lie(LIST, (response) => store.answer(response, 200, old));
    expect(await watch.check()).toMatchObject({ refused: 'rolled-back', signedAt: at(10) });
    expect(library.get(APP)).toMatchObject({ on: false, yanked: { at: at(10) } });
  });

  it('cannot replace the list with an older one in a client that is opened later', async () => {
    const { store, watch, folder } = await openWatched();
    store.yank(at(10), '1.0.0');
    await watch.check();
    const later = await openWorld(store, { folder });
    store.yank(at(5));
    const again = createRevocationWatch({ ...later, system, onFault: fail });
    expect(await again.check()).toMatchObject({ refused: 'rolled-back' });
    expect(later.heard).toContainEqual(YANKED);
  });

  it('is detected when it keeps serving the same list (freeze)', async () => {
    const { watch, heard, clock, store } = await openWatched();
    expect(await watch.check()).toMatchObject({ stale: false });
    clock.now = Date.parse(store.state.signedAt) + 3 * 3_600_000 + 1;
    expect(await watch.check()).toMatchObject({ refused: null, stale: true });
    expect(heard.at(-1)).toEqual({
      type: 'revocations-stale',
      store: store.url,
      signedAt: store.state.signedAt,
    });
  });

  it('is detected when it serves no list, which changes no app', async () => {
    const { store, library, watch, heard, clock } = await openWatched();
    await watch.check();
    store.lie(LIST, (response) => response.destroy());
    expect(await watch.check()).toMatchObject({ refused: 'store-unreachable', stale: false });
    clock.now += 4 * 3_600_000;
    expect(await watch.check()).toMatchObject({ refused: 'store-unreachable', stale: true });
    expect(typesOf(heard)).toEqual([
      // The store of these tests has no log.
      'log-missing',
      'app-installed',
      'revocations-refused',
      'revocations-refused',
      'revocations-stale',
    ]);
    expect(library.requireUsable(APP).on).toBe(true);
  });

  it.each([
    ['an unknown key', () => newKey()],
    ['the retired key', null],
  ])('cannot yank a version with %s', async (_name, make) => {
    const { store, library, watch, keys } = await openWatched();
    const retired = store.state.key;
    store.rotate('2025-06-01T00:00:00.000Z');
    await keys.follow();
    const key = make?.() ?? retired;
    const entries = [{ appId: APP, version: '1.0.0', reason: 'Out of spite.', at: at(10) }];
    store.lie(LIST, (response) => store.answer(response, 200, signRevocations(entries, at(10), key)));
    expect(await watch.check()).toMatchObject({ refused: 'not-verified', signedAt: null });
    expect(library.requireUsable(APP).on).toBe(true);
  });

  it('cannot change the entries of a signed list', async () => {
    const { store, library, watch } = await openWatched();
    const list = signRevocations([], at(10), store.state.key);
    const entries = [{ appId: APP, version: '1.0.0', reason: 'Out of spite.', at: at(10) }];
    store.lie(LIST, (response) => store.answer(response, 200, { ...list, entries }));
    expect(await watch.check()).toMatchObject({ refused: 'not-verified' });
    expect(library.get(APP)).toMatchObject({ on: true, yanked: null });
  });

  it('cannot prevent the client from reporting an old list, by sending one that has no canonical form', async () => {
    const { store, watch, clock } = await openWatched();
    await watch.check();
    const list = signRevocations([], at(10), store.state.key);
    const entries = [{ appId: APP, version: '1.0.0', reason: 'Half a pair: \ud800', at: at(10) }];
    store.lie(LIST, (response) => store.answer(response, 200, { ...list, entries }));
    clock.now += 4 * 3_600_000;
    expect(await watch.check()).toMatchObject({ refused: 'not-verified', stale: true });
  });

  it('can rotate to a new key that the old key signed', async () => {
    const { store, library, watch } = await openWatched();
    await watch.check();
    store.rotate('2026-02-01T00:00:00.000Z');
    store.yank(at(10), '1.0.0');
    expect(await watch.check()).toMatchObject({ refused: null });
    expect(library.get(APP)).toMatchObject({ on: false });
  });
});
