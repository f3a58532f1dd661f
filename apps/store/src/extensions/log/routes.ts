import { createHash } from 'node:crypto';
import { type LogComparison, LogProof } from '@svc/contracts';
import { planRoot, readTilePath, readTiles, sameBytes, tilePath, tilesOf } from '@svc/log';
import type { HandlersOf } from '../../core/access/extension.ts';
import type { Parts } from '../../core/domain/parts/parts.ts';
import { FOR_EVER, sendCacheable } from '../../http/send.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { BlobStore } from '../../platform/blob-store.ts';
import type { LogStore } from './log-store.ts';
import { openOwn } from './own-log.ts';
import type { Prover } from './prove.ts';
import type { LogPublisher } from './publish-log.ts';

/** How long a checkpoint may be cached, in seconds. */
const CHECKPOINT = 'public, max-age=2';

export type LogRouteDeps = Pick<Parts, 'log'> & {
  logs: LogStore;
  blobs: Pick<BlobStore, 'tile'>;
  publisher: LogPublisher;
  prover: Prover;
  /** Called when a checkpoint that this store signed contradicts its log: it is longer, or of another history. */
  found: { ahead(size: number, own: number): void; fork(size: number): void };
};

const etagOf = (bytes: Uint8Array): string => `"${createHash('sha256').update(bytes).digest('hex')}"`;

/** The root of the log at an earlier size. */
async function rootAt({ blobs, logs }: Pick<LogRouteDeps, 'blobs' | 'logs'>, size: number) {
  const { edge } = await logs.state();
  const plan = planRoot(size);
  const tiles = new Map<string, Uint8Array>();
  for (const tile of tilesOf(plan.nodes, edge.size)) {
    const bytes = await blobs.tile(tilePath(tile));
    if (bytes) tiles.set(tilePath(tile), bytes);
  }
  return plan.hashes(readTiles(tiles, edge.size))[0] as Uint8Array;
}

/** @throws ApiError invalid_request for what this store did not sign */
async function compare(deps: LogRouteDeps, note: string): Promise<LogComparison> {
  const checkpoint = openOwn(note, deps.publisher.log());
  if (!checkpoint) throw new ApiError('invalid_request', 'This is not a checkpoint that this store signed.');
  const { edge } = await deps.logs.state();
  if (checkpoint.size > edge.size) {
    deps.found.ahead(checkpoint.size, edge.size);
    return { verdict: 'ahead', size: edge.size };
  }
  const isOwn = checkpoint.size === 0 || sameBytes(await rootAt(deps, checkpoint.size), checkpoint.root);
  if (!isOwn) deps.found.fork(checkpoint.size);
  return { verdict: isOwn ? 'consistent' : 'fork', size: edge.size };
}

/** The routes of the log. */
export function logRoutes(deps: LogRouteDeps) {
  const { logs, blobs, prover } = deps;
  return {
    logCheckpoint: async (_input, c) => {
      const { checkpoint } = await logs.state();
      if (checkpoint === '') throw new ApiError('not_found', 'The log has no checkpoint yet: try again.');
      const bytes = Buffer.from(checkpoint);
      const type = 'text/plain; charset=utf-8';
      return sendCacheable(c, bytes, {
        'Content-Type': type,
        'Cache-Control': CHECKPOINT,
        ETag: etagOf(bytes),
      });
    },
    logTile: async ({ params }, c) => {
      const path = `tile/${params.place}`;
      const tile = readTilePath(path);
      const bytes = tile && (await blobs.tile(path));
      if (!bytes) throw new ApiError('not_found', 'The log has no such tile.');
      const type = 'application/octet-stream';
      return sendCacheable(c, bytes, {
        'Content-Type': type,
        'Cache-Control': FOR_EVER,
        ETag: etagOf(bytes),
      });
    },
    logProof: async ({ params: { appId, version }, query }, c) => {
      const proof = LogProof.parse(await prover.version({ appId, version }, Number(query.since ?? 0)));
      return c.json(proof, 200, { 'Cache-Control': CHECKPOINT });
    },
    logCompare: ({ query }) => compare(deps, query.checkpoint),
  } satisfies HandlersOf<'log'>;
}
