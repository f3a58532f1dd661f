import type { LogProof } from '@svc/contracts';
import {
  base64Of,
  formatProofFile,
  planConsistency,
  planInclusion,
  readEntry,
  readTiles,
  tilePath,
  tilesOf,
} from '@svc/log';
import { canonicalJson } from '@svc/signing';
import { LRUCache } from 'lru-cache';
import { ApiError } from '../../platform/api-error.ts';
import type { BlobStore } from '../../platform/blob-store.ts';
import { UnavailableError } from '../../platform/unavailable-error.ts';
import type { LogStore } from './log-store.ts';
import type { LogPublisher } from './publish-log.ts';

/** Tiles in memory: 8 KiB each. */
const TILES = 512;

/** Computes proofs from the tiles of the log. */
export function createProofs({ blobs }: { blobs: Pick<BlobStore, 'tile'> }) {
  const tiles = new LRUCache<string, Uint8Array>({ max: TILES });

  /** @throws UnavailableError when it is missing */
  async function tileAt(path: string): Promise<Uint8Array> {
    const known = tiles.get(path);
    if (known) return known;
    const bytes = await blobs.tile(path);
    if (!bytes) throw new UnavailableError(`The tile ${path} of the log is missing: see docs/log.md.`);
    tiles.set(path, bytes);
    return bytes;
  }

  async function hashesFor(plan: ReturnType<typeof planInclusion>, size: number): Promise<Uint8Array[]> {
    const paths = tilesOf(plan.nodes, size).map(tilePath);
    const read = await Promise.all(paths.map(async (path) => [path, await tileAt(path)] as const));
    return plan.hashes(readTiles(new Map(read), size));
  }

  return {
    /** Proves that the log has an entry. */
    inclusion: (index: number, size: number): Promise<Uint8Array[]> =>
      hashesFor(planInclusion(index, size), size),
    /** Proves that the log continues an older one. */
    consistency: (old: number, size: number): Promise<Uint8Array[]> =>
      hashesFor(planConsistency(old, size), size),
  };
}

export type Proofs = ReturnType<typeof createProofs>;

export type ProveDeps = { logs: LogStore; proofs: Proofs; publisher: LogPublisher };

/** Proves what the log says, from its tiles. */
export function createProver({ logs, proofs, publisher }: ProveDeps) {
  /** Publishes first, when the log has an entry that no checkpoint covers yet. */
  async function stateWith(index: number) {
    const state = await logs.state();
    if (index < state.edge.size) return state;
    await publisher.publish();
    const next = await logs.state();
    if (index < next.edge.size) return next;
    throw new UnavailableError('The log has not published this version yet: try again.');
  }

  return {
    /**
     * Proves that a version is in the log.
     * @param since the size of the checkpoint that the client knows; a larger one than that of the store gets no proof of consistency
     * @throws ApiError not_found; UnavailableError
     */
    async version(ref: { appId: string; version: string }, since: number): Promise<LogProof> {
      const logged = await logs.published(ref);
      const entry = logged && readEntry(Buffer.from(logged.entry));
      if (entry?.kind !== 'published')
        throw new ApiError('not_found', `The log has no version ${ref.version} of ${ref.appId}.`);
      const { index } = logged as { index: number };
      const { edge, checkpoint } = await stateWith(index);
      const hashes = await proofs.inclusion(index, edge.size);
      const { publisher: slug, by } = entry;
      const extra = canonicalJson({ publisher: slug, by });
      const proven = since > 0 && since <= edge.size ? await proofs.consistency(since, edge.size) : [];
      return {
        proof: formatProofFile({ extra, index, hashes, checkpoint }),
        consistency: proven.map(base64Of),
      };
    },
  };
}

export type Prover = ReturnType<typeof createProver>;
