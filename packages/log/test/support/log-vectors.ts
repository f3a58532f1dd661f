import { createPublicKey } from 'node:crypto';
import { type InteropFiles, interopJson, testKey } from '@svc/testkit';
import {
  appendEntries,
  base64Of,
  cosign,
  EMPTY_EDGE,
  encodeEntries,
  formatCheckpoint,
  formatNote,
  formatProofFile,
  formatVerifierKey,
  leafHash,
  noteKey,
  planConsistency,
  planInclusion,
  readTiles,
  rootOfEdge,
  SIGNATURE_TYPES,
  signNote,
  tileOf,
  tilePath,
} from '../../src/index.ts';

const ORIGIN = 'store.example';
const WITNESS = 'witness.example/w1';
const LOG = testKey('svc vectors: the key of a log');
const COSIGNER = testKey('svc vectors: the key of a witness');

/** The entry of an index: short, and for some indexes empty or as long as a bundle can hold. */
export function entryOf(index: number): Uint8Array {
  if (index === 5) return new Uint8Array();
  if (index === 9) return Buffer.alloc(2_000, 'long');
  return Buffer.from(`{"entry":${index}}`);
}

/** Sizes around what a level of a tree, a tile and a level of tiles hold. */
const SIZES = [0, 1, 2, 3, 7, 8, 255, 256, 257, 600];

/** All tiles of a tree, by path. */
function tilesOfTree(size: number): Map<string, Uint8Array> {
  const entries = Array.from({ length: size }, (_, index) => entryOf(index));
  const tiles = appendEntries(EMPTY_EDGE, entries).tiles.map(
    ({ tile, bytes }) => [tilePath(tile), bytes] as const,
  );
  const bundles = Array.from({ length: Math.ceil(size / 256) }, (_, index) => {
    const tile = tileOf('entries', index, size);
    if (!tile) throw new Error('a tree has each of its bundles');
    return [tilePath(tile), encodeEntries(entries.slice(index * 256, index * 256 + tile.width))] as const;
  });
  return new Map([...tiles, ...bundles]);
}

const rootOf = (size: number): Uint8Array => {
  const entries = Array.from({ length: size }, (_, index) => entryOf(index));
  return rootOfEdge(appendEntries(EMPTY_EDGE, entries).edge) ?? Buffer.from(EMPTY, 'base64');
};

/** The SHA-256 of the empty string. */
const EMPTY = '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=';

function vectorOf(size: number) {
  const logKey = noteKey(ORIGIN, createPublicKey(LOG.publicKeyPem));
  const witnessKey = noteKey(WITNESS, createPublicKey(COSIGNER.publicKeyPem), SIGNATURE_TYPES.cosignature);
  const text = formatCheckpoint({ origin: ORIGIN, size, root: rootOf(size) });
  const signatures = [
    signNote(text, logKey, LOG.privateKey),
    cosign(text, 1_750_000_000 + size, witnessKey, COSIGNER.privateKey),
  ];
  const checkpoint = formatNote({ text, signatures });
  const tiles = tilesOfTree(size);
  const at = readTiles(tiles, size);
  const indexes = [...new Set([0, 1, 5, 6, 200, 255, 256, size - 1])].filter((n) => n >= 0 && n < size);
  return {
    size,
    checkpoint,
    tiles: Object.fromEntries([...tiles].map(([path, bytes]) => [path, base64Of(bytes)])),
    inclusion: indexes.map((index) => {
      const hashes = planInclusion(index, size).hashes(at);
      return {
        index,
        leaf: base64Of(leafHash(entryOf(index))),
        hashes: hashes.map(base64Of),
        file: formatProofFile({ extra: null, index, hashes, checkpoint }),
      };
    }),
    consistency: SIZES.filter((old) => old <= size).map((old) => ({
      old,
      oldRoot: base64Of(rootOf(old)),
      hashes: planConsistency(old, size).hashes(at).map(base64Of),
    })),
  };
}

/** A tree of ours: see interop/log/README.md. */
export type LogVector = ReturnType<typeof vectorOf>;

export type LogVectors = { logKey: string; witnessKey: string; trees: LogVector[] };

export const logVectors = (): LogVectors => ({
  logKey: formatVerifierKey(noteKey(ORIGIN, createPublicKey(LOG.publicKeyPem))),
  witnessKey: formatVerifierKey(
    noteKey(WITNESS, createPublicKey(COSIGNER.publicKeyPem), SIGNATURE_TYPES.cosignature),
  ),
  trees: SIZES.map(vectorOf),
});

export const logFiles = (): InteropFiles => new Map([['vectors.json', interopJson(logVectors())]]);
