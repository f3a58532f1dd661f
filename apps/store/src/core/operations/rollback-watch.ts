import {
  type AuditEntry,
  byCodeUnit,
  compareVersions,
  type StoreHealth,
  type StoreKey,
} from '@svc/contracts';
import { keyRing, type SigningKey, signJson, verifyJsonSignature } from '@svc/signing';
import type { BlobStore } from '../../platform/blob-store.ts';
import { withinTimeout } from '../../platform/probe.ts';
import type { Parts } from '../domain/parts/parts.ts';
import type { VersionRef } from '../domain/versions/version-record.ts';
import type { LostYanks } from '../revocations/revocation-list.ts';

/** How many of the last published versions are kept: more than are published while a replica lags. */
const KEPT = 500;

/** A record with more versions that are gone is useless to read. */
const MAX_GONE = 1_000;

/** How many versions a line of the log names. */
const NAMED = 20;

const DAY_MS = 24 * 3_600_000;

/** How long a rollback, with the yanks that were restored, is reported, in milliseconds. */
const ROLLBACK_MS = 7 * DAY_MS;

/** How long versions that are gone are reported, unless they are published again, in milliseconds. */
const GONE_MS = 30 * DAY_MS;

type Published = VersionRef & { sha256: string; publishedAt: string };
type Gone = Published & { noticedAt: string };
type Yank = VersionRef & { noticedAt: string };

/** What is kept beside the bundles, with a signature over all of it. */
type Kept = {
  published: readonly Published[];
  gone: readonly Gone[];
  yanks: readonly Yank[];
  /** When the database was last seen to be older than before. */
  rolledBackAt: string | null;
};

const NOTHING: Kept = { published: [], gone: [], yanks: [], rolledBackAt: null };

export type RollbackDeps = Pick<Parts, 'audit' | 'versions' | 'clock' | 'log' | 'signingKey'> & {
  keyChain: readonly StoreKey[];
  blobs: Pick<BlobStore, 'keptRecord' | 'keepRecord'>;
};

const nameOf = ({ appId, version }: VersionRef): string => `${appId} ${version}`;

/** One of each version: the last one given. */
const unique = <T extends VersionRef>(...lists: readonly (readonly T[])[]): T[] => [
  ...new Map(lists.flat().map((one) => [nameOf(one), one])).values(),
];

/** The same order in every process, so that they agree on the record. */
const inOrder = <T extends VersionRef>(list: readonly T[]): T[] =>
  list.toSorted((a, b) => byCodeUnit(nameOf(a), nameOf(b)));

const sealed = (kept: Kept, key: SigningKey): string =>
  JSON.stringify({ ...kept, signature: signJson(kept, key) });

/** Parses a record that a key of the store has signed; null for any other text. */
function opened(text: string | null, keys: readonly StoreKey[]): Kept | null {
  try {
    const { signature, ...kept } = JSON.parse(text ?? 'null');
    const isOwn = [...keyRing(keys).values()].some((key) => verifyJsonSignature(kept, signature, key));
    return isOwn ? kept : null;
  } catch {
    return null;
  }
}

const publicationOf = ({ appId, version, at, detail }: AuditEntry): Published[] =>
  appId && version && typeof detail.sha256 === 'string'
    ? [{ appId, version, sha256: detail.sha256, publishedAt: at }]
    : [];

/** The last published versions by the database, newest first. */
async function lastPublished({ audit }: Pick<RollbackDeps, 'audit'>, limit: number): Promise<Published[]> {
  const search = { action: 'version.publish', direction: 'desc', after: null, limit } as const;
  return unique((await audit.find(search)).flatMap(publicationOf));
}

/** Those versions that the database does not have, or has with other bytes. */
async function missingOf<T extends Published>({ versions }: RollbackDeps, known: readonly T[]): Promise<T[]> {
  const hashes = new Map((await versions.hashesOf(known)).map((row) => [nameOf(row), row.sha256]));
  return known.filter((one) => hashes.get(nameOf(one)) !== one.sha256);
}

/** Whether a greater version of the app was published since one was noticed to be gone: clients update to that. */
async function isReplaced({ versions }: RollbackDeps, gone: Gone): Promise<boolean> {
  const published = await versions.publishedNumbers(gone.appId);
  return published.some(
    ({ version, publishedAt }) => publishedAt > gone.noticedAt && compareVersions(version, gone.version) > 0,
  );
}

async function notReplaced(deps: RollbackDeps, gone: readonly Gone[]): Promise<Gone[]> {
  const replaced = await Promise.all(gone.map((one) => isReplaced(deps, one)));
  return gone.filter((_one, index) => !replaced[index]);
}

/**
 * Watches for a database that is older than what this process, or the record beside the bundles, knows: after a failover to a lagging
 * replica, or a restored copy. The record has the versions that were published last; those that are gone are named until they are back,
 * or a greater version of their app is published.
 */
