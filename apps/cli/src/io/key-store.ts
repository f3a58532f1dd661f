import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { PublicKey } from '@svc/contracts';
import { readPublicKey } from '@svc/signing';
import type { CommandContext } from '../command-context.ts';
import { failed } from '../failure.ts';
import { configFolder } from './config-folder.ts';
import { writeAtomic } from './write-atomic.ts';

/** What a user trusts of a store: its newest key that is known, and the keys it had before, which only old versions name. */
export type Pin = { current: PublicKey; earlier: PublicKey[] };

/** Pins by the address of the store. */
type Pins = Map<string, Pin>;

/** The file of pinned keys. */
export const keysFile = (env: CommandContext['env']): string => path.join(configFolder(env), 'keys.json');

/** A key whose id is not its own was tampered with. */
function keyOf(value: unknown): PublicKey {
  const { keyId, publicKeyPem } = PublicKey.parse(value);
  if (readPublicKey(publicKeyPem).keyId !== keyId)
    throw new TypeError('A key id does not belong to its key.');
  return { keyId, publicKeyPem };
}

function pinOf(value: unknown): Pin {
  const { earlier = [] } = value as { earlier?: unknown };
  if (!Array.isArray(earlier)) throw new TypeError('"earlier" is no list.');
  return { current: keyOf(value), earlier: earlier.map(keyOf) };
}

const written = ({ current, earlier }: Pin) => ({
  keyId: current.keyId,
  publicKeyPem: current.publicKeyPem,
  ...(earlier.length > 0 && { earlier }),
});

function pinsOf(text: string): Pins {
  const { stores } = JSON.parse(text) as { stores?: unknown };
  if (typeof stores !== 'object' || stores === null) throw new TypeError('"stores" is missing.');
  return new Map(Object.entries(stores).map(([store, pin]) => [store, pinOf(pin)]));
}

/** A file that cannot be made sense of stops everything: to go on would mean to trust again, without being asked. */
async function readPins(file: string): Promise<Pins> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw failed(`The pinned keys in ${file} cannot be read (${error.code}).`, { cause: error });
  });
  if (text === null) return new Map();
  try {
    return pinsOf(text);
  } catch (error) {
    const message = `The pinned keys in ${file} are damaged. Fix the file, or delete it to trust each store again.`;
    throw failed(message, { cause: error });
  }
}

/** What the user trusts of a store, or null before the first use. */
export async function pinnedKey(env: CommandContext['env'], store: string): Promise<Pin | null> {
  return (await readPins(keysFile(env))).get(store) ?? null;
}

/** Trusts keys for a store from now on. The file is for the user's eyes only, and replaced whole. */
export async function pinKey(env: CommandContext['env'], store: string, pin: Pin): Promise<void> {
  const file = keysFile(env);
  const pins = await readPins(file);
  pins.set(store, pin);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const stores = Object.fromEntries([...pins].map(([address, one]) => [address, written(one)]));
  await writeAtomic(file, `${JSON.stringify({ stores }, null, 2)}\n`, 0o600);
}
