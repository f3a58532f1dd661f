import { createPublicKey } from 'node:crypto';
import { join } from 'node:path';
import type { AppHead, LogProof } from '@svc/contracts';
import {
  appendEntries,
  base64Of,
  type cosign,
  EMPTY_EDGE,
  encodeEntry,
  formatCheckpoint,
  formatNote,
  formatProofFile,
  noteKey,
  planConsistency,
  planInclusion,
  publishedEntry,
  readTiles,
  rootOfEdge,
  signNote,
  tilePath,
} from '@svc/log';
import { footprintOf } from '@svc/permissions';
import { canonicalJson, factsOf, type SigningKey } from '@svc/signing';
import { expect } from 'vitest';
import { createInstaller } from '../../src/install/installer.ts';
import type { LogWitnesses } from '../../src/install/logs.ts';
import { APP, type Published, startSigningStore } from './signing-store.ts';
import { openWorld, system } from './world.ts';

const ORIGIN = 'store.example';
const HEAD = `/api/apps/${APP}/head`;
const EXTRA = { publisher: 'example', by: [] };

export const entryOf = ({ manifest, release }: Published): Uint8Array =>
  encodeEntry(publishedEntry(factsOf(release, footprintOf(manifest)), release, EXTRA));

/** A log in memory, written with the library. */
export function logOf(key: () => SigningKey) {
  const entries: Uint8Array[] = [];
  const cosigners: ((text: string) => ReturnType<typeof cosign>)[] = [];
  function checkpoint(size: number): string {
    const { edge } = appendEntries(EMPTY_EDGE, entries.slice(0, size));
    const root = rootOfEdge(edge) ?? expect.fail('an empty log');
    const text = formatCheckpoint({ origin: ORIGIN, size, root });
    const signer = noteKey(ORIGIN, createPublicKey(key().publicKeyPem));
    const signatures = [signNote(text, signer, key().privateKey), ...cosigners.map((sign) => sign(text))];
    return formatNote({ text, signatures });
  }
  function prove(index: number, since: number, size = entries.length): LogProof {
    const at = readTiles(tilesAt(size), size);
    const hashes = planInclusion(index, size).hashes(at);
    const consistency = since > 0 && since <= size ? planConsistency(since, size).hashes(at) : [];
    const proof = formatProofFile({
      extra: canonicalJson(EXTRA),
      index,
      hashes,
      checkpoint: checkpoint(size),
    });
    return { proof, consistency: consistency.map(base64Of) };
  }
  /** The tiles of hashes, by path. */
  function tilesAt(size: number): Map<string, Uint8Array> {
    const { tiles } = appendEntries(EMPTY_EDGE, entries.slice(0, size));
    return new Map(tiles.map(({ tile, bytes }) => [tilePath(tile), bytes]));
  }
  return { entries, cosigners, prove, checkpoint, tilesAt };
}

/** A store that signs a log with its versions, and a client of it. */
export async function started() {
  const store = await startSigningStore();
  const log = logOf(() => store.state.key);
  const reported: string[] = [];
  /** Publishes a version, and adds it to the log. */
  function publish(version: string): Published {
    const one = store.publish({ version });
    log.entries.push(entryOf(one));
    return one;
  }
  /** Answers with a head that has a proof: that of the log, or of another one. */
  function serveWith(proofFor: (since: number, version: string) => LogProof | undefined): void {
    store.lie(HEAD, (response, request) => {
      const query = new URL(request.url ?? '', 'http://x').searchParams;
      const head = store.headOf(APP) as AppHead;
      const sent = proofFor(Number(query.get('log')), query.get('version') ?? head.latest);
      store.answer(response, 200, { ...head, ...(sent && { log: sent }) });
    });
  }
  store.lie('/api/log/compare', (response, request) => {
    reported.push(new URL(request.url ?? '', 'http://x').searchParams.get('checkpoint') ?? '');
    store.answer(response, 200, { verdict: 'ahead', size: 1 });
  });
  const honest = (since: number) => log.prove(log.entries.length - 1, since);
  serveWith(honest);
  publish('1.0.0');
  const world = await openWorld(store);
  const evidenceFolder = join(world.folder, 'evidence');
  const installerOf = (logWitnesses?: LogWitnesses) =>
    createInstaller({ ...world, system, evidenceFolder, logWitnesses });
  const installer = installerOf();
  return { store, log, reported, publish, serveWith, honest, ...world, installer, installerOf };
}

export const updated = async ({ installer }: Pick<Awaited<ReturnType<typeof started>>, 'installer'>) =>
  (await installer.prepareInstall(APP)).app.version;
