import type { Parts } from '../../domain/parts/parts.ts';
import { type Mac, macWith, newSecret } from '../../platform/secret.ts';
import type { UnitOfWork } from '../../platform/system.ts';
import type { InstallStore } from './install-store.ts';

/**
 * Opens the MAC under which installations are stored. Its key is in the database, and is not derived from the signing key: after a
 * rotation of that key every installation would be counted a second time, and no user could rate. The key is created once, shared by
 * all processes, and part of each backup. With a copy of the database an attacker can look up an id that they know already;
 * they cannot guess one, as ids are random, nor see which apps are on one machine.
 */
export async function openInstallMac({
  unitOfWork,
  random,
}: Pick<Parts, 'random'> & { unitOfWork: UnitOfWork<{ installs: InstallStore }> }): Promise<Mac> {
  const secret = await unitOfWork(({ installs }) => installs.secret('installs', newSecret(random)));
  return macWith(secret);
}
