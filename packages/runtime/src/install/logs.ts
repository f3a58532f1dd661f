import path from 'node:path';
import { makePrivateFolder, newPrivateFile } from '@svc/bundle/private-files';
import type { LogProof, SignedFacts, VersionProofExtra } from '@svc/contracts';
import { PublishedExtra } from '@svc/contracts';
import {
  claimedOrigin,
  formatVersionProof,
  hashOfBase64,
  isLogged,
  logKeysOf,
  type OpenedCheckpoint,
  openCheckpoint,
  type ProofFile,
  readProofFile,
  readVerifierKey,
  sameBytes,
  verifyConsistency,
} from '@svc/log';
import type { KeyRing, Release, ReleaseSignature } from '@svc/signing';
import type { Events } from '../events/events.ts';
import type { LibraryStorage } from '../library/library-storage.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import type { StoreKeys } from '../store/store-keys.ts';
import { compareByTiles } from './log-tiles.ts';

/** Which witnesses must have cosigned the log of a store, and how many of them. */
export type LogWitnesses = {
  /** Verifier keys of type 4 (c2sp.org/tlog-cosignature). */
  keys: readonly string[];
  quorum: number;
};

/** The last checkpoint that this client accepted of the log of a store. */
type Known = { origin: string; size: number; root: Uint8Array; note: string };

/** The log of a store, as this client has seen it. */
export type Logs = {
  /** What the store is asked to continue; with the size 0 before the first contact. */
  known(): { size: number };
  /**
   * Requires that a verified version is in the log of the store, and that the log continues the one that this client has seen.
   * @param since what `known` returned before the request
   * @param proof what the store sent; undefined when it sent none
   * @returns the proof as a file that is verified without the store (tlog-proof); null for a store that never had a log
   * @throws RuntimeError `not-verified`; `rolled-back` for a log that was taken away, is shorter, or has another history: `detail.evidence`
   *   is then the file with both checkpoints
   */
  requireLogged(
    version: { facts: SignedFacts; signed: Pick<Release, 'publishedAt'> & ReleaseSignature },
    since: { size: number },
    proof: LogProof | undefined,
    signal?: AbortSignal,
  ): Promise<string | null>;
};

export type LogsDeps = {
  system: Pick<System, 'now'>;
  storage: LibraryStorage;
  events: Events;
  store: string;
  keys: StoreKeys;
  /** The folder in which evidence is saved. Default: it is only in the error. */
  evidenceFolder?: string | undefined;
  /** Reads a tile of the log, for proofs that were not computed for this client. */
  readTile(path: string, signal?: AbortSignal): Promise<Uint8Array>;
  /** Tells the store of a checkpoint that its log does not lead to. It may fail. */
  report?(note: string): Promise<unknown>;
  witnesses?: LogWitnesses | undefined;
};

const refuse = (message: string): RuntimeError => new RuntimeError('not-verified', message);

/** The extra data of a proof: what the store says of a version beside its facts. */
function extraOf({ extra }: ProofFile): PublishedExtra {
  try {
    return PublishedExtra.parse(JSON.parse(Buffer.from(extra ?? []).toString('utf8')));
  } catch {
    throw refuse('The proof that this version is in the log of the store is malformed.');
  }
}

const OTHER_HISTORY =
  'The log of the store has another history than before: the store shows different things to different clients, or at different times.';

/** What a person, the operator of the store or anyone else needs to see that a store showed two histories. */
const evidenceOf = (
  store: string,
  at: string,
  before: Known,
  { note }: OpenedCheckpoint,
  proof: readonly string[],
) =>
  [
    `The log of ${store} does not continue the one that this computer saw before.`,
    `Found at ${at}. Both checkpoints are signed with a key of the store: anyone can verify them (c2sp.org/signed-note).`,
    '',
    '== The checkpoint that was accepted before',
    before.note,
    '== The checkpoint that the store sent now',
    note,
    '== The proof of consistency that the store sent with it',
    ...proof,
    '',
  ].join('\n');

