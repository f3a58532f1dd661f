import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { PublicKey } from '@svc/contracts';
import { readPublicKey } from '@svc/signing';
import { failed, wrongUse } from '../failure.ts';
import type { StoreClient } from '../store-client.ts';
import type { World } from '../world.ts';
import { pinnedKey } from './key-store.ts';

/** A key to verify with, and why it is trusted. `offered` by the store is trusted on first use only. */
export type TrustedKey = PublicKey & { origin: 'file' | 'pinned' | 'offered' };

async function keyFromFile(cwd: string, shown: string): Promise<TrustedKey> {
  const text = await readFile(path.resolve(cwd, shown), 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw wrongUse(`${shown} cannot be read (${error.code}).`, { cause: error });
  });
  try {
    return { keyId: readPublicKey(text).keyId, publicKeyPem: text, origin: 'file' };
  } catch (error) {
    throw wrongUse(`${shown} holds no Ed25519 public key in PEM.`, { cause: error });
  }
}

async function offeredKey(client: StoreClient): Promise<TrustedKey> {
  const { keyId, publicKeyPem } = await client.publicKey();
  const computed = idOf(publicKeyPem);
  if (computed !== keyId)
    throw failed('The public key that the store offers is not what it says: do not trust it.');
  return { keyId, publicKeyPem, origin: 'offered' };
}

function idOf(publicKeyPem: string): string | null {
  try {
    return readPublicKey(publicKeyPem).keyId;
  } catch {
    return null;
  }
}

/**
 * The key to verify what a store signed: the one the user hands over, else the one pinned for the store, else the one
 * that the store offers.
 * @throws Failure when the file, the pins or the offer make no sense
 */
export async function trustedKey(
  { env, cwd }: World,
  keyFile: string | undefined,
  store: { baseUrl: string; client: StoreClient },
): Promise<TrustedKey> {
  if (keyFile !== undefined) return keyFromFile(cwd, keyFile);
  const pinned = await pinnedKey(env, store.baseUrl);
  return pinned ? { ...pinned, origin: 'pinned' } : offeredKey(store.client);
}
