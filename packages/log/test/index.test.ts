import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { interopFolder, needs, readInterop } from '@svc/testkit';
import { describe, expect, it } from 'vitest';
import {
  bytesOfBase64,
  decodeEntries,
  hashOfBase64,
  leafHash,
  type NoteKey,
  openCheckpoint,
  planConsistency,
  planInclusion,
  planRoot,
  readProofFile,
  readTiles,
  readVerifierKey,
  tileOf,
  tilePath,
  verifyConsistency,
  verifyInclusion,
} from '../src/index.ts';
import { entryOf, type LogVector, type LogVectors, logVectors } from './support/log-vectors.ts';

type Tree = Omit<LogVector, 'inclusion' | 'consistency'> & {
  inclusion: { index: number; leaf: string; hashes: string[] }[] | null;
  consistency: { old: number; oldRoot: string; hashes: string[] }[] | null;
};

const ours = readInterop('log') as LogVectors;
const fromGo = readInterop('log', 'go.json') as { logKey: string; trees: Tree[] };

const hashOf = (text: string): Uint8Array => hashOfBase64(text) ?? expect.fail(`no hash: ${text}`);
const keyOf = (vkey: string): NoteKey => readVerifierKey(vkey) ?? expect.fail(`no key: ${vkey}`);

/** Verifies a tree of vectors: its checkpoint, its tiles, and each proof, which must also be the one that we make. */
function verifyTree({ size, checkpoint, tiles, inclusion, consistency }: Tree, logKey: NoteKey): void {
  const opened = openCheckpoint(checkpoint, logKey.name, [logKey]);
  if (!opened) expect.fail(`the checkpoint of size ${size} does not open`);
  expect(opened.size).toBe(size);
  const { root } = opened;
  const bytes = new Map(
    Object.entries(tiles).map(([path, text]) => [path, bytesOfBase64(text) ?? Buffer.alloc(0)]),
  );
  const at = readTiles(bytes, size);
  if (size > 0) expect(planRoot(size).hashes(at)).toEqual([root]);
  for (const { index, leaf, hashes } of inclusion ?? []) {
    const proof = hashes.map(hashOf);
    expect(verifyInclusion(hashOf(leaf), index, size, proof, root)).toBe(true);
    expect(planInclusion(index, size).hashes(at)).toEqual(proof);
  }
  for (const { old, oldRoot, hashes } of consistency ?? []) {
    const proof = hashes.map(hashOf);
    expect(verifyConsistency({ size: old, root: hashOf(oldRoot) }, { size, root }, proof)).toBe(true);
    expect(planConsistency(old, size).hashes(at)).toEqual(proof);
  }
}

describe('the vectors', () => {
  it.each(fromGo.trees.map((tree) => [tree.size, tree] as const))('of Go verify: %i entries', (_size, tree) =>
    verifyTree(tree, keyOf(fromGo.logKey)),
  );

  it.each(ours.trees.map((tree) => [tree.size, tree] as const))(
    'of ours verify: %i entries',
    (size, tree) => {
      verifyTree(tree, keyOf(ours.logKey));
      const [witness, logKey] = [keyOf(ours.witnessKey), keyOf(ours.logKey)];
      expect(openCheckpoint(tree.checkpoint, logKey.name, [logKey], [witness])?.witnesses).toEqual([witness]);
      for (const { file, index, hashes } of tree.inclusion) {
        const read = readProofFile(file);
        expect(read).toMatchObject({ index, checkpoint: tree.checkpoint });
        expect(read?.hashes).toEqual(hashes.map(hashOf));
      }
      const bundle = tileOf('entries', 0, size);
      if (!bundle) return;
      const bytes = bytesOfBase64(tree.tiles[tilePath(bundle)] ?? '') ?? Buffer.alloc(0);
      expect(decodeEntries(bytes, bundle.width)?.map(leafHash)).toEqual(
        Array.from({ length: bundle.width }, (_, index) => leafHash(entryOf(index))),
      );
    },
  );
});

/** The packages of Go, where Debian installs them. */
const GO = { ...process.env, GO111MODULE: 'off', GOPATH: '/usr/share/gocode' };
const hasGo = spawnSync('go', ['list', 'golang.org/x/mod/sumdb/tlog'], { env: GO }).status === 0;

describe('other implementations', () => {
  it(
    "Go's sumdb verifies our trees, and refuses a changed one",
    needs(hasGo, 'needs Go with golang.org/x/mod'),
    () => {
      const program = join(mkdtempSync(join(tmpdir(), 'svc-log-')), 'foreign');
      const source = fileURLToPath(new URL('foreign.go', interopFolder('log')));
      const built = spawnSync('go', ['build', '-o', program, source], {
        env: { ...GO, GOCACHE: `${program}-cache` },
        encoding: 'utf8',
      });
      expect(built.stderr).toBe('');
      const check = (vectors: LogVectors) =>
        spawnSync(program, ['check'], { input: JSON.stringify(vectors), encoding: 'utf8' });
      expect(check(logVectors()).stdout).toBe(`${ours.trees.length} trees verified\n`);
      const changed = structuredClone(ours);
      const tree = changed.trees.at(-1) ?? expect.fail('no tree');
      tree.tiles['tile/0/001'] = Buffer.alloc(8_192).toString('base64');
      expect(check(changed).status).toBe(1);
    },
  );

  it('@sigstore/verify accepts our checkpoints and proofs, and refuses a changed entry', () => {
    // Its package exports only what npm needs of it.
    const folder = dirname(createRequire(import.meta.url).resolve('@sigstore/verify'));
    const require = createRequire(join(folder, 'index.js'));
    const { verifyCheckpoint } = require('./tlog/checkpoint.js');
    const { verifyMerkleInclusion } = require('./tlog/merkle.js');
    const { name, keyId, publicKey } = keyOf(ours.logKey);
    const logID = Buffer.alloc(4);
    logID.writeUInt32BE(keyId);
    const log = { logID, publicKey, baseURL: `https://${name}` };
    for (const { checkpoint, inclusion } of ours.trees)
      for (const { index, hashes } of inclusion) {
        const proof = {
          logIndex: String(index),
          hashes: hashes.map(hashOf),
          checkpoint: { envelope: checkpoint },
        };
        const entryWith = (canonicalizedBody: Uint8Array) => ({ canonicalizedBody, inclusionProof: proof });
        const entry = entryWith(entryOf(index));
        const opened = verifyCheckpoint(entry, [log]);
        expect(() => verifyMerkleInclusion(entry, opened)).not.toThrow();
        expect(() => verifyMerkleInclusion(entryWith(Buffer.from('x')), opened)).toThrow(/does not match/);
      }
  });
});
