import { DatabaseSync } from 'node:sqlite';
import type { ChangeMark } from '../../platform/change-mark.ts';

/**
 * Tells whether anything was committed to a database since it was last asked, by this process or another. It has a connection of
 * its own, as SQLite's `data_version` counts what other connections commit.
 * @param file the database, which exists
 */
export function watchChanges(file: string): { changeMark: ChangeMark; close(): void } {
  const database = new DatabaseSync(file, { readOnly: true });
  const version = database.prepare('pragma data_version');
  return {
    changeMark() {
      try {
        return (version.get() as { data_version: number }).data_version;
      } catch {
        return null;
      }
    },
    close: () => database.close(),
  };
}
