import { createHash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { enforcedFootprint, type InstalledApp } from '../library/installed-app.ts';

/** The apps that the user let have files of a project. */
export type FileRecipients = {
  has(app: InstalledApp, project: string): boolean;
  add(app: InstalledApp, project: string): void;
};

/** An app with the server that the files go to, in a project. */
const keyOf = (app: InstalledApp, project: string): string =>
  createHash('sha256')
    .update(JSON.stringify([app.source.kind, enforcedFootprint(app).mcpUrl, project]))
    .digest('hex');

/** Creates the memory of one process. */
export function createFileRecipients(): FileRecipients {
  const known = new Set<string>();
  const of = (app: InstalledApp, project: string) => `${app.appId} ${keyOf(app, project)}`;
  return {
    has: (app, project) => known.has(of(app, project)),
    add: (app, project) => void known.add(of(app, project)),
  };
}

/** Opens the memory of a library. Removing an app deletes its rows. */
export function openFileRecipients(database: DatabaseSync): FileRecipients {
  const find = database.prepare('select 1 from file_recipients where app_id = ? and recipient = ?');
  const insert = database.prepare('insert or ignore into file_recipients (app_id, recipient) values (?, ?)');
  return {
    has: (app, project) => find.get(app.appId, keyOf(app, project)) !== undefined,
    add(app, project) {
      insert.run(app.appId, keyOf(app, project));
    },
  };
}