export function createRollbackWatch(deps: RollbackDeps) {
  const { blobs, clock, log, signingKey, keyChain } = deps;
  let kept = NOTHING;
  /** The text of the record, as this process has last seen it. */
  let text: string | null = null;
  let lastCheck: Promise<void> = Promise.resolve();
  let newest: string | null = null;

  const isWithin = (ms: number, time: string) => clock().getTime() - Date.parse(time) < ms;

  const noticed = (): void => {
    kept = { ...kept, rolledBackAt: clock().toISOString() };
  };

  /** Logs the versions whose absence is new to this process. */
  function reportGone(gone: readonly Gone[], recorded: readonly Gone[]): void {
    const known = new Set(kept.gone.map(nameOf));
    const names = gone.map(nameOf).filter((name) => !known.has(name));
    if (names.length === 0) return;
    const isRecorded = new Set(recorded.map(nameOf));
    if (names.some((name) => !isRecorded.has(name))) noticed();
    log.error(
      { gone: names.slice(0, NAMED), of: names.length },
      'Published versions are no longer in the database: it was replaced by an older copy. Bring the newer database back, or have these versions published again, under higher numbers. See docs/backup.md.',
    );
  }

  /** The versions that are known, and gone from the database, with the time at which that was noticed first. */
  async function findGone(recorded: Kept, recent: readonly Published[]): Promise<Gone[]> {
    const keyOf = ({ sha256, ...ref }: Published) => `${nameOf(ref)} ${sha256}`;
    const isRecent = new Set(recent.map(keyOf));
    const known = unique<Published>(recorded.published, kept.published, recorded.gone, kept.gone);
    const missing = await missingOf(
      deps,
      known.filter((one) => !isRecent.has(keyOf(one))),
    );
    const since = new Map(unique(kept.gone, recorded.gone).map((one) => [nameOf(one), one.noticedAt]));
    const noticedAt = clock().toISOString();
    const gone = missing
      .map((one) => ({ ...one, noticedAt: since.get(nameOf(one)) ?? noticedAt }))
      .filter((one) => isWithin(GONE_MS, one.noticedAt));
    return inOrder(await notReplaced(deps, gone)).slice(0, MAX_GONE);
  }

  /** Compares the database with a record, and with what this process knows. */
  async function compare(recorded: Kept): Promise<void> {
    const published = await lastPublished(deps, KEPT);
    const gone = await findGone(recorded, published);
    reportGone(gone, recorded.gone);
    const yanks = unique(kept.yanks, recorded.yanks).filter((one) => isWithin(ROLLBACK_MS, one.noticedAt));
    const [rolledBackAt = null] = [recorded.rolledBackAt, kept.rolledBackAt]
      .filter((time) => time !== null && isWithin(ROLLBACK_MS, time))
      .sort()
      .toReversed();
    kept = { published, gone, yanks: inOrder(yanks).slice(0, MAX_GONE), rolledBackAt };
  }

  async function keep(): Promise<void> {
    const next = sealed(kept, signingKey);
    if (next === text) return;
    await blobs.keepRecord('published', next);
    text = next;
  }

  async function compareAndKeep(): Promise<void> {
    const inStorage = await withinTimeout(blobs.keptRecord('published')).catch((error: Error) => error);
    const isRead = !(inStorage instanceof Error);
    await compare((isRead && opened(inStorage, keyChain)) || NOTHING);
    newest = kept.published[0] ? nameOf(kept.published[0]) : null;
    if (!isRead) throw inStorage;
    text = inStorage;
    await keep();
  }

  /**
   * Compares the database with the record beside the bundles, and updates the record.
   * @throws when one of them does not answer; what is gone from the database is noticed also without the record
   */
  const check = (): Promise<void> => {
    lastCheck = lastCheck.catch(() => {}).then(compareAndKeep);
    return lastCheck;
  };

  return {
    check,
    /** Records that the database is older than before, for another reason than what this watch compares. */
    noticed,
    /** Compares them when a version was published since. */
    async follow(): Promise<void> {
      const [last] = await lastPublished(deps, 1);
      if ((last ? nameOf(last) : null) !== newest) await check();
    },
    /** Reports yanks that were lost with a newer database, and restored. */
    onLostYanks({ yanks, ...lists }: LostYanks): void {
      const noticedAt = clock().toISOString();
      const restored = yanks.map(({ appId, version }) => ({ appId, version, noticedAt }));
      kept = { ...kept, yanks: unique(kept.yanks, restored) };
      noticed();
      log.error(
        { ...lists, yanks: yanks.slice(0, NAMED).map(nameOf), of: yanks.length },
        'The database is older than the last signed revocation list: it was rolled back, and everything published or decided since is lost. The yanks of the newer list are in force again. See docs/backup.md.',
      );
    },
    /** What an older database has lost, as far as it is known; null when nothing is missing. */
    found(): StoreHealth['rollback'] {
      const { gone, yanks, rolledBackAt } = kept;
      const [noticedAt] = [
        ...gone.map((one) => one.noticedAt),
        ...(rolledBackAt ? [rolledBackAt] : []),
      ].sort();
      if (noticedAt === undefined) return null;
      const refs = (list: readonly VersionRef[]) => list.map(({ appId, version }) => ({ appId, version }));
      return { noticedAt, yanks: refs(yanks), gone: refs(gone) };
    },
  };
}

export type RollbackWatch = ReturnType<typeof createRollbackWatch>;
