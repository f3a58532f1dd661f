import { spawnSync } from 'node:child_process';
import { verify } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Manifest, SignedFacts, StoreKey } from '@svc/contracts';
import {
  canonicalJson,
  isForeignKeyId,
  type KeyRing,
  keyRing,
  type Release,
  type ReleaseSignature,
  verifyBundle,
  verifyKeyChain,
  verifyRevocationList,
} from '@svc/signing';
import { bareEnvironment } from '@svc/testkit';
import { type Arena, experimentIn, newApp, publishFirst, restart } from '../arena.ts';
import { type Client, manifestOf, releaseOf } from '../client.ts';
import type { Experiment, Outcome, Setup } from '../outcome.ts';

const MAIN = fileURLToPath(new URL('../../../apps/store/src/main.ts', import.meta.url));
const ROTATIONS = 2;

/** Bytes, and whether a verifier accepts changed ones. */
type Target = { name: string; bytes: Uint8Array; isAccepted(flipped: Buffer): boolean };

/** Flips every bit, one at a time. */
export function flipAll({ name, bytes, isAccepted }: Target): { count: number; failures: string[] } {
  const failures: string[] = [];
  const flipped = Buffer.from(bytes);
  for (let bit = 0; bit < 8 * bytes.byteLength; bit += 1) {
    const mask = 1 << (bit % 8);
    const at = bit >> 3;
    flipped[at] = (flipped[at] as number) ^ mask;
    if (isAccepted(flipped)) failures.push(`bit ${bit} of ${name} can be flipped, and it is still accepted`);
    flipped[at] = (flipped[at] as number) ^ mask;
  }
  return { count: 8 * bytes.byteLength, failures };
}

const parsed = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return null;
  }
};

type Published = {
  bytes: Uint8Array;
  manifest: Manifest;
  release: Release & ReleaseSignature;
  ring: KeyRing;
};

/** The fields of a release, as text. */
const fieldTargets = ({ bytes, manifest, release, ring }: Published): Target[] =>
  (['signature', 'sha256', 'keyId', 'publishedAt', 'appId', 'version'] as const).map((field) => ({
    name: field,
    bytes: Buffer.from(release[field]),
    isAccepted: (flipped) =>
      // An id that a foreign store chose says nothing: the signature decides, by any trusted key.
      !(field === 'keyId' && isForeignKeyId(flipped.toString('latin1'))) &&
      verifyBundle(bytes, manifest, { ...release, [field]: flipped.toString('latin1') }, ring).ok,
  }));

/** The 512 bits of the signature, without base64. */
const signatureTarget = ({ bytes, manifest, release, ring }: Published): Target => ({
  name: 'the 64 bytes of the signature',
  bytes: Buffer.from(release.signature, 'base64'),
  isAccepted: (flipped) =>
    verifyBundle(bytes, manifest, { ...release, signature: flipped.toString('base64') }, ring).ok,
});

/** The signed bytes. */
const factsTarget = ({ release, ring }: Published, facts: SignedFacts): Target => ({
  name: 'the canonical facts',
  bytes: canonicalJson(facts),
  isAccepted: (flipped) => {
    const key = ring.get(release.keyId);
    return key !== undefined && verify(null, flipped, key, Buffer.from(release.signature, 'base64'));
  },
});

/** The zip. A flip may leave it readable with other contents; the hash must reject it. */
const bundleTarget = ({ bytes, manifest, release, ring }: Published): Target => ({
  name: 'the bundle',
  bytes,
  isAccepted: (flipped) => verifyBundle(flipped, manifest, release, ring).ok,
});

async function listTarget(client: Client, ring: KeyRing): Promise<Target> {
  const { body } = await client.get('/api/apps/revocations');
  if (!verifyRevocationList(body, ring)) throw new Error('The unchanged revocation list does not verify.');
  return {
    name: 'the revocation list',
    bytes: Buffer.from(JSON.stringify(body)),
    isAccepted: (flipped) => verifyRevocationList(parsed(flipped), ring),
  };
}

function chainTarget(keys: readonly StoreKey[]): Target {
  const pinned = keys[0] as StoreKey;
  if (keys.length !== ROTATIONS + 1 || !verifyKeyChain(pinned, keys).ok)
    throw new Error('The unchanged chain of keys does not verify.');
  return {
    name: 'the key chain',
    bytes: Buffer.from(JSON.stringify(keys)),
    isAccepted: (flipped) => verifyKeyChain(pinned, parsed(flipped)).ok,
  };
}

async function publishedOf(client: Client): Promise<Published & { facts: SignedFacts }> {
  const ref = await publishFirst(client, newApp());
  const found = await client.bundle(ref);
  if (!found) throw new Error('The published version cannot be downloaded.');
  const { bytes, response } = found;
  const manifest = manifestOf(bytes);
  const release = releaseOf(ref, response.headers);
  const ring = keyRing(await client.keys());
  const verification = verifyBundle(bytes, manifest, release, ring);
  if (!verification.ok) throw new Error(`The published version does not verify: ${verification.message}`);
  return { bytes, manifest, release, ring, facts: verification.facts };
}

/** Rotates the key with the command for operators, and restarts the store. */
async function rotateKeys(arena: Arena): Promise<void> {
  const env = { ...bareEnvironment(), ...arena.site.settings() };
  const { status, stderr } = spawnSync(process.execPath, [MAIN, 'keys', 'rotate'], { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`The key could not be rotated: ${stderr}`);
  await restart(arena);
}

async function run({ backend }: Setup): Promise<Outcome> {
  return experimentIn(backend, async (arena) => {
    for (let n = 0; n < ROTATIONS; n += 1) await rotateKeys(arena);
    const { client } = arena;
    await client.yank(await publishFirst(client, newApp()));
    const published = await publishedOf(client);
    const keys = await client.keys();
    const targets = [
      signatureTarget(published),
      ...fieldTargets(published),
      factsTarget(published, published.facts),
      bundleTarget(published),
      await listTarget(client, keyRing(keys)),
      chainTarget(keys),
    ];
    const flipped = targets.map((target) => ({ ...flipAll(target), name: target.name }));
    const total = flipped.reduce((sum, { count }) => sum + count, 0);
    const parts = flipped.map(({ name, count }) => `${count} in ${name}`).join(', ');
    return {
      counts: `${total} bits flipped: ${parts}`,
      failures: flipped.flatMap(({ failures }) => failures),
    };
  });
}

/** Flips every bit of the data that a client verifies, one at a time: each flip must be refused. */
export const flips: Experiment = { name: 'flips', backends: ['sqlite'], count: 1, run };
