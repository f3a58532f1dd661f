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
