import type { StoreKey } from '@svc/contracts';
import {
  appendEntries,
  type Checkpoint,
  type Edge,
  EMPTY_EDGE,
  EMPTY_ROOT,
  encodeEntries,
  formatCheckpoint,
  formatNote,
  rootOfEdge,
  sameBytes,
  signNote,
  TILE_WIDTH,
  tileOf,
  tilePath,
} from '@svc/log';
import type { Parts } from '../../core/domain/parts/parts.ts';
import type { BlobStore } from '../../platform/blob-store.ts';
import { type AdoptDeps, adoptLog } from './adopt-log.ts';
import { beginLog } from './begin-log.ts';
import type { Cosigner } from './cosign-log.ts';
import type { LogState, LogStore } from './log-store.ts';
import { type OwnLog, openOwn, ownLog } from './own-log.ts';

/** Entries that are published at once. */
const BATCH = 4 * TILE_WIDTH;

/** Tiles that are written at the same time. */
const WRITES = 8;

/** How often the log is compared with the checkpoint that is kept beside the bundles, in milliseconds, when there is nothing to publish. */
const COMPARED_MS = 60_000;

export type PublishDeps = AdoptDeps &
  Pick<Parts, 'baseUrl' | 'signingKey'> & {
    keyChain: readonly StoreKey[];
    logs: LogStore;
    cosigner: Cosigner;
    blobs: Pick<BlobStore, 'tile' | 'keepTile' | 'keptRecord' | 'keepRecord'>;
  };

const rootOf = (edge: Edge): Uint8Array => rootOfEdge(edge) ?? EMPTY_ROOT;

/** Writes the bundles of entries between two sizes; the first of them may have begun before. */
async function bundlesBetween(logs: LogStore, from: number, to: number) {
  const tiles: { path: string; bytes: Uint8Array }[] = [];
  for (let index = Math.floor(from / TILE_WIDTH); index * TILE_WIDTH < to; index += 1) {
    const tile = tileOf('entries', index, to);
    if (!tile) break;
    const first = index * TILE_WIDTH;
    const entries = await logs.entries(first, first + tile.width);
    tiles.push({ path: tilePath(tile), bytes: encodeEntries(entries) });
  }
  return tiles;
}

async function writeAll(
  { blobs }: Pick<PublishDeps, 'blobs'>,
  tiles: readonly { path: string; bytes: Uint8Array }[],
): Promise<void> {
  for (let n = 0; n < tiles.length; n += WRITES)
    await Promise.all(tiles.slice(n, n + WRITES).map(({ path, bytes }) => blobs.keepTile(path, bytes)));
}

/**
 * Publishes the log of the store. Any number of processes may do it at the same time: the order of entries is that of the transactions
 * that wrote them, so that all write the same tiles, and the first one records its checkpoint.
 */
