import type { DatabaseSync } from 'node:sqlite';
import type { AppHead, LogProof } from '@svc/contracts';
import { type AcceptedHead, HEAD_STALE_MS, listedVersions, mayReplaceHead, verifyHead } from '@svc/signing';
import type { Events } from '../events/events.ts';
import type { LibraryStorage } from '../library/library-storage.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import { newestKeyId, requireSigner, type StoreKeys } from '../store/store-keys.ts';
import type { LoggedQuery, StoreReader } from '../store/store-reader.ts';

/** What a store signed about the versions of an app. */
export type VerifiedHead = {
  latest: string;
  signedAt: string;
  /** The proof that the version is in the log, not verified yet; undefined where the store sent none. */
  log: LogProof | undefined;
  /** @throws RuntimeError `not-verified` for a version that the head does not list as published with these bytes */
  requireCovered(version: string, sha256: string): void;
};

/** An app of which the store last offered a list of versions that was too old: updates, and yanks of them, may be held back. */
export type StaleHead = { store: string; appId: string; signedAt: string; receivedAt: string };

export type Heads = {
  /**
   * Fetches the head of an app, and accepts it.
   * @returns null for a store that has never signed heads
   * @throws RuntimeError `not-verified`; `rolled-back` for a head older than the last accepted one, or for none where there was one; and
   *   as the reader
   */
  of(appId: string, signal?: AbortSignal, logged?: LoggedQuery): Promise<VerifiedHead | null>;
  /** The apps whose last accepted head was stale when it came. */
  stale(): StaleHead[];
};

export type HeadsDeps = {
  system: Pick<System, 'now'>;
  storage: LibraryStorage;
  events: Events;
  reader: Pick<StoreReader, 'store' | 'head' | 'detail'>;
  keys: StoreKeys;
};

const isStale = (signedAt: string, receivedAt: string): boolean =>
  Date.parse(receivedAt) - Date.parse(signedAt) > HEAD_STALE_MS;

const refuse = (message: string): RuntimeError => new RuntimeError('not-verified', message);

const UNSIGNED = 'The list of the versions of this app is not signed by the current key of the store.';

function lastHead(database: DatabaseSync, store: string, appId: string): AcceptedHead | null {
  const row = database.prepare('select * from heads where store = ? and app_id = ?').get(store, appId);
  if (!row) return null;
  const { latest, versions, signed_at: signedAt, key_id: signer } = row as Record<string, string>;
  return { latest, versions, signedAt, signer } as AcceptedHead;
}

/** Replaces the last accepted head. @throws RuntimeError rolled-back */
function accept(
  { database, transact }: LibraryStorage,
  store: string,
  head: AcceptedHead & { appId: string },
  receivedAt: string,
): void {
  const { appId, latest, versions, signedAt, signer } = head;
  transact(() => {
    const last = lastHead(database, store, appId);
    // Another process may have stored a newer key in the meantime.
    if (newestKeyId(database, store) !== signer || !mayReplaceHead(head, last)) {
      const detail = { appId, signedAt, last: last?.signedAt ?? null };
      throw new RuntimeError(
        'rolled-back',
        'The store offers an older list of versions than the last accepted one.',
        { detail },
      );
    }
    database
      .prepare(
        'insert or replace into heads (store, app_id, latest, versions, signed_at, key_id, received_at) values (?, ?, ?, ?, ?, ?, ?)',
      )
      .run(store, appId, latest, versions, signedAt, signer, receivedAt);
  });
}

export function createHeads({ system, storage, events, reader, keys }: HeadsDeps): Heads {
  const { database, transact } = storage;
  const { store } = reader;

  function verified(head: AppHead): VerifiedHead {
    const listed = listedVersions(head);
    if (!listed.ok) throw refuse(listed.message);
    return {
      latest: head.latest,
      signedAt: head.signedAt,
      log: head.log,
      requireCovered(version, sha256) {
        if (listed.published.get(version) === sha256) return;
        throw refuse(`The store's signed list of versions does not have ${version} with these contents.`);
      },
    };
  }

  /** A store without heads is an older one, unless it had them. */
  async function withoutHead(appId: string, signal?: AbortSignal): Promise<null> {
    const hadHeads = database.prepare('select 1 from heads where store = ? limit 1').get(store) !== undefined;
    // The app may be gone: the store then says so itself.
    await reader.detail(appId, signal);
    if (hadHeads)
      throw new RuntimeError(
        'rolled-back',
        'The store no longer signs which version is the latest, as it did before.',
        { detail: { appId } },
      );
    const { changes } = transact(() =>
      database.prepare('insert or ignore into stores_without_heads (store) values (?)').run(store),
    );
    if (Number(changes) > 0) events.emit({ type: 'heads-missing', store });
    return null;
  }

  async function of(appId: string, signal?: AbortSignal, logged?: LoggedQuery): Promise<VerifiedHead | null> {
    const answer = await reader.head(appId, signal, logged);
    if (answer === null) return withoutHead(appId, signal);
    const { list: _list, log: _log, ...statement } = answer;
    const signer = await requireSigner(keys, (ring) => verifyHead(statement, ring), UNSIGNED, signal);
    if (answer.appId !== appId) throw refuse('The store answered with the list of versions of another app.');
    const head = verified(answer);
    const receivedAt = new Date(system.now()).toISOString();
    accept(storage, store, { ...statement, signer }, receivedAt);
    if (isStale(head.signedAt, receivedAt))
      events.emit({ type: 'head-stale', store, appId, signedAt: head.signedAt });
    return head;
  }

  function stale(): StaleHead[] {
    const rows = database
      .prepare(
        'select app_id, signed_at, received_at from heads where store = ? and received_at is not null order by app_id',
      )
      .all(store) as Record<string, string>[];
    return rows.flatMap(({ app_id: appId = '', signed_at: signedAt = '', received_at: receivedAt = '' }) =>
      isStale(signedAt, receivedAt) ? [{ store, appId, signedAt, receivedAt }] : [],
    );
  }

  return { of, stale };
}
