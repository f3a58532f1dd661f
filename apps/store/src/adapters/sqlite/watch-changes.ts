import { DatabaseSync } from 'node:sqlite';
import type { ChangeMark } from '../../platform/change-mark.ts';

/**
 * Returns whether a commit has changed a database since the last call, in this process or another. Uses its own connection, because
 * SQLite's `data_version` counts the commits of other connections.
 * @param file an existing database
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
