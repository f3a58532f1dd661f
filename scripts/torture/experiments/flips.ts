import { spawnSync } from 'node:child_process';
import { verify } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Manifest, SignedFacts, StoreKey } from '@svc/contracts';
import {
  canonicalJson,
  type KeyRing,
  keyRing,
  type Release,
  type ReleaseSignature,
  revocationsHold,
  verifyBundle,
  verifyKeyChain,
} from '@svc/signing';
import { bareEnvironment } from '@svc/testkit';
import { type Arena, experimentIn, newApp, publishFirst, restart } from '../arena.ts';
import { type Client, manifestOf, releaseOf } from '../client.ts';
import type { Experiment, Outcome, Setup } from '../outcome.ts';

const MAIN = fileURLToPath(new URL('../../../apps/store/src/main.ts', import.meta.url));
const ROTATIONS = 2;

/** Some bytes, and whether a verifier takes others in their place. */
type Target = { name: string; bytes: Uint8Array; isTaken(flipped: Buffer): boolean };

/** Flips every bit, one at a time. */
export function flipAll({ name, bytes, isTaken }: Target): { count: number; failures: string[] } {
  const failures: string[] = [];
  const flipped = Buffer.from(bytes);
  for (let bit = 0; bit < 8 * bytes.byteLength; bit += 1) {
    const mask = 1 << (bit % 8);
    const at = bit >> 3;
    flipped[at] = (flipped[at] as number) ^ mask;
    if (isTaken(flipped)) failures.push(`bit ${bit} of ${name} can be flipped, and it is still taken`);
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

/** What a verifier is told of a version beside its bytes; the text of each field. */
const fieldTargets = ({ bytes, manifest, release, ring }: Published): Target[] =>
  (['signature', 'sha256', 'keyId', 'publishedAt', 'appId', 'version'] as const).map((field) => ({
    name: field,
    bytes: Buffer.from(release[field]),
    isTaken: (flipped) =>
      verifyBundle(bytes, manifest, { ...release, [field]: flipped.toString('latin1') }, ring).ok,
  }));

/** The signature's own 512 bits, under the base64 that carries them. */
const signatureTarget = ({ bytes, manifest, release, ring }: Published): Target => ({
  name: 'the 64 bytes of the signature',
  bytes: Buffer.from(release.signature, 'base64'),
  isTaken: (flipped) =>
    verifyBundle(bytes, manifest, { ...release, signature: flipped.toString('base64') }, ring).ok,
});

/** The very bytes that were signed. */
const factsTarget = ({ release, ring }: Published, facts: SignedFacts): Target => ({
  name: 'the canonical facts',
  bytes: canonicalJson(facts),
  isTaken: (flipped) => {
    const key = ring.get(release.keyId);
    return key !== undefined && verify(null, flipped, key, Buffer.from(release.signature, 'base64'));
  },
});

/** The zip. A flip that leaves it readable has another manifest or other files; the hash must not let it through. */
const bundleTarget = ({ bytes, manifest, release, ring }: Published): Target => ({
  name: 'the bundle',
  bytes,
  isTaken: (flipped) => verifyBundle(flipped, manifest, release, ring).ok,
});

async function listTarget(client: Client, ring: KeyRing): Promise<Target> {
  const { body } = await client.get('/api/apps/revocations');
  if (!revocationsHold(body, ring)) throw new Error('The revocation list does not verify as it is.');
  return {
    name: 'the revocation list',
    bytes: Buffer.from(JSON.stringify(body)),
    isTaken: (flipped) => revocationsHold(parsed(flipped), ring),
  };
}

function chainTarget(keys: readonly StoreKey[]): Target {
  const pinned = keys[0] as StoreKey;
  if (keys.length !== ROTATIONS + 1 || !verifyKeyChain(pinned, keys).ok)
    throw new Error('The chain of keys does not verify as it is.');
  return {
    name: 'the key chain',
    bytes: Buffer.from(JSON.stringify(keys)),
    isTaken: (flipped) => verifyKeyChain(pinned, parsed(flipped)).ok,
  };
}

async function publishedOf(client: Client): Promise<Published & { facts: SignedFacts }> {
  const ref = await publishFirst(client, newApp());
  const found = await client.bundle(ref);
  if (!found) throw new Error('What was published cannot be downloaded.');
  const { bytes, response } = found;
  const manifest = manifestOf(bytes);
  const release = releaseOf(ref, response.headers);
  const ring = keyRing(await client.keys());
  const verification = verifyBundle(bytes, manifest, release, ring);
  if (!verification.ok) throw new Error(`What was published does not verify: ${verification.message}`);
  return { bytes, manifest, release, ring, facts: verification.facts };
}

/** Rotates the key with the program an operator uses, and starts the store with the new one. */
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

/** Every bit of what a client verifies flipped, one at a time: each must be refused. */
export const flips: Experiment = { name: 'flips', backends: ['sqlite'], count: 1, run };
