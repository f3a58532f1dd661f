import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { PublicKey } from '@svc/contracts';
import { isForeignKeyId, readPublicKey, verifyKeyChain } from '@svc/signing';
import type { CommandContext } from '../command-record.ts';
import { failed, isNotFound, usageError } from '../failure.ts';
import type { StoreClient } from '../store-client.ts';
import { type Pin, pinnedKey } from './key-store.ts';

/**
 * The keys to verify with, and why they are trusted. A key `offered` by the store is trusted only on first use. `follows` is the
 * previously trusted key, when it has signed the store's new key.
 */
export type Trust = Pin & { origin: 'file' | 'pinned' | 'offered'; follows?: string };

const keyOnly = ({ keyId, publicKeyPem }: PublicKey): PublicKey => ({ keyId, publicKeyPem });

async function keyFromFile(cwd: string, shown: string): Promise<Trust> {
  const text = await readFile(path.resolve(cwd, shown), 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw usageError(`Cannot read ${shown} (${error.code}).`, { cause: error });
  });
  try {
    const current = { keyId: readPublicKey(text).keyId, publicKeyPem: text };
    return { current, earlier: [], origin: 'file' };
  } catch (error) {
    throw usageError(`${shown} is not an Ed25519 public key in PEM.`, { cause: error });
  }
}

/** All keys of the store; null when it publishes only its current key. */
async function listedKeys(client: StoreClient) {
  try {
    return (await client.call('GET /api/apps/public-keys')).keys;
  } catch (error) {
    if (isNotFound(error)) return null;
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
  const key = await client.call('GET /api/apps/public-key');
  const own = idOf(key.publicKeyPem);
  return own !== null && (own === key.keyId || isForeignKeyId(key.keyId)) ? [{ ...key, keyId: own }] : [];
}

/** The chain of keys from `from` to the current key; empty when the list is not one chain. */
function chainOf(keys: readonly PublicKey[], from: PublicKey | undefined): PublicKey[] {
  if (!from || idOf(from.publicKeyPem) === null) return [];
  const chain = verifyKeyChain(from, keys);
  return chain.ok ? chain.keys : [];
}

async function offeredKeys(client: StoreClient): Promise<Trust> {
  const listed = await listedKeys(client);
  const keys = listed ? chainOf(listed, listed[0]) : await onlyKey(client);
  const current = keys.at(-1);
  if (!current) throw failed('The public keys of the store are inconsistent. Do not trust them.');
  return { current: keyOnly(current), earlier: keys.slice(0, -1).map(keyOnly), origin: 'offered' };
}

/** Extends trust to the store's current key when a chain leads to it from a trusted key. */
async function follow(trust: Trust, client: StoreClient): Promise<Trust> {
  const keys = chainOf((await listedKeys(client)) ?? [], trust.current);
  const current = keys.at(-1);
  if (!current || current.keyId === trust.current.keyId) return trust;
  const earlier = [...trust.earlier, ...keys.slice(0, -1)].map(keyOnly);
  return { ...trust, current: keyOnly(current), earlier, follows: trust.current.keyId };
}

/** All trusted keys, oldest first. */
export const keysOf = ({ earlier, current }: Trust): PublicKey[] => [...earlier, current];

/**
 * The keys to verify with when no store is asked: the key file of the user, else the pinned keys.
 * @throws CommandError without either
 */
export async function keysOffline(
  context: CommandContext,
  keyFile: string | undefined,
  baseUrl: string,
): Promise<Trust> {
  if (keyFile !== undefined) return keyFromFile(context.cwd, keyFile);
  const pin = await pinnedKey(context, baseUrl);
  if (pin) return { ...pin, origin: 'pinned' };
  throw usageError(`No key of ${baseUrl} is pinned here: name the key of the store with --key.`);
}

/**
 * The keys to verify a store's signature: the key file of the user, else the pinned keys, else the keys that the store offers;
 * with their successors, when the store signs with a newer key.
 * @param signedBy id of the signing key, according to the store
 * @throws CommandError when the file, the pins or the offered keys are invalid
 */
export async function trustedKeys(
  context: CommandContext,
  keyFile: string | undefined,
  store: { baseUrl: string; client: StoreClient },
  signedBy: string,
): Promise<Trust> {
  const pin = keyFile === undefined ? await pinnedKey(context, store.baseUrl) : null;
  if (keyFile === undefined && !pin) return offeredKeys(store.client);
  const trust: Trust = pin ? { ...pin, origin: 'pinned' } : await keyFromFile(context.cwd, keyFile as string);
  return isForeignKeyId(signedBy) || keysOf(trust).some(({ keyId }) => keyId === signedBy)
    ? trust
    : follow(trust, store.client);
}
