import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DEEP } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import { type Action, actionsOn } from '../../tools/torture/actions.ts';
import {
  type Arena,
  inArena,
  newApp,
  publishFirst,
  restart,
  uploadForReview,
} from '../../tools/torture/arena.ts';
import { bundleOf, hashOf, nameOf, type Ref } from '../../tools/torture/client.ts';
import { flipAll } from '../../tools/torture/experiments/flips.ts';
import { stepsOf } from '../../tools/torture/experiments/kill.ts';
import { faultsOfPublished } from '../../tools/torture/promises.ts';
import { sqliteBackend } from '../../tools/torture/site.ts';
import { findingsOf, underWay } from '../../tools/torture/soundness.ts';

/** Calls a function with a store that has one published version, and its data folder. */
const withPublished = <T>(work: (arena: Arena, ref: Ref, folder: string) => Promise<T>): Promise<T> =>
  inArena(sqliteBackend, async (arena) => {
    const ref = await publishFirst(arena.client, newApp());
    return work(arena, ref, arena.site.settings().SVC_DATA_DIR as string);
  });

const blobOf = (folder: string, sha256: string): string => join(folder, 'blobs', sha256.slice(0, 2), sha256);

function tamper(folder: string, statement: string): void {
  const database = new DatabaseSync(join(folder, 'store.sqlite'), { timeout: 5_000 });
  database.exec(statement);
  database.close();
}

describe('the torture checks', { timeout: 120_000 }, () => {
  it('find no fault after an undisturbed publish', DEEP, () =>
    withPublished(async ({ site, client }, ref) => {
      expect(await findingsOf(site, 'bytes')).toEqual({ faults: [], orphans: 0 });
      expect(await underWay(site)).toEqual([]);
      expect(await faultsOfPublished(client, ref, bundleOf(ref))).toEqual([]);
    }),
  );

  it('count the file operations, syncs, renames and statements of a publish as steps', DEEP, () =>
    inArena(sqliteBackend, async (arena) => {
      const [publish] = await actionsOn(arena.client);
      const steps = (await stepsOf(arena, publish as Action)).map((name) => name.split(' ')[0]);
      const kinds = ['open', 'writev', 'writeFile', 'fsync', 'rename', 'rm', 'sqlite'];
      expect(kinds.filter((kind) => !steps.includes(kind))).toEqual([]);
    }),
  );

  it('report changed, missing and unreferenced blobs', DEEP, () =>
    withPublished(async ({ site, client }, ref, folder) => {
      const sha256 = hashOf(bundleOf(ref));
      await writeFile(blobOf(folder, 'a'.repeat(64).replace(/^aa/, sha256.slice(0, 2))), 'of nobody');
      expect(await findingsOf(site, 'names')).toEqual({ faults: [], orphans: 1 });
      await writeFile(blobOf(folder, sha256), 'other bytes');
      expect((await findingsOf(site, 'bytes')).faults).toEqual([
        `the bytes ${sha256} are not what they were`,
      ]);
      await rm(blobOf(folder, sha256));
      expect((await findingsOf(site, 'names')).faults).toEqual([`a version has lost the bytes ${sha256}`]);
      expect(await faultsOfPublished(client, ref, bundleOf(ref))).toEqual([
        `${ref.appId} ${ref.version} is published and cannot be downloaded`,
      ]);
    }),
  );

  it('report a half-published version', DEEP, () =>
    withPublished(async ({ site }, _ref, folder) => {
      tamper(folder, 'update versions set signature = null');
      expect((await findingsOf(site, 'names')).faults[0]).toMatch(/is published without a signature$/);
      tamper(folder, "update versions set state = 'approved'");
      expect((await underWay(site))[0]).toMatch(/ is approved$/);
    }),
  );

  it('report a version that is missing, or missing in the catalogue', DEEP, () =>
    withPublished(async ({ site, client }, ref, folder) => {
      const lost = { ...ref, version: '9.9.9' };
      expect(await faultsOfPublished(client, lost, bundleOf(lost))).toEqual([
        `${ref.appId} 9.9.9 is lost, and should be published`,
      ]);
      tamper(folder, 'delete from listing_categories; delete from listings');
      expect((await findingsOf(site, 'names')).faults[0]).toMatch(/is published and not listed$/);
    }),
  );

  it('record acknowledged changes, and report lost ones', DEEP, () =>
    withPublished(async (arena, ref, folder) => {
      const { client, witness } = arena;
      const waiting = await uploadForReview(client, newApp());
      const yanked = await publishFirst(client, newApp());
      expect((await client.yank(yanked)).status).toBe(200);
      expect(witness.count()).toBe('2 × 201, 1 yanked');
      expect(await witness.faults(client)).toEqual([]);
      await rm(blobOf(folder, hashOf(bundleOf(ref))));
      await rm(blobOf(folder, hashOf(bundleOf(waiting))));
      // The store serves recent bundles from memory.
      await restart(arena);
      expect(await witness.faults(arena.client)).toEqual([
        `${nameOf(ref)} is published and cannot be downloaded`,
        `${nameOf(waiting)} is in review, and its bundle is not to be had`,
      ]);
    }),
  );

  it('do not record unanswered or refused requests', DEEP, () =>
    withPublished(async ({ client, witness, store }, ref) => {
      const rejected = await uploadForReview(client, newApp());
      expect((await client.reject(rejected)).status).toBe(200);
      expect((await client.upload(bundleOf(ref))).status).toBe(409);
      expect(witness.count()).toBe('1 × 201, 0 yanked');
      await store.kill();
      expect((await client.yank(ref)).status).toBe(0);
      expect(witness.count()).toBe('0 × 201, 0 yanked');
    }),
  );

  it('report an acknowledged yank that is not on the revocation list', DEEP, () =>
    withPublished(async ({ client, witness }, ref) => {
      // A store that acknowledges the yank without performing it.
      const liar = { ...client, yank: async () => ({ status: 200, headers: new Headers(), body: {} }) };
      await witness.watch(liar).yank(ref);
      expect(await witness.look(client)).toEqual([
        `${nameOf(ref)} is yanked and not on a list that clients take`,
      ]);
    }),
  );

  it('count every bit, and report each that a verifier accepts', () => {
    const bytes = Buffer.from([1, 2, 3]);
    expect(flipAll({ name: 'x', bytes, isAccepted: () => true }).failures).toHaveLength(24);
    const isAccepted = (flipped: Buffer) => flipped[2] !== 3;
    expect(flipAll({ name: 'x', bytes, isAccepted })).toMatchObject({ count: 24, failures: { length: 8 } });
  });
});
