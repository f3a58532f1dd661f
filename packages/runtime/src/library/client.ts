import type { Manifest } from '@svc/contracts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import { inTransaction } from './library-database.ts';
import type { LibraryStorage } from './library-storage.ts';

const NAME = 'install-id';
const BYTES = 16;

/**
 * The id by which a store counts installs: random, created once for the folder, and sent to stores only when a bundle is downloaded.
 * It reveals nothing about the user or the machine.
 */
export function installIdOf(system: Pick<System, 'randomBytes'>, { database }: LibraryStorage): string {
  return inTransaction(database, () => {
    const row = database.prepare('select value from settings where name = ?').get(NAME);
    if (row) return row.value as string;
    const id = Buffer.from(system.randomBytes(BYTES)).toString('hex');
    database.prepare('insert into settings (name, value) values (?, ?)').run(NAME, id);
    return id;
  });
}

/** The properties of the embedding client that apps depend on. */
export type Client = {
  /** Operating system, as in `process.platform`. */
  platform: string;
  /** Processor architecture, as in `process.arch`. */
  arch: string;
  /** Ids of the built-in apps of this client. */
  builtInApps: readonly string[];
};

/**
 * Checks that an app supports this operating system and processor.
 * @throws RuntimeError `not-for-this-machine`
 */
export function requireMachine(
  { platforms, arch }: Pick<Manifest, 'platforms' | 'arch'>,
  client: Client,
): void {
  const fits = (names: readonly string[] | undefined, name: string) => !names || names.includes(name);
  if (fits(platforms, client.platform) && fits(arch, client.arch)) return;
  throw new RuntimeError('not-for-this-machine', undefined, { detail: { platforms, arch } });
}
