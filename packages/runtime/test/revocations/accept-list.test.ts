import type { RevocationList } from '@svc/contracts';
import { readInterop } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { createEvents } from '../../src/events/events.ts';
import { openLibraryStorage } from '../../src/library/library-storage.ts';
import { withdrawalOf } from '../../src/library/withdrawals.ts';
import { createRevocationWatch } from '../../src/revocations/revocation-watch.ts';
import { createStoreKeys } from '../../src/store/store-keys.ts';
import type { StoreReader } from '../../src/store/store-reader.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { system } from '../support/world.ts';

/** As in interop/revocations/README.md. */
type Vector = {
  name: string;
  keys: { keyId: string; publicKeyPem: string }[];
  installed: string[];
  steps: {
    now: string;
    list: unknown;
    verdict: string;
    refusal?: string;
    stale: boolean;
    ahead: boolean;
    off: string[];
  }[];
};

const fail = (error: unknown): never => {
  throw error;
};

/** A client that trusts the last key of a vector, and gets one list after the other from a store with no other keys. */
function clientOf(
  storage: Awaited<ReturnType<typeof openLibraryStorage>>,
  { name, keys, installed }: Vector,
) {
  const store = `https://${name}.example`;
  const current = keys.slice(-1) as [Vector['keys'][number]];
  const clock = { now: 0, list: null as unknown };
  const reader = {
    store,
    keys: async () => current,
    revocationsSince: async () => ({ list: clock.list as RevocationList, tag: null }),
  } as unknown as StoreReader;
  const watch = createRevocationWatch({
    ...{ storage, reader, onFault: fail, events: createEvents(fail), library: { list: () => [] } },
    keys: createStoreKeys({ storage, reader, pin: current[0].publicKeyPem }),
    system: { ...system, now: () => clock.now },
  });
  return async (now: string, list: unknown) => {
    Object.assign(clock, { now: Date.parse(now), list });
    const { refused, stale, ahead } = await watch.check();
    const off = installed.filter((app) => {
      const [appId = '', version = ''] = app.split('@');
      return withdrawalOf(storage.database, store, { appId, version }) !== null;
    });
    return { refused, stale, ahead, off };
  };
}

describe('the interop vectors', () => {
  const vectors = readInterop('revocations') as Vector[];

  it('have the expected outcome, step by step', async () => {
    const storage = await openLibraryStorage(system, await tempFolder());
    try {
      for (const vector of vectors) {
        const take = clientOf(storage, vector);
        for (const { now, list, verdict, refusal, stale, ahead, off } of vector.steps) {
          expect(verdict, vector.name).toBe(refusal === undefined ? 'accept' : 'refuse');
          expect(await take(now, list), vector.name).toEqual({ refused: refusal ?? null, stale, ahead, off });
        }
      }
    } finally {
      storage.close();
    }
  });
});
