import type { RevocationEntry, RevocationList } from '@svc/contracts';
import {
  generateSigningKeyPem,
  keyRing,
  readSigningKey,
  type SigningKey,
  signRevocations,
  verifyRevocationList,
} from '@svc/signing';
import { describe, expect, it } from 'vitest';
import {
  createRevocationList,
  type LostYanks,
  type RevocationStores,
} from '../../../src/core/revocations/revocation-list.ts';
import { markOf, type RevocationStore } from '../../../src/core/revocations/revocation-store.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-03-01T12:00:00.000Z');

const entry = (appId: string): RevocationEntry => ({
  appId,
  version: '1.0.0',
  reason: 'It lost notes.',
  at: '2026-03-01T11:00:00.000Z',
});

/** A list over a store in memory, with a clock, faults, and a count of the lists that were read and kept. */
function listing() {
  const state = {
    now: START,
    yanked: [] as RevocationEntry[],
    last: null as RevocationList | null,
    read: 0,
    kept: 0,
    looks: 0,
    copied: 0,
    /** Reads of the copy. */
    asked: 0,
    copy: null as string | null,
    /** Apps without a yank in the audit log: the database is older than their yanks. */
    unrecorded: new Set<string>(),
    lost: [] as LostYanks[],
  };
  const faults = { read: false, sign: false, copy: false };
  const errors: object[] = [];
  const warnings: string[] = [];
  const real = readSigningKey(generateSigningKeyPem());
  const signingKey: SigningKey = {
    ...real,
    get privateKey() {
      if (faults.sign) throw new Error('The key is out of reach.');
      return real.privateKey;
    },
  };
  const revocations: RevocationStore = {
    async yanked() {
      if (faults.read) throw new Error('The database is out of reach.');
      const found = [...state.yanked];
      state.read += 1;
      await new Promise((resolve) => setImmediate(resolve));
      return found;
    },
    onRecord: async (entries) => entries.filter(({ appId }) => !state.unrecorded.has(appId)),
    last: async () => state.last,
    lastText: async () => state.last && JSON.stringify(state.last),
    async lastMark() {
      if (faults.read) throw new Error('The database is out of reach.');
      state.looks += 1;
      return state.last && markOf(state.last);
    },
    keep: async (list, last) => {
      if ((state.last && JSON.stringify(state.last)) !== last) return false;
      state.last = JSON.parse(list);
      state.kept += 1;
      return true;
    },
  };
  // Nothing is published: what is done with published versions needs a real store.
  const stores = { revocations, versions: { move: async () => false } } as unknown as RevocationStores;
  const deps = {
    unitOfWork: <T>(work: (given: RevocationStores) => Promise<T>) => work(stores),
    signingKey,
    revocations,
    onLostYanks: (lost: LostYanks) => void state.lost.push(lost),
    blobs: {
      async keptRecord() {
        state.asked += 1;
        if (faults.copy) throw new Error('The storage is out of reach.');
        return state.copy;
      },
      async keepRecord(_name: string, text: string) {
        state.copy = text;
        state.copied += 1;
      },
    },
    clock: () => new Date(state.now),
    log: {
      info() {},
      warn: (_fields: object, text: string) => void warnings.push(text),
      error: (fields: object) => void errors.push(fields),
    },
  };
  const open = (key = signingKey, ...retired: SigningKey[]) => {
    const keyChain = [...retired, key].map(({ keyId, publicKeyPem }) => {
      return { keyId, publicKeyPem, createdAt: '2026-01-01T00:00:00.000Z' };
    });
    return createRevocationList({ ...deps, signingKey: key, keyChain });
  };
  return { ...open(), signingKey: real, open, state, faults, errors, warnings, ring: keyRing([real]) };
}

