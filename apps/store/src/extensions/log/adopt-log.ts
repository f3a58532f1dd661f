import type { LogEntry } from '@svc/contracts';
import {
  appendEntries,
  type Checkpoint,
  decodeEntries,
  encodeEntry,
  readEntry,
  rootOfEdge,
  sameBytes,
  TILE_WIDTH,
  tileOf,
  tilePath,
} from '@svc/log';
import type { Parts, Stores } from '../../core/domain/parts/parts.ts';
import type { BlobStore } from '../../platform/blob-store.ts';
import type { UnitOfWork } from '../../platform/system.ts';
import type { LogStore } from './log-store.ts';

export type AdoptDeps = Pick<Parts, 'clock' | 'log'> & {
  unitOfWork: UnitOfWork<Stores & { logs: LogStore }>;
  blobs: Pick<BlobStore, 'tile'>;
};

/** The published entries from an index to the end of a tree. @throws when a bundle is missing or cut */
async function publishedEntries(
  { blobs }: Pick<AdoptDeps, 'blobs'>,
  from: number,
  size: number,
): Promise<Uint8Array[]> {
  const entries: Uint8Array[] = [];
  for (let index = Math.floor(from / TILE_WIDTH); index * TILE_WIDTH < size; index += 1) {
    const tile = tileOf('entries', index, size);
    const bytes = tile && (await blobs.tile(tilePath(tile)));
    const decoded = bytes && decodeEntries(bytes, tile.width);
    if (!decoded)
      throw new Error(`The log is published up to ${size}, but ${tile && tilePath(tile)} is missing.`);
    entries.push(...decoded);
  }
  return entries.slice(from % TILE_WIDTH);
}

/** The entry of a database that was replaced by an older copy. */
const restored = (at: string, from: number, to: number): Uint8Array =>
  encodeEntry({ kind: 'restored', at, from, to } satisfies LogEntry);

/**
 * Continues the published log in a database that is older than it: takes over the entries that the database lost, and an entry that says
 * so; what was appended meanwhile comes after it. Nothing that was published is taken back.
 * @param kept the last checkpoint that was published
 * @throws when the published entries are not those of the checkpoint, or do not continue those of the database
 */
export async function adoptLog(deps: AdoptDeps, kept: Checkpoint): Promise<void> {
  await deps.unitOfWork(async ({ logs }) => {
    const { edge } = await logs.state();
    const count = await logs.count();
    const published = await publishedEntries(deps, edge.size, kept.size);
    const root = rootOfEdge(appendEntries(edge, published).edge);
    if (!root || !sameBytes(root, kept.root) || !published.every(readEntry))
      throw new Error(
        `The database has another history than the log that was published (${kept.size} entries): restore the database that belongs to it. See docs/log.md.`,
      );
    const own = await logs.entries(edge.size, count);
    const common = own.findIndex((entry, at) => !published[at] || !sameBytes(entry, published[at]));
    const same = common < 0 ? own.length : common;
    const lost = published.slice(same);
    if (lost.length === 0) return;
    const later = own.slice(same).filter((entry) => !lost.some((one) => sameBytes(one, entry)));
    const from = edge.size + same;
    const note = restored(deps.clock().toISOString(), from, kept.size);
    await logs.replaceFrom(from, [...lost, note, ...later]);
    deps.log.error(
      { from, to: kept.size, lost: lost.length },
      'The database is older than the log: it was replaced by an older copy. The log goes on from what was published, with an entry that says so; the acts in between are lost from the database. See docs/log.md.',
    );
  });
}
