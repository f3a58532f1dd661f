import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AppHead, LogProof } from '@svc/contracts';
import {
  appendEntries,
  base64Of,
  cosign,
  EMPTY_EDGE,
  encodeEntry,
  formatCheckpoint,
  formatNote,
  formatProofFile,
  formatVerifierKey,
  noteKey,
  planConsistency,
  planInclusion,
  publishedEntry,
  readTiles,
  rootOfEdge,
  SIGNATURE_TYPES,
  signNote,
  tilePath,
} from '@svc/log';
import { footprintOf } from '@svc/permissions';
import { canonicalJson, factsOf, type SigningKey } from '@svc/signing';
import { describe, expect, it } from 'vitest';
import { createInstaller } from '../../src/install/installer.ts';
import type { LogWitnesses } from '../../src/install/logs.ts';
import { APP, newKey, type Published, startSigningStore } from '../support/signing-store.ts';
import { openWorld, system } from '../support/world.ts';

const ORIGIN = 'store.example';
const HEAD = `/api/apps/${APP}/head`;
const EXTRA = { publisher: 'example', by: [] };

const entryOf = ({ manifest, release }: Published): Uint8Array =>
  encodeEntry(publishedEntry(factsOf(release, footprintOf(manifest)), release, EXTRA));

/** A log in memory, written with the library. */
function logOf(key: () => SigningKey) {
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
    const { tiles } = appendEntries(EMPTY_EDGE, entries.slice(0, size));
    const at = readTiles(new Map(tiles.map(({ tile, bytes }) => [tilePath(tile), bytes])), size);
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
  return { entries, cosigners, prove, checkpoint };
}

async function started() {
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

const updated = async ({ installer }: Pick<Awaited<ReturnType<typeof started>>, 'installer'>) =>
  (await installer.prepareInstall(APP)).app.version;

describe('a store with a log', () => {
  it('proves each version that is installed, and that its log continues', async () => {
    const world = await started();
    expect(await updated(world)).toBe('1.0.0');
    world.publish('1.0.1');
    world.log.entries.push(Buffer.from('another entry'));
    world.serveWith((since) => world.log.prove(1, since));
    expect(await updated(world)).toBe('1.0.1');
    expect(world.heard.map(({ type }) => type)).not.toContain('log-missing');
  });

  it.each([
    [
      'that the log does not have',
      ({ log }: Awaited<ReturnType<typeof started>>) => {
        log.entries[0] = Buffer.from('something else');
      },
    ],
    [
      'whose entry has other facts',
      ({ log, store }: Awaited<ReturnType<typeof started>>) => {
        const [one] = store.state.published.values();
        if (one) log.entries[0] = entryOf({ ...one, release: { ...one.release, sha256: 'a'.repeat(64) } });
      },
    ],
  ])('is refused a version %s', async (_what, change) => {
    const world = await started();
    change(world);
    await expect(updated(world)).rejects.toMatchObject({
      code: 'not-verified',
      message: 'The log of the store does not have this version.',
    });
  });

  it('is refused a checkpoint of another key, and a proof that is none', async () => {
    const world = await started();
    const other = logOf(() => otherKey);
    const otherKey = newKey();
    other.entries.push(...world.log.entries);
    world.serveWith((since) => other.prove(0, since));
    await expect(updated(world)).rejects.toMatchObject({ code: 'not-verified' });
    world.serveWith(() => ({ proof: 'x', consistency: [] }));
    await expect(updated(world)).rejects.toMatchObject({ message: expect.stringContaining('malformed') });
  });

  it('that no longer has it is refused', async () => {
    const world = await started();
    await updated(world);
    world.serveWith(() => undefined);
    await expect(updated(world)).rejects.toMatchObject({
      code: 'rolled-back',
      message: expect.stringContaining('no longer proves'),
    });
  });

  it('goes on after its key was rotated', async () => {
    const world = await started();
    await updated(world);
    world.store.rotate('2026-02-01T00:00:00.000Z');
    world.publish('1.0.1');
    expect(await updated(world)).toBe('1.0.1');
  });
});

describe('a fork', () => {
  it('is refused, shown as what it is, and saved as a file with both checkpoints', async () => {
    const world = await started();
    await updated(world);
    const before = world.log.checkpoint(1);
    // The same store, with the same key, tells this client another history.
    const fork = logOf(() => world.store.state.key);
    fork.entries.push(Buffer.from('not what was published'));
    const hidden = world.store.publish({ version: '6.6.6' });
    fork.entries.push(entryOf(hidden));
    world.serveWith((since) => fork.prove(1, since));
    const refusal = await updated(world).catch((error) => error);
    expect(refusal).toMatchObject({
      code: 'rolled-back',
      message: expect.stringContaining('another history'),
    });
    const evidence = await readFile(refusal.detail.evidence, 'utf8');
    expect(evidence).toContain(before);
    expect(evidence).toContain(fork.checkpoint(2));
    expect(world.heard).toContainEqual({
      type: 'log-forked',
      store: world.store.url,
      evidence: refusal.detail.evidence,
    });
    // What was accepted stays: the honest log goes on.
    world.serveWith(world.honest);
    world.publish('7.0.0');
    expect(await updated(world)).toBe('7.0.0');
  });

  it('of a store that was restored from an older backup is told to the store', async () => {
    const world = await started();
    world.publish('1.0.1');
    await updated(world);
    const newest = world.log.checkpoint(2);
    world.serveWith(() => world.log.prove(0, 0, 1));
    const refusal = await world.installer.prepareInstall(APP, '1.0.0').catch((error) => error);
    expect(refusal).toMatchObject({
      code: 'rolled-back',
      message: expect.stringContaining('has 1 entries, and had 2'),
    });
    expect(world.reported).toEqual([newest]);
  });
});

describe('witnesses', () => {
  it('must have cosigned where the client demands them', async () => {
    const world = await started();
    const keys = ['w1', 'w2'].map((name) => {
      const pair = generateKeyPairSync('ed25519');
      const key = noteKey(`${name}.example`, pair.publicKey, SIGNATURE_TYPES.cosignature);
      return {
        vkey: formatVerifierKey(key),
        sign: (text: string) => cosign(text, 1_750_000_000, key, pair.privateKey),
      };
    });
    const installer = world.installerOf({ keys: keys.map(({ vkey }) => vkey), quorum: 2 });
    world.log.cosigners.push(...keys.slice(0, 1).map(({ sign }) => sign));
    await expect(updated({ installer })).rejects.toMatchObject({
      code: 'not-verified',
      message: expect.stringContaining('cosigned by 1 of the witnesses'),
    });
    world.log.cosigners.push(...keys.slice(1).map(({ sign }) => sign));
    expect(await updated({ installer })).toBe('1.0.0');
    world.serveWith(() => undefined);
    await expect(updated({ installer })).rejects.toMatchObject({ code: 'rolled-back' });
  });
});

describe('a store without a log', () => {
  it('is an older one: this is said once, and remembered', async () => {
    const world = await started();
    world.serveWith(() => undefined);
    expect([await updated(world), await updated(world)]).toEqual(['1.0.0', '1.0.0']);
    expect(world.heard.filter(({ type }) => type === 'log-missing')).toEqual([
      { type: 'log-missing', store: world.store.url },
    ]);
  });
});
