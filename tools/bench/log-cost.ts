import { createPublicKey } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { PublishedExtra, type SignedFacts } from '@svc/contracts';
import {
  appendEntries,
  base64Of,
  EMPTY_EDGE,
  EMPTY_ROOT,
  encodeEntry,
  formatCheckpoint,
  formatNote,
  formatProofFile,
  hashOfBase64,
  leafHash,
  noteKey,
  openCheckpoint,
  planConsistency,
  planInclusion,
  publishedEntry,
  readProofFile,
  readTiles,
  rootOfEdge,
  signNote,
  tilePath,
  verifyConsistency,
  verifyInclusion,
} from '@svc/log';
import { canonicalJson, generateSigningKeyPem, readSigningKey, signFacts } from '@svc/signing';
import { packedSample } from '@svc/testkit';
import { openDatabase } from '../../apps/store/src/composition/open-data.ts';
import { readSettings } from '../../apps/store/src/composition/settings.ts';
import { logMoves } from '../../apps/store/src/core/domain/trust/trust-log.ts';
import type { Figure } from './lib/figure.ts';
import { automationAt, inTempFolder, median, PUBLISHER, upload, whileStoreRuns } from './lib/processes.ts';

/** Entries of the log, the proven one, and what the client has seen before: a place from which proofs are long. */
const SIZE = 1_000_001;
const INDEX = 777_777;
const SINCE = 654_321;
const STEP = 1_024;
const ROUNDS = 500;
const PUBLISHES = 60;

const ORIGIN = 'store.example';
const EXTRA = { publisher: 'example', by: ['0'.repeat(32)] };
const key = readSigningKey(generateSigningKeyPem());
const logKey = noteKey(ORIGIN, createPublicKey(key.publicKeyPem));
const facts: SignedFacts = {
  ...{
    appId: 'com.example.notes',
    version: '1.0.0',
    sha256: 'a'.repeat(64),
    publishedAt: '2026-01-01T00:00:00.000Z',
  },
  ...{ grants: ['files.read'], domains: ['api.example.com'], accounts: [] },
};
const signed = signFacts(facts, key);

/** A log, as its prover has it. */
function logOf(size: number) {
  const tiles = new Map<string, Uint8Array>();
  const entryOf = (n: number) =>
    n === INDEX ? encodeEntry(publishedEntry(facts, signed, EXTRA)) : Buffer.from(`entry ${n}`);
  let edge = EMPTY_EDGE;
  let before = EMPTY_ROOT;
  while (edge.size < size) {
    const to = Math.min(edge.size < SINCE ? SINCE : size, edge.size + STEP);
    const entries = Array.from({ length: to - edge.size }, (_, n) => entryOf(edge.size + n));
    const next = appendEntries(edge, entries);
    for (const { tile, bytes } of next.tiles) tiles.set(tilePath(tile), bytes);
    edge = next.edge;
    if (edge.size === SINCE) before = rootOfEdge(edge) ?? EMPTY_ROOT;
  }
  return { at: readTiles(tiles, size), root: rootOfEdge(edge) ?? EMPTY_ROOT, before };
}

/** The proof of an install, as the store sends it. */
function proofIn({ at, root }: ReturnType<typeof logOf>) {
  const text = formatCheckpoint({ origin: ORIGIN, size: SIZE, root });
  const checkpoint = formatNote({ text, signatures: [signNote(text, logKey, key.privateKey)] });
  const hashes = planInclusion(INDEX, SIZE).hashes(at);
  const proof = formatProofFile({ extra: canonicalJson(EXTRA), index: INDEX, hashes, checkpoint });
  return { proof, consistency: planConsistency(SINCE, SIZE).hashes(at).map(base64Of) };
}

/** What a client verifies of it (`install/logs.ts` of the runtime), without what it writes. */
function verify({ proof: text, consistency }: ReturnType<typeof proofIn>, before: Uint8Array): boolean {
  const proof = readProofFile(text);
  const opened = proof && openCheckpoint(proof.checkpoint, ORIGIN, [logKey]);
  if (!opened) return false;
  const extra = PublishedExtra.parse(JSON.parse(Buffer.from(proof.extra ?? []).toString()));
  const leaf = leafHash(encodeEntry(publishedEntry(facts, signed, extra)));
  const grown = consistency.map((hash) => hashOfBase64(hash) ?? EMPTY_ROOT);
  return (
    verifyConsistency({ size: SINCE, root: before }, opened, grown) &&
    verifyInclusion(leaf, proof.index, opened.size, proof.hashes, opened.root)
  );
}

/** The proof that a version is in a log of a million entries, which continues another one: bytes over HTTP, and milliseconds to verify. */
export function logProof(): Figure[] {
  const log = logOf(SIZE);
  const sent = proofIn(log);
  const times: number[] = [];
  for (let n = 0; n < ROUNDS; n += 1) {
    const begun = performance.now();
    if (!verify(sent, log.before)) throw new Error('The proof does not verify.');
    times.push(performance.now() - begun);
  }
  const plain = JSON.stringify(sent).length;
  const name = `Proof of an install in a log of ${SIZE} entries, with its consistency`;
  return [
    {
      name: `${name}: bytes over HTTP`,
      measured: `${plain} bytes before compression with gzip`,
      value: gzipSync(JSON.stringify(sent)).length,
      unit: ' bytes',
      bound: { most: 2_048 },
    },
    {
      name: `${name}: verified`,
      measured: `median of ${ROUNDS}`,
      value: median(times),
      unit: ' ms',
      bound: { most: 1 },
    },
  ];
}

/** What the entry of the log costs within a publish: its part of the transaction, against the whole request. */
export const logEntry = (): Promise<Figure> =>
  inTempFolder(async (folder) => {
    const publishes: number[] = [];
    await whileStoreRuns(folder, async ({ url }) => {
      await automationAt(url).addPublisher(PUBLISHER);
      for (let n = 0; n < PUBLISHES; n += 1) {
        const bytes = packedSample({ version: `1.0.${n}` });
        const begun = performance.now();
        await upload(url, bytes);
        publishes.push(performance.now() - begun);
        // The first version of a publisher may wait for a review.
        if (n === 0) await automationAt(url).approve({ appId: 'com.example.notes', version: '1.0.0' });
      }
    });
    const silent = { info() {}, warn() {}, error() {} };
    const db = await openDatabase(readSettings({ SVC_DATA_DIR: folder }), silent);
    const entries: number[] = [];
    for (let n = 0; n < PUBLISHES; n += 1)
      await db.transaction().execute(async (tx) => {
        const ref = { appId: 'com.example.notes', version: `1.0.${n}` };
        const moved = { by: 'job:signer', at: '2026-01-01T00:00:00.000Z', note: '' };
        const begun = performance.now();
        await logMoves(tx, [ref], { from: 'approved', to: 'published' }, moved);
        entries.push(performance.now() - begun);
      });
    await db.destroy();
    const [entry, publish] = [median(entries), median(publishes)];
    return {
      name: 'Entry of the log within a publish, of the whole request',
      measured: `${entry.toFixed(2)} of ${publish.toFixed(1)} ms`,
      value: (entry / publish) * 100,
      unit: ' %',
      bound: { most: 3 },
    };
  });
