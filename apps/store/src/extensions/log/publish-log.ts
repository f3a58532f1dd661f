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
  const { blobs, logs, signingKey, clock } = deps;
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

  /**
   * Extends the published tree, in the order in which nothing that was said can be lost: tiles first, then the checkpoint beside the
   * bundles, then the one that is served.
   * @returns the new state; null when another process has published since
   */
  async function extend(state: LogState, to: number): Promise<LogState | null> {
    const from = state.edge.size;
    const { edge, tiles } = appendEntries(state.edge, await logs.entries(from, to));
    const written = tiles.map(({ tile, bytes }) => ({ path: tilePath(tile), bytes }));
    await writeAll(deps, [...(await bundlesBetween(logs, from, to)), ...written]);
    const checkpoint = checkpointOf(edge);
    await blobs.keepRecord('checkpoint', checkpoint);
    return (await logs.publish(state, edge, checkpoint)) ? { ...state, edge, checkpoint } : null;
  }

  /** Whether the entries of the database lead to a checkpoint that another process published, and died before it recorded it. */
  async function leadsTo({ edge }: LogState, kept: Checkpoint): Promise<boolean> {
    if (kept.size > (await logs.count())) return false;
    const next = appendEntries(edge, await logs.entries(edge.size, kept.size));
    return sameBytes(rootOf(next.edge), kept.root);
  }

  const keptSize = async (): Promise<number> => (await keptCheckpoint())?.size ?? 0;

  /** Starts again with the tiles when the storage has lost them; another process may just have written more. */
  async function rewriteLost(state: LogState): Promise<LogState> {
    const size = await keptSize();
    if (size >= state.edge.size) return state;
    deps.log.warn(
      { size: state.edge.size, kept: size },
      'The tiles of the log are older than the database, or gone: they are written again.',
    );
    await logs.startOver();
    return { ...state, edge: EMPTY_EDGE, checkpoint: '' };
  }

  /** Compares the database with the checkpoint beside the bundles. @returns the state to go on from */
  async function compared(): Promise<LogState> {
    // Read first: what another process publishes afterwards must not look like a database that is older.
    const kept = await keptCheckpoint();
    const state = await logs.state();
    if (!kept || kept.size < state.edge.size) return rewriteLost(state);
    if (kept.size === state.edge.size || (await leadsTo(state, kept))) return state;
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
    if (!isDue && isSigned(before) && (await logs.count()) === before.edge.size) return;
    let state: LogState | null = await compared();
    comparedAt = now;
    let count = await logs.count();
    while (state && (state.edge.size < count || !isSigned(state))) {
      state = await extend(state, Math.min(count, state.edge.size + BATCH));
      count = await logs.count();
    }
  }

  let running: Promise<void> = Promise.resolve();
  return {
    /** Publishes what is not yet, one run at a time. */
    publish(): Promise<void> {
      running = running.catch(() => {}).then(publish);
      return running;
    },
    log,
  };
}

export type LogPublisher = ReturnType<typeof createLogPublisher>;