export function createLogPublisher(deps: PublishDeps) {
  const { blobs, logs, signingKey, clock, cosigner } = deps;
  let comparedAt = Number.NEGATIVE_INFINITY;
  let own: OwnLog | undefined;
  const log = (): OwnLog => {
    own ??= ownLog(deps);
    return own;
  };

  function checkpointOf(edge: Edge): string {
    const { origin, current } = log();
    const text = formatCheckpoint({ origin, size: edge.size, root: rootOf(edge) });
    return formatNote({ text, signatures: [signNote(text, current, signingKey.privateKey)] });
  }

  /** The checkpoint that is kept beside the bundles. @throws when it is not one of this store */
  async function keptCheckpoint(): Promise<Checkpoint | null> {
    const note = await blobs.keptRecord('checkpoint');
    if (note === null) return null;
    const kept = openOwn(note, log());
    if (kept) return kept;
    throw new Error(
      'The checkpoint beside the bundles is not of this store: it has another address or other keys. See docs/log.md.',
    );
  }

  /** Writes the tiles of a tree that is extended up to a size. */
  async function writeTiles(before: Edge, to: number): Promise<Edge> {
    const from = before.size;
    const { edge, tiles } = appendEntries(before, await logs.entries(from, to));
    const written = tiles.map(({ tile, bytes }) => ({ path: tilePath(tile), bytes }));
    await writeAll(deps, [...(await bundlesBetween(logs, from, to)), ...written]);
    return edge;
  }

  /**
   * Extends the published tree, in the order in which nothing that was said can be lost: tiles first, then the checkpoint beside the
   * bundles, then the witnesses, then the one that is served.
   * @param isLast whether nothing follows now: only then are witnesses asked
   * @returns the new state; null when another process has published since
   */
  async function extend(state: LogState, to: number, isLast: boolean): Promise<LogState | null> {
    const edge = await writeTiles(state.edge, to);
    const signed = checkpointOf(edge);
    await blobs.keepRecord('checkpoint', signed);
    const checkpoint = isLast ? await cosigner.cosigned(signed, edge.size) : signed;
    return (await logs.publish(state, edge, checkpoint)) ? { ...state, edge, checkpoint } : null;
  }

  /** Adds cosignatures that were missing to the checkpoint that is served. */
  async function addCosignatures(state: LogState): Promise<void> {
    if (state.checkpoint === '' || !cosigner.isMissing(state.checkpoint)) return;
    const checkpoint = await cosigner.cosigned(state.checkpoint, state.edge.size);
    if (checkpoint !== state.checkpoint) await logs.publish(state, state.edge, checkpoint);
  }

  /** Whether the entries of the database lead to a checkpoint that another process published, and died before it recorded it. */
  async function leadsTo({ edge }: LogState, kept: Checkpoint): Promise<boolean> {
    if (kept.size > (await logs.count())) return false;
    const next = appendEntries(edge, await logs.entries(edge.size, kept.size));
    return sameBytes(rootOf(next.edge), kept.root);
  }

  /** Whether the storage has the tiles of a log: the last bundle is written with them. */
  async function hasTiles(size: number): Promise<boolean> {
    const last = size === 0 ? null : tileOf('entries', Math.floor((size - 1) / TILE_WIDTH), size);
    return last === null || (await blobs.tile(tilePath(last))) !== null;
  }

  /**
   * Writes the tiles again that the storage has lost. What is served stays what it was: a shorter log would look like one that hides
   * entries.
   */
  async function rewriteLost(state: LogState): Promise<LogState> {
    deps.log.warn(
      { size: state.edge.size },
      'The tiles of the log are older than the database, or gone: they are written again.',
    );
    let edge = EMPTY_EDGE;
    while (edge.size < state.edge.size)
      edge = await writeTiles(edge, Math.min(state.edge.size, edge.size + BATCH));
    if (!sameBytes(rootOf(edge), rootOf(state.edge)))
      throw new Error(
        'The entries of the database are not those that its log has published. See docs/log.md.',
      );
    await blobs.keepRecord('checkpoint', state.checkpoint);
    return state;
  }

  /** @throws when the published log is as long as that of the database, and another one */
  function requireSame(kept: Checkpoint, { edge }: LogState): void {
    if (sameBytes(kept.root, rootOf(edge))) return;
    throw new Error(
      `The database has another history than the log that was published (${kept.size} entries): restore the database that belongs to it. See docs/log.md.`,
    );
  }

  /** Whether the storage has everything that the database says is published. @throws when it has another history */
  async function isStored(kept: Checkpoint | null, state: LogState): Promise<boolean> {
    const { size } = state.edge;
    if (kept?.size === size) requireSame(kept, state);
    // Another process may just have written more.
    else if (size > 0 && ((await keptCheckpoint())?.size ?? 0) < size) return false;
    return hasTiles(size);
  }

  /** Compares the database with the checkpoint beside the bundles. @returns the state to go on from */
  async function compared(): Promise<LogState> {
    // Read first: what another process publishes afterwards must not look like a database that is older.
    const kept = await keptCheckpoint();
    const state = await logs.state();
    if (!kept || kept.size <= state.edge.size)
      return (await isStored(kept, state)) ? state : rewriteLost(state);
    if (await leadsTo(state, kept)) return state;
    await adoptLog(deps, kept);
    return logs.state();
  }

  const isSigned = ({ checkpoint, edge }: LogState): boolean => {
    const { origin, current } = log();
    const opened = checkpoint === '' ? null : openOwn(checkpoint, { origin, current, all: [current] });
    return opened?.size === edge.size;
  };

  async function publish(): Promise<void> {
    const now = clock().getTime();
    const before = await logs.state();
    if (before.begunAt === null) await beginLog(deps);
    const isDue = Math.abs(now - comparedAt) >= COMPARED_MS;
    if (!isDue && isSigned(before) && (await logs.count()) === before.edge.size)
      return addCosignatures(before);
    let state: LogState | null = await compared();
    comparedAt = now;
    let count = await logs.count();
    while (state && (state.edge.size < count || !isSigned(state))) {
      const to = Math.min(count, state.edge.size + BATCH);
      state = await extend(state, to, to === count);
      count = await logs.count();
    }
  }

  let running: Promise<void> = Promise.resolve();
  let publishedAt: string | null = null;
  const run = async (): Promise<void> => {
    await publish();
    publishedAt = clock().toISOString();
  };
  return {
    /** Publishes what is not yet, one run at a time. */
    publish(): Promise<void> {
      running = running.catch(() => {}).then(run);
      return running;
    },
    /** When this process last found that everything is published. */
    publishedAt: (): string | null => publishedAt,
    log,
  };
}

export type LogPublisher = ReturnType<typeof createLogPublisher>;
