import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { PublicKey } from '@svc/contracts';
import { isForeignKeyId, readPublicKey } from '@svc/signing';
import type { CommandContext } from '../command-record.ts';
import { failed } from '../failure.ts';
import { configFolder, openConfigFolder } from './credentials.ts';
import { writeAtomic } from './write-atomic.ts';

/** The pinned keys of a store: the current key, and earlier keys, which verify older versions. */
export type Pin = { current: PublicKey; earlier: PublicKey[] };

/** Pins by the URL of the store. */
type Pins = Map<string, Pin>;

export const keysFile = (env: CommandContext['env']): string => path.join(configFolder(env), 'keys.json');

/** Parses a key. An id that does not match its key means tampering. */
function keyOf(value: unknown): PublicKey {
  const { keyId, publicKeyPem } = PublicKey.parse(value);
  const own = readPublicKey(publicKeyPem).keyId;
  if (own !== keyId && !isForeignKeyId(keyId)) throw new TypeError('A key id does not match its key.');
  return { keyId, publicKeyPem };
}

function pinOf(value: unknown): Pin {
  const { earlier = [] } = value as { earlier?: unknown };
  if (!Array.isArray(earlier)) throw new TypeError('"earlier" is not a list.');
  return { current: keyOf(value), earlier: earlier.map(keyOf) };
}

const toJson = ({ current, earlier }: Pin) => ({
  keyId: current.keyId,
  publicKeyPem: current.publicKeyPem,
  ...(earlier.length > 0 && { earlier }),
});

function pinsOf(text: string): Pins {
  const { stores } = JSON.parse(text) as { stores?: unknown };
  if (typeof stores !== 'object' || stores === null) throw new TypeError('"stores" is missing.');
  return new Map(Object.entries(stores).map(([store, pin]) => [store, pinOf(pin)]));
}

/** Reads all pins. A corrupt file is an error: continuing would trust every store again without asking. */
async function readPins(file: string): Promise<Pins> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw failed(`Cannot read the pinned keys in ${file} (${error.code}).`, { cause: error });
  });
  if (text === null) return new Map();
  try {
    return pinsOf(text);
  } catch (error) {
    const message = `The file of pinned keys ${file} is corrupt. Fix it, or delete it to pin the key of each store again.`;
    throw failed(message, { cause: error });
  }
}

/**
 * The pinned keys of a store, or null before the first use. The key that the operator of the machine set comes before a pin of the user
 * that does not have it.
 */
export async function pinnedKey(
  { env, company }: Pick<CommandContext, 'env' | 'company'>,
  store: string,
): Promise<Pin | null> {
  const pin = (await readPins(keysFile(env))).get(store) ?? null;
  if (company?.store !== store) return pin;
  const { publicKeyPem } = company;
  const { keyId } = readPublicKey(publicKeyPem);
  const isOfCompany = [...(pin?.earlier ?? []), pin?.current].some((key) => key?.keyId === keyId);
  return isOfCompany ? pin : { current: { keyId, publicKeyPem }, earlier: [] };
}

/** Pins keys for a store. Replaces the file atomically, readable only by the user. */
export async function pinKey(env: CommandContext['env'], store: string, pin: Pin): Promise<void> {
  const file = keysFile(env);
  const pins = await readPins(file);
  pins.set(store, pin);
  openConfigFolder(env);
  const stores = Object.fromEntries([...pins].map(([url, storePin]) => [url, toJson(storePin)]));
  await writeAtomic(file, `${JSON.stringify({ stores }, null, 2)}\n`, 0o600);
}
