import type { LogProof, MirrorApps, MirrorLog } from '@svc/contracts';
import {
  base64Of,
  formatProofFile,
  type Plan,
  planConsistency,
  planInclusion,
  readCheckpoint,
  readNote,
  readTiles,
  tilePath,
  tilesOf,
} from '@svc/log';
import { MirrorError, type MirrorFiles } from './mirror-files.ts';

/**
 * Proves from the tiles of a mirror that the log of the store has a version. The client verifies the proof as one of the store.
 * @param logged where the log has the version
 * @param since the size of the checkpoint that the client knows, or 0
 * @throws MirrorError when the mirror cannot prove it
 */
export async function proofIn(
  { file }: Pick<MirrorFiles, 'file'>,
  { checkpoint, tiles }: MirrorLog,
  { index, extra }: MirrorApps['logged'][string],
  since: number,
  signal: AbortSignal,
): Promise<LogProof> {
  const note = readNote(checkpoint);
  const size = (note && readCheckpoint(note.text)?.size) ?? 0;
  // Of a log that is shorter than what the client knows, the store is asked.
  if (index >= size || since > size) throw new MirrorError('its log is older than what this client has seen');

  async function hashesOf(plan: Plan): Promise<Uint8Array[]> {
    const paths = tilesOf(plan.nodes, size).map(tilePath);
    const read = paths.map(async (path) => {
      const sha256 = tiles[path];
      if (sha256 === undefined) throw new MirrorError(`it has no ${path}`);
      return [path, await file(sha256, 'bin', signal)] as const;
    });
    const found = new Map(await Promise.all(read));
    try {
      return plan.hashes(readTiles(found, size));
    } catch (cause) {
      throw new MirrorError('the tiles of its log are malformed', { cause });
    }
  }

  const hashes = await hashesOf(planInclusion(index, size));
  const consistency = since > 0 ? await hashesOf(planConsistency(since, size)) : [];
  const about = extra === null ? null : Buffer.from(extra, 'base64');
  return {
    proof: formatProofFile({ extra: about, index, hashes, checkpoint }),
    consistency: consistency.map(base64Of),
  };
}
