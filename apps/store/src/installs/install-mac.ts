import { type Mac, newSecret, sealOf } from '../platform/secret.ts';
import type { RandomBytes, UnitOfWork } from '../platform/system.ts';
import type { InstallStore } from './install-store.ts';

/**
 * The seal under which installations are known. Its key is one of its own, in the database beside what it seals, and not one
 * that follows from the signing key: when that is rotated its private half is gone, and every installation would be counted
 * a second time and nobody known to have installed anything. It is made once, shared by all processes and in each backup of
 * the database. Who has the database can thus look up an id they know already; they cannot guess one, which is random, nor
 * tell which apps are on one machine.
 */
export async function openInstallMac({
  unitOfWork,
  random,
}: {
  unitOfWork: UnitOfWork<{ installs: InstallStore }>;
  random: RandomBytes;
}): Promise<Mac> {
  const secret = await unitOfWork(({ installs }) => installs.secret('installs', newSecret(random)));
  return sealOf(secret);
}