export function createLogs({
  system,
  storage: { database, transact },
  events,
  store,
  keys,
  evidenceFolder,
  readTile,
  report,
  witnesses,
}: LogsDeps): Logs {
  const witnessKeys = (witnesses?.keys ?? []).map((vkey) => {
    const key = readVerifierKey(vkey);
    if (key) return key;
    throw new TypeError(`This is not the key of a witness: ${vkey}.`);
  });

  function read(): Known | null {
    const row = database.prepare('select * from store_logs where store = ?').get(store) as
      | { origin: string; size: number; root: string; note: string }
      | undefined;
    const root = row && hashOfBase64(row.root);
    return root ? { ...row, root } : null;
  }

  /** A store without a log is an older one, unless it had one. */
  function withoutLog(before: Known | null): null {
    if (before !== null || witnessKeys.length > 0)
      throw new RuntimeError(
        'rolled-back',
        'The store no longer proves that this version is in its log, as it did before.',
        { detail: { store } },
      );
    const { changes } = transact(() =>
      database.prepare('insert or ignore into stores_without_logs (store) values (?)').run(store),
    );
    if (Number(changes) > 0) events.emit({ type: 'log-missing', store });
    return null;
  }

  const openWith = (note: string, origin: string, ring: KeyRing): OpenedCheckpoint | null =>
    openCheckpoint(note, origin, logKeysOf(origin, ring.values()), witnessKeys);

  /** Opens a checkpoint of the newest key of the store. */
  async function requireSigned(
    note: string,
    origin: string,
    signal?: AbortSignal,
  ): Promise<OpenedCheckpoint> {
    const opened = openWith(note, origin, await keys.forRevocations(signal));
    if (opened) return opened;
    const again = (await keys.follow(signal)) && openWith(note, origin, await keys.forRevocations(signal));
    if (again) return again;
    throw refuse('The checkpoint of the log is not signed by the current key of the store.');
  }

  /** Saves what proves that there are two histories, and says so. */
  async function forked(
    before: Known,
    opened: OpenedCheckpoint,
    proof: readonly string[],
    message: string,
  ): Promise<RuntimeError> {
    const at = new Date(system.now()).toISOString();
    const evidence = evidenceOf(store, at, before, opened, proof);
    // The store may not know that it was rolled back.
    await report?.(before.note).catch(() => undefined);
    const file =
      evidenceFolder && path.join(evidenceFolder, `log-${at.replace(/\D/g, '')}-${opened.size}.txt`);
    if (file)
      try {
        makePrivateFolder(evidenceFolder);
        const handle = await newPrivateFile(file);
        await handle.writeFile(evidence).finally(() => handle.close());
      } catch (error) {
        // It was saved before, in the same moment; or the disk is full: then it is in the error alone.
        if ((error as NodeJS.ErrnoException).code === undefined) throw error;
      }
    events.emit({ type: 'log-forked', store, evidence: file ?? null });
    return new RuntimeError('rolled-back', message, { detail: { store, evidence: file ?? evidence } });
  }

  async function requireContinued(
    before: Known,
    opened: OpenedCheckpoint,
    consistency: readonly string[],
  ): Promise<void> {
    if (opened.size < before.size)
      throw await forked(
        before,
        opened,
        consistency,
        `The log of the store has ${opened.size} entries, and had ${before.size} before: the store was replaced by an older copy, or hides what it did.`,
      );
    const proof = consistency.map(hashOfBase64);
    const isWhole = proof.every((hash) => hash !== null);
    if (isWhole && verifyConsistency(before, opened, proof)) return;
    throw await forked(before, opened, consistency, OTHER_HISTORY);
  }

  /** Keeps a checkpoint, unless a later one is known, or another process has kept one meanwhile, with which it was not compared. */
  const keep = (before: Known | null, { origin, size, root, note }: OpenedCheckpoint): void =>
    transact(() => {
      const now = read();
      if (now && now.size > Math.min(size, before?.size ?? 0)) return;
      database
        .prepare('insert or replace into store_logs (store, origin, size, root, note) values (?, ?, ?, ?, ?)')
        .run(store, origin, size, Buffer.from(root).toString('base64'), note);
    });

  /** Verifies the checkpoint of a proof. */
  async function openProof(sent: LogProof, known: Known | null, signal?: AbortSignal) {
    const proof = readProofFile(sent.proof);
    const origin = proof && (known?.origin ?? claimedOrigin(proof.checkpoint));
    if (!origin) throw refuse('The proof that this version is in the log of the store is malformed.');
    return { proof, opened: await requireSigned(proof.checkpoint, origin, signal) };
  }

  /**
   * Verifies by its tiles that a log continues what is known, or that what is known continues an older answer.
   * @throws RuntimeError `not-verified`, `rolled-back`; and as the reader
   */
  async function requireContinuedByTiles(
    known: Known,
    opened: OpenedCheckpoint,
    signal?: AbortSignal,
  ): Promise<void> {
    const [older, newer] = known.size < opened.size ? [known, opened] : [opened, known];
    if (older.size === 0) return;
    const { verdict, proof } = await compareByTiles(older, newer, (path) => readTile(path, signal));
    if (verdict === 'forked') throw await forked(known, opened, proof, OTHER_HISTORY);
    if (verdict === 'damaged')
      throw refuse('The tiles of the log of the store do not lead to its checkpoint: they are damaged.');
  }

  /** Compares a checkpoint with the last accepted one. The proof continues what was known when the store was asked. */
  async function compare(
    known: Known,
    asked: number,
    opened: OpenedCheckpoint,
    proof: readonly string[],
    signal?: AbortSignal,
  ) {
    // A mirror of plain files has one answer for all clients.
    const isForAll = proof.length === 0 && known.size < opened.size;
    if (known.size === asked && !isForAll) return requireContinued(known, opened, proof);
    // Or another process has seen more since, which the proof knows nothing of.
    if (known.size !== opened.size) return requireContinuedByTiles(known, opened, signal);
    if (!sameBytes(known.root, opened.root)) throw await forked(known, opened, proof, OTHER_HISTORY);
  }

  function requireWitnesses({ witnesses: cosigned }: OpenedCheckpoint): void {
    const quorum = witnesses?.quorum ?? 0;
    if (cosigned.length >= quorum) return;
    throw refuse(
      `The log of the store is cosigned by ${cosigned.length} of the witnesses that this client trusts, and must be by ${quorum}.`,
    );
  }

  const requireLogged: Logs['requireLogged'] = async ({ facts, signed }, since, sent, signal) => {
    const known = read();
    if (sent === undefined) return withoutLog(known);
    const { proof, opened } = await openProof(sent, known, signal);
    if (known) await compare(known, since.size, opened, sent.consistency, signal);
    const extra = extraOf(proof);
    if (!isLogged(proof, opened, [facts, signed, extra]))
      throw refuse('The log of the store does not have this version.');
    requireWitnesses(opened);
    keep(known, opened);
    const { publishedAt, signature, keyId } = signed;
    return formatVersionProof(proof, { ...extra, publishedAt, signature, keyId } satisfies VersionProofExtra);
  };

  return { known: () => ({ size: read()?.size ?? 0 }), requireLogged };
}
