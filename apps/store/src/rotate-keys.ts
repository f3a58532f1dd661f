import { rotateSigningKey } from './adapters/disk/key-chain-file.ts';
import type { Clock } from './platform/ambient.ts';
import { BadSetting, type Settings } from './settings.ts';

/**
 * `svc-store keys rotate`: gives the store a new signing key, signed by the one it has. A running store is not touched: it
 * signs with the old key, which stays good, until it is started anew.
 * @returns the line for the operator
 * @throws BadSetting when the key cannot be rotated; the old one is in force then
 */
export async function rotateKeys(
  { signingKeyFile }: Pick<Settings, 'signingKeyFile'>,
  clock: Clock,
): Promise<string> {
  try {
    const chain = await rotateSigningKey(signingKeyFile, clock().toISOString());
    const [current, last] = chain.toReversed();
    return `The signing key is now ${current?.keyId}, signed by ${last?.keyId}. Restart the store to sign with it.`;
  } catch (error) {
    throw new BadSetting(`The signing key was not rotated: ${(error as Error).message}`);
  }
}
