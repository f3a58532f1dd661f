import { DatabaseSync } from 'node:sqlite';
import { guarded } from '@svc/contracts/guarded';
import type { ChangeMark } from '../../platform/system.ts';

/**
 * Returns whether a commit has changed a database since the last call, in this process or another. Uses its own connection, because
 * SQLite's `data_version` counts the commits of other connections. It is read once per turn of the event loop: the requests that are
 * answered in a turn had arrived before it, unless more than a thousand did.
 * @param file an existing database
 */
export function watchChanges(file: string): { changeMark: ChangeMark; close(): void } {
  const database = new DatabaseSync(file, { readOnly: true });
  const version = database.prepare('pragma data_version');
  const read = (): number | null => {
    try {
      return (version.get() as { data_version: number }).data_version;
    } catch {
      return null;
    }
  };
  let known: number | null | undefined;
  const forget = guarded(() => {
    known = undefined;
  });
  return {
    changeMark() {
      if (known !== undefined) return known;
      known = read();
      setImmediate(forget);
      return known;
    },
    close: () => database.close(),
  };
}