describe('the revocation list', () => {
  it('is signed again, and copied, five minutes before it is an hour old, and not more often', async () => {
    const { current, state, ring } = listing();
    const signedAt = new Set<string>();
    for (let minutes = 0; minutes <= 180; minutes += 1) {
      const list = await current();
      expect(verifyRevocationList(list, ring)).toBe(true);
      expect(state.now - Date.parse(list.signedAt)).toBeLessThan(55 * MINUTE);
      signedAt.add(list.signedAt);
      state.now += MINUTE;
    }
    expect([signedAt.size, state.kept, state.copied]).toEqual([4, 4, 4]);
  });

  it('is served also when it cannot be copied, which is logged, and is copied later', async () => {
    const { current, state, faults, warnings } = listing();
    faults.copy = true;
    const list = await current();
    expect([state.copied, warnings]).toEqual([0, [expect.stringContaining('could not be copied')]]);
    // A yank waits for each.
    expect(state.asked).toBe(1);
    faults.copy = false;
    state.now += MINUTE;
    expect([await current(), state.copied]).toEqual([list, 1]);
  });

  it('of a process whose clock is five minutes ahead counts as current, and that of a later clock as wrong', async () => {
    const { current, open, state, errors } = listing();
    const list = await current();
    state.now -= 5 * MINUTE;
    expect([await open().current(), errors]).toEqual([list, []]);
    state.now -= 1;
    expect((await open().current()).signedAt > list.signedAt).toBe(true);
    expect(errors).toHaveLength(1);
  });

  it('is signed once for concurrent requests', async () => {
    const { current, state } = listing();
    const lists = await Promise.all(Array.from({ length: 50 }, current));
    expect(new Set(lists).size).toBe(1);
    expect(state.kept).toBe(1);
  });

  it('contains a version that was yanked during an earlier renewal', async () => {
    const { current, renew, state } = listing();
    const early = renew();
    while (state.read === 0) await Promise.resolve();
    state.yanked.push(entry('com.example.notes'));
    await Promise.all([renew(), renew(), early]);
    expect((await current()).entries).toEqual([entry('com.example.notes')]);
    expect(state.kept).toBe(2);
  });

  it('is signed again when another process first stored a list without the newest yank', async () => {
    const { open, state } = listing();
    const [one, other] = [open(), open()];
    const early = one.renew();
    while (state.read === 0) await Promise.resolve();
    state.yanked.push(entry('com.example.notes'));
    await Promise.all([early, other.renew()]);
    expect(state.last?.entries).toEqual([entry('com.example.notes')]);
  });

  it('contains what another process has signed after a second, and asks for it once a second', async () => {
    const { current, open, state } = listing();
    const other = open();
    await Promise.all([current(), other.current()]);
    state.yanked.push(entry('com.example.notes'));
    await other.renew();
    state.now += 1_000;
    const looks = state.looks;
    const lists = await Promise.all([current(), current(), current()]);
    expect([lists[0]?.entries.length, state.looks - looks]).toEqual([1, 1]);
    expect((await current()).entries).toHaveLength(1);
  });

  it('contains a yank that no process has signed after 30 seconds', async () => {
    const { current, state } = listing();
    await current();
    state.yanked.push(entry('com.example.notes'));
    state.now += MINUTE / 2;
    expect((await current()).entries).toHaveLength(1);
  });

  it.each(['read', 'sign'] as const)(
    'is still served after a failure to %s, which is logged',
    async (what) => {
      const { current, renew, state, faults, errors, ring } = listing();
      const good = await current();
      faults[what] = true;
      state.yanked.push(entry('com.example.notes'));
      await renew();
      state.now += 4 * 60 * MINUTE;
      expect(await current()).toEqual(good);
      expect(errors.length).toBe(2);
      for (let n = 0; n < 20; n += 1) await current();
      expect(errors.length).toBe(2);
      faults[what] = false;
      state.now += 1_000;
      const healed = await current();
      expect(healed.entries).toHaveLength(1);
      expect(verifyRevocationList(healed, ring)).toBe(true);
    },
  );

  it.each<Partial<RevocationEntry>>([
    { appId: 'com.example.other' },
    { version: '1.0.1' },
    { reason: 'It lost all notes.' },
    { at: '2026-03-01T11:30:00.000Z' },
  ])('is signed again when it is as long as before, and differs in %j', async (changed) => {
    const { renew, current, state } = listing();
    state.yanked = [entry('com.example.notes')];
    await renew();
    state.yanked = [{ ...entry('com.example.notes'), ...changed }];
    await renew();
    expect((await current()).entries).toEqual(state.yanked);
  });

  it('is unavailable, and never sent unsigned, if signing fails', async () => {
    const { current, faults } = listing();
    faults.sign = true;
    await expect(current()).rejects.toMatchObject({ name: 'Unavailable' });
  });

  it('is kept over a restart, and is signed again with a new key or if the stored list was changed', async () => {
    const { current, open, state } = listing();
    const before = await current();
    state.now += MINUTE;
    expect(await open().current()).toEqual(before);
    const next = readSigningKey(generateSigningKeyPem());
    expect(verifyRevocationList(await open(next).current(), keyRing([next]))).toBe(true);
    state.last = { ...before, entries: [entry('com.example.innocent')] };
    expect((await open().current()).entries).toEqual([]);
  });

  it('never gets an earlier signedAt, even if the clock goes back', async () => {
    const { current, renew, state } = listing();
    const before = await current();
    state.now -= 10 * MINUTE;
    state.yanked.push(entry('com.example.notes'));
    await renew();
    const after = await current();
    expect(after.entries).toHaveLength(1);
    expect(Date.parse(after.signedAt)).toBe(Date.parse(before.signedAt) + 1);
    state.yanked.pop();
    await renew();
    expect(Date.parse((await current()).signedAt)).toBe(Date.parse(before.signedAt) + 2);
  });

  it('gets a later signedAt for each change in the same millisecond', async () => {
    const { current, renew, state } = listing();
    const times = [(await current()).signedAt];
    for (const appId of ['com.example.a', 'com.example.b']) {
      state.yanked.push(entry(appId));
      await renew();
      times.push((await current()).signedAt);
    }
    expect(new Set(times).size).toBe(3);
    expect([...times].sort()).toEqual(times);
  });

  it('is signed hourly with an increasing signedAt and a logged error after the clock was 40 days ahead', async () => {
    const { open, state, errors } = listing();
    const DAY = 24 * 60 * MINUTE;
    state.now += 40 * DAY;
    const ahead = await open().current();
    state.now -= 40 * DAY;
    const { current } = open();
    const times = new Map<string, number>();
    for (let minutes = 0; minutes < 180; minutes += 1) {
      const { signedAt } = await current();
      expect(signedAt > ahead.signedAt).toBe(true);
      if (!times.has(signedAt)) times.set(signedAt, minutes);
      state.now += MINUTE;
    }
    expect([...times.values()]).toEqual([0, 55, 110, 165]);
    expect(errors).toHaveLength(4);
    // The first list of a new key has the current time.
    const next = readSigningKey(generateSigningKeyPem());
    expect((await open(next).current()).signedAt).toBe(new Date(state.now).toISOString());
  });

  it('of an older copy of the database is not served again, though it says the same', async () => {
    const { current, renew, state } = listing();
    const older = await current();
    for (const yanked of [[entry('com.example.notes')], []]) {
      state.yanked = yanked;
      await renew();
    }
    const newer = await current();
    expect(newer.entries).toEqual(older.entries);
    state.last = older;
    await renew();
    expect((await current()).signedAt > newer.signedAt).toBe(true);
  });

  describe('of a database that was replaced by an older copy', () => {
    const NOTES = 'com.example.notes';

    /** A list with a yank, and an older copy of the database, without it. */
    async function rolledBack() {
      const given = listing();
      const older = await given.current();
      given.state.now += 1_000;
      given.state.yanked.push(entry(NOTES));
      await given.renew();
      const newer = await given.current();
      given.state.yanked = [];
      given.state.unrecorded.add(NOTES);
      given.state.last = older;
      given.state.now += MINUTE;
      return { ...given, older, newer };
    }

    it.each([
      [
        'by this process, without the copy',
        (given: Awaited<ReturnType<typeof rolledBack>>) => {
          given.faults.copy = true;
          return given.current;
        },
      ],
      [
        'by the copy, in a new process',
        (given: Awaited<ReturnType<typeof rolledBack>>) => {
          const started = given.open();
          return async () => {
            await started.open();
            return started.current();
          };
        },
      ],
    ])('still has every yank that is known %s, and reports what was lost', async (_how, use) => {
      const given = await rolledBack();
      const list = await use(given)();
      expect(list.entries).toEqual([entry(NOTES)]);
      expect(list.signedAt > given.newer.signedAt).toBe(true);
      expect(given.state.lost).toEqual([
        {
          database: { signedAt: given.older.signedAt, entries: 0 },
          known: { signedAt: given.newer.signedAt, entries: 1 },
          yanks: [entry(NOTES)],
        },
      ]);
      await given.renew();
      expect(given.state.lost).toHaveLength(1);
    });

    it('has them also after another process has signed a newer list without them, and so has the copy', async () => {
      const given = await rolledBack();
      given.state.yanked.push(entry('com.example.other'));
      const { copy } = given.state;
      given.state.copy = null;
      // This process knows neither the list nor the copy.
      await given.open().renew();
      expect(given.state.last?.entries).toEqual([entry('com.example.other')]);
      given.state.copy = copy;
      await given.open().renew();
      const all = [entry(NOTES), entry('com.example.other')];
      expect([given.state.last?.entries, JSON.parse(String(given.state.copy)).entries]).toEqual([all, all]);
      expect((await given.current()).entries).toEqual(all);
    });

    it('has a version once that was yanked again since', async () => {
      const given = await rolledBack();
      const again = { ...entry(NOTES), at: '2026-03-01T12:01:00.000Z' };
      given.state.yanked.push(again);
      await given.renew();
      expect((await given.current()).entries).toEqual([again]);
    });

    it('is not suspected because of a later list of an earlier key', async () => {
      const { open, signingKey, state } = listing();
      const next = readSigningKey(generateSigningKeyPem());
      await open(next, signingKey).renew();
      state.copy = JSON.stringify(signRevocations([], '2026-03-01T13:00:00.000Z', signingKey));
      const started = open(next, signingKey);
      await started.open();
      await started.renew();
      expect(state.lost).toEqual([]);
      // A later one of its own key shows that the database is older.
      state.copy = JSON.stringify(signRevocations([], '2026-03-01T13:00:00.000Z', next));
      await started.renew();
      expect(state.lost).toHaveLength(1);
    });

    it('is noticed also when the database is empty, and no yank was lost', async () => {
      const { current, open, state } = listing();
      const { signedAt } = await current();
      state.last = null;
      const started = open();
      await started.open();
      expect(state.lost).toEqual([
        { database: { signedAt: null, entries: 0 }, known: { signedAt, entries: 0 }, yanks: [] },
      ]);
    });

    it('is noticed also when no yank was lost, and never goes back in time', async () => {
      const { current, renew, state } = listing();
      const older = await current();
      state.now += 56 * MINUTE;
      const newer = await current();
      state.last = older;
      await renew();
      expect((await current()).signedAt > newer.signedAt).toBe(true);
      expect(state.lost).toMatchObject([{ yanks: [], database: { signedAt: older.signedAt } }]);
    });
  });

  it('does not start without its copy, by which alone a lost yank is noticed', async () => {
    const { open, faults } = listing();
    faults.copy = true;
    await expect(open().open()).rejects.toThrow('The storage is out of reach.');
  });

  it('is copied over no copy that another process has written since, before its yanks are on the list', async () => {
    const { state, open, signingKey } = listing();
    const process = open();
    await process.current();
    const theirs = signRevocations([entry('com.example.lost')], '2026-03-01T11:59:00.000Z', signingKey);
    state.copy = JSON.stringify(theirs);
    state.unrecorded.add('com.example.lost');
    state.yanked.push(entry('com.example.notes'));
    await process.renew();
    const both = [entry('com.example.lost'), entry('com.example.notes')];
    expect([state.last?.entries, JSON.parse(String(state.copy)).entries]).toEqual([both, both]);
  });

  it('is sorted by appId, independent of the order in the database', async () => {
    const { current, state } = listing();
    state.yanked.push(entry('com.example.z'), entry('com.example.B'), entry('com.example.a'));
    expect((await current()).entries.map(({ appId }) => appId)).toEqual([
      'com.example.B',
      'com.example.a',
      'com.example.z',
    ]);
  });
});
