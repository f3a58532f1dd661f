import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { PublicKey } from '@svc/contracts';
import { readPublicKey, verifyKeyChain } from '@svc/signing';
import type { CommandContext } from '../command-context.ts';
import { failed, StoreError, usageError } from '../failure.ts';
import type { StoreClient } from '../store-client.ts';
import { type Pin, pinnedKey } from './key-store.ts';

/**
 * The keys to verify with, and why they are trusted. `offered` by the store is trusted on first use only. `follows` is
 * the key that was trusted before, when the store has changed its key since and that key vouches for the change.
 */
export type Trust = Pin & { origin: 'file' | 'pinned' | 'offered'; follows?: string };

const bare = ({ keyId, publicKeyPem }: PublicKey): PublicKey => ({ keyId, publicKeyPem });

async function keyFromFile(cwd: string, shown: string): Promise<Trust> {
  const text = await readFile(path.resolve(cwd, shown), 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw usageError(`${shown} cannot be read (${error.code}).`, { cause: error });
  });
  try {
    const current = { keyId: readPublicKey(text).keyId, publicKeyPem: text };
    return { current, earlier: [], origin: 'file' };
  } catch (error) {
    throw usageError(`${shown} holds no Ed25519 public key in PEM.`, { cause: error });
  }
}

/** All keys of the store, or null when it is one that lists only its current key. */
async function listedKeys(client: StoreClient) {
  try {
    return (await client.publicKeys()).keys;
  } catch (error) {
    if (error instanceof StoreError && error.envelope.code === 'not_found') return null;
    throw error;
  }
}

function idOf(publicKeyPem: string): string | null {
  try {
    return readPublicKey(publicKeyPem).keyId;
  } catch {
    return null;
  }
}

async function onlyKey(client: StoreClient): Promise<PublicKey[]> {
  const key = await client.publicKey();
  return idOf(key.publicKeyPem) === key.keyId ? [key] : [];
}

/** The keys of a list from the one at its beginning to the current one; none when they are not one chain. */
function chainOf(keys: readonly PublicKey[], from: PublicKey | undefined): PublicKey[] {
  if (!from || idOf(from.publicKeyPem) === null) return [];
  const chain = verifyKeyChain(from, keys);
  return chain.ok ? chain.keys : [];
}

async function offeredKeys(client: StoreClient): Promise<Trust> {
  const listed = await listedKeys(client);
  const keys = listed ? chainOf(listed, listed[0]) : await onlyKey(client);
  const current = keys.at(-1);
  if (!current) throw failed('The public key that the store offers is not what it says: do not trust it.');
  return { current: bare(current), earlier: keys.slice(0, -1).map(bare), origin: 'offered' };
}

/** Trusts what the current key of the store follows from. Without such a chain the trust stays as it is. */
async function follow(trust: Trust, client: StoreClient): Promise<Trust> {
  const keys = chainOf((await listedKeys(client)) ?? [], trust.current);
  const current = keys.at(-1);
  if (!current || current.keyId === trust.current.keyId) return trust;
  const earlier = [...trust.earlier, ...keys.slice(0, -1)].map(bare);
  return { ...trust, current: bare(current), earlier, follows: trust.current.keyId };
}

/** All keys of a trust, older ones first. */
export const keysOf = ({ earlier, current }: Trust): PublicKey[] => [...earlier, current];

/**
 * The keys to verify what a store signed: the one the user hands over, else those pinned for the store, else those that
 * the store offers; and those that followed, when the store has signed with a newer one.
 * @param signedBy id of the key that the store says it signed with
 * @throws CommandError when the file, the pins or the offer make no sense
 */
export async function trustedKeys(
  { env, cwd }: CommandContext,
  keyFile: string | undefined,
  store: { baseUrl: string; client: StoreClient },
  signedBy: string,
): Promise<Trust> {
  const pin = keyFile === undefined ? await pinnedKey(env, store.baseUrl) : null;
  if (keyFile === undefined && !pin) return offeredKeys(store.client);
  const trust: Trust = pin ? { ...pin, origin: 'pinned' } : await keyFromFile(cwd, keyFile as string);
  return keysOf(trust).some(({ keyId }) => keyId === signedBy) ? trust : follow(trust, store.client);
}
