import { createHash } from 'node:crypto';
import type { Events } from '../events/events.ts';
import type { System } from '../platform/system.ts';
import { enforcedFootprint, type InstalledApp } from './installed-app.ts';
import type { LibraryStorage } from './library-storage.ts';

/** The tables of a library, to read and to write. */
type Tables = Pick<LibraryStorage, 'database' | 'transact'>;

/** What the user lets a connector do. Its server was not reviewed, and is not limited by a manifest. */
export type ConnectorChoices = {
  /** Its results may bring pictures, sounds and other files. Default: true. */
  media: boolean;
  /** Its server may ask the user questions during a call (MCP elicitation). Default: true. */
  questions: boolean;
  /** Its server may ask for answers of the client's model (MCP sampling); the user sees each request. Default: false. */
  sampling: boolean;
  /** Its server may know the folders of the project (MCP roots). Default: false. */
  roots: boolean;
};

const DEFAULTS: ConnectorChoices = { media: true, questions: true, sampling: false, roots: false };

const NAMES = Object.keys(DEFAULTS) as (keyof ConnectorChoices)[];

/** The choices of one process, all by default. */
export const createConnectorSettings = (): Pick<ConnectorSettings, 'of'> => ({ of: () => DEFAULTS });

/** Opens the choices of a library. Removing a connector deletes them. */
export function openConnectorSettings({ database, transact }: Tables, events: Events) {
  const find = database.prepare('select name, value from connector_settings where app_id = ?');
  const write = database.prepare(
    'insert or replace into connector_settings (app_id, name, value) values (?, ?, ?)',
  );
  return {
    of(appId: string) {
      const stored = find.all(appId) as { name: string; value: number }[];
      return { ...DEFAULTS, ...Object.fromEntries(stored.map(({ name, value }) => [name, value === 1])) };
    },
    /** Changes some choices of a connector. The next call sees them. */
    change(appId: string, choices: Partial<ConnectorChoices>) {
      transact(() => {
        for (const name of NAMES) {
          const value = choices[name];
          if (value !== undefined) write.run(appId, name, value ? 1 : 0);
        }
      });
      events.emit({ type: 'connector-changed', appId });
    },
  };
}

/** What the user lets each connector do. */
export type ConnectorSettings = ReturnType<typeof openConnectorSettings>;

/** The apps that the user let have files of a project. */
export type FileRecipients = {
  has(app: InstalledApp, project: string): boolean;
  add(app: InstalledApp, project: string): void;
  /** Called when files go without a question. */
  used?(app: InstalledApp, project: string): void;
};

/** That an app gets files of a project without a question. Times are ISO 8601; null where an earlier version did not write them. */
export type FilePermission = {
  appId: string;
  /** Names it among those of the app. */
  id: string;
  project: string | null;
  since: string | null;
  usedAt: string | null;
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
export function openFileRecipients({ database, transact }: Tables, { now }: Pick<System, 'now'>) {
  const find = database.prepare('select 1 from file_recipients where app_id = ? and recipient = ?');
  const insert = database.prepare(
    'insert or ignore into file_recipients (app_id, recipient, project, since) values (?, ?, ?, ?)',
  );
  const use = database.prepare('update file_recipients set used_at = ? where app_id = ? and recipient = ?');
  const all = database.prepare(
    'select app_id as appId, recipient as id, project, since, used_at as usedAt from file_recipients order by app_id, since, project',
  );
  const remove = database.prepare('delete from file_recipients where app_id = ? and recipient = ?');
  const time = () => new Date(now()).toISOString();
  return {
    has: (app: InstalledApp, project: string) => find.get(app.appId, keyOf(app, project)) !== undefined,
    add(app: InstalledApp, project: string) {
      transact(() => insert.run(app.appId, keyOf(app, project), project, time()));
    },
    used(app: InstalledApp, project: string) {
      transact(() => use.run(time(), app.appId, keyOf(app, project)));
    },
    list: () => all.all().map((row) => ({ ...row })) as FilePermission[],
    /** The next file of the project asks again. */
    revoke(appId: string, id: string) {
      transact(() => remove.run(appId, id));
    },
  };
}
