import type { RevocationEntry } from '@svc/contracts';
import { generateSigningKeyPem, readSigningKey, signRevocations } from '@svc/signing';
import { BOTH_DATABASES } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { createStores } from '../../../src/adapters/database/stores.ts';
import { createRevocationStore, markOf } from '../../../src/core/revocations/revocation-store.ts';
import { openDatabase } from '../../support/database.ts';
import { addPublisher, submitVersion } from '../../support/version-row.ts';

const at = (hour: number): string => new Date(Date.UTC(2026, 2, 1, hour)).toISOString();

type Move = readonly [to: 'published' | 'yanked', hour: number];

/** Versions with their moves, in the order in which they were written: a clock may have been set back. */
const VERSIONS: readonly { appId: string; version: string; moves: readonly Move[] }[] = ['a', 'b'].flatMap(
  (app) =>
    ['1.0.0', '2.0.0'].flatMap((version, n) => {
      const hour = app === 'a' ? n : n + 4;
      const name = (what: string) => ({ appId: `com.example.${app}-${what}`, version });
      const [published, yanked] = [['published', 20] as const, ['yanked', hour] as const];
      return [
        { ...name('yanked'), moves: [published, yanked] },
        { ...name('again'), moves: [published, yanked, ['published', 9], ['yanked', 10]] },
        { ...name('restored'), moves: [published, yanked, ['published', 11]] },
        { ...name('published'), moves: [published] },
      ];
    }),
);

async function filled() {
  const db = await openDatabase();
  await addPublisher(db);
  const stores = createStores(db);
  const known = { ...stores.apps, add: async () => undefined };
  for (const { moves, ...ref } of VERSIONS) {
    const apps = ref.version === '1.0.0' ? stores.apps : known;
    await submitVersion({ versions: stores.versions, apps }, ref, 'example');
    const [state] = moves.at(-1) ?? ['published'];
    const where = db.updateTable('versions').set({ state, notes: `notes of ${ref.appId}` });
    await where.where('app_id', '=', ref.appId).where('version', '=', ref.version).execute();
    for (const [to_state, hour] of moves)
      await db
        .insertInto('version_moves')
        .values({
          app_id: ref.appId,
          version: ref.version,
          from_state: '',
          to_state,
          moved_by: '',
          moved_at: at(hour),
          note: '',
        })
        .execute();
  }
  return { db, revocations: createRevocationStore(db) };
}

const inOrder = (entries: readonly RevocationEntry[]): string[] =>
  entries.map(({ appId, version, reason, at }) => [appId, version, reason, at].join(' ')).sort();

const entryOf = (ref: { appId: string; version: string }, hour: number): RevocationEntry => ({
  appId: ref.appId,
  version: ref.version,
  reason: `notes of ${ref.appId}`,
  at: at(hour),
});

describe('the yanks of a database', () => {
  it('are those of versions in that state, with the time of the last one', BOTH_DATABASES, async () => {
    const { revocations } = await filled();
    const expected = VERSIONS.flatMap(({ moves, ...ref }) => {
      const [to, hour] = moves.at(-1) ?? ['published', 0];
      return to === 'yanked' ? [entryOf(ref, hour)] : [];
    });
    expect(inOrder(await revocations.yanked())).toEqual(inOrder(expected));
  });

  it(
    'are on record at the time and with the version that they had, undone or not',
    BOTH_DATABASES,
    async () => {
      const { revocations } = await filled();
      const asked = VERSIONS.flatMap((ref) => [0, 1, 4, 5, 10, 11, 20].map((hour) => entryOf(ref, hour)));
      const isRecorded = ({ appId, version, at: time }: RevocationEntry) =>
        VERSIONS.some(
          (one) =>
            one.appId === appId &&
            one.version === version &&
            one.moves.some(([to, hour]) => to === 'yanked' && at(hour) === time),
        );
      expect(inOrder(await revocations.onRecord(asked))).toEqual(inOrder(asked.filter(isRecorded)));
    },
  );
});

describe('the last list of a database', () => {
  const key = readSigningKey(generateSigningKeyPem());
  const [first, second, other] = [1, 2, 3].map((hour) => signRevocations([], at(hour), key)) as [
    ReturnType<typeof signRevocations>,
    ReturnType<typeof signRevocations>,
    ReturnType<typeof signRevocations>,
  ];

  it('is replaced by the process that has read it, and by no other', BOTH_DATABASES, async () => {
    const revocations = createRevocationStore(await openDatabase());
    const [one, two, three] = [first, second, other].map((list) => JSON.stringify(list)) as [
      string,
      string,
      string,
    ];
    expect([await revocations.last(), await revocations.lastText(), await revocations.lastMark()]).toEqual([
      null,
      null,
      null,
    ]);
    expect([await revocations.keep(two, one), await revocations.keep(one, null)]).toEqual([false, true]);
    expect([await revocations.keep(two, null), await revocations.keep(three, two)]).toEqual([false, false]);
    expect([await revocations.last(), await revocations.lastText()]).toEqual([first, one]);
    expect(await revocations.lastMark()).toBe(markOf(first));
    expect(await revocations.keep(two, one)).toBe(true);
    expect(await revocations.lastMark()).toBe(markOf(second));
  });
});
