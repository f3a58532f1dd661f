import type { BundleEntries } from '@svc/bundle';
import { readBundle } from '@svc/bundle';
import type { BuiltInApp } from '../built-in/built-in-app.ts';
import { isSameAddress } from '../connectors/canonical-address.ts';
import type { Events } from '../events/events.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import { deleteApp, putApp, readApp, readApps, writeSwitch } from './app-table.ts';
import { type Client, requireMachine } from './client.ts';
import { type InstalledApp, localPartOf } from './installed-app.ts';
import { inTransaction } from './library-database.ts';
import { dropBundle, type LibraryStorage } from './library-storage.ts';
import { missingRequired, type Presence, type Requirement, requirementsOf } from './requirements.ts';

/** The app of a folder that a developer has open, which lives as long as that. */
export type DeveloperApp = { app: InstalledApp; entries: BundleEntries };

/** What is on this computer. Each answer is read again, so that what another process did counts at once. */
export type Library = {
  /** All apps in the order of their ids; switched as in a project, or as everywhere when none is given. */
  list(project?: string): InstalledApp[];
  get(appId: string, project?: string): InstalledApp | null;
  /**
   * The app, when it may do something now. Calls and panels ask here, each time.
   * @throws RuntimeError `not-installed`, `withdrawn`, `switched-off`, `not-for-this-machine`, `requirement-missing`
   */
  requireUsable(appId: string, project?: string): InstalledApp;
  /** The apps for which `requireUsable` says yes now, found out at once. */
  usable(project?: string): InstalledApp[];
  /** What an app, or that of an id, needs, and whether it is there. @throws RuntimeError `not-installed` */
  requirementsOf(app: Pick<InstalledApp, 'manifest'> | string, project?: string): Requirement[];
  /**
   * Switches an app on or off in a project. Without one it is everywhere, and projects have no switch of their own any more.
   * @throws RuntimeError `not-installed`; `withdrawn` or `not-for-this-machine` when it cannot be switched on
   */
  switch(appId: string, on: boolean, project?: string): void;
  /**
   * Adds a hosted MCP server, or changes it.
   * @throws RuntimeError `id-taken` when an app of another kind has that id
   */
  addConnector(app: InstalledApp): void;
  /** @throws RuntimeError `not-installed` */
  remove(appId: string): void;
  /**
   * The files of an app.
   * @throws RuntimeError `not-installed`; `not-verified` when the bundle on the disk is not the one that was installed
   */
  files(appId: string): Promise<BundleEntries>;
  /**
   * One file of a bundle that is kept on this computer, also of one that is verified and waits for the user's consent.
   * @param sha256 of the bundle
   * @returns null when there is no such bundle, or no such file in it
   */
  bundleFile(sha256: string, file: string): Promise<Uint8Array | null>;
  /**
   * Shows the app of a developer's folder beside the others, until what is returned is called. It never stands in the place
   * of an app that is installed, as it would be handed that one's accounts.
   * @throws RuntimeError `id-taken`
   */
  present(developed: DeveloperApp): () => void;
};

export type LibraryDeps = {
  storage: LibraryStorage;
  events: Events;
  client: Client;
  /** Apps that this client brings. Those of another client that uses the folder are none here. */
  builtIn?: readonly Pick<BuiltInApp, 'app' | 'icon'>[] | undefined;
  /** Whether local connectors may be used. Where not, those of another client that uses the folder are none here either. */
  localConnectors?: boolean | undefined;
};

/** Anything else could be the path of another file. */
const SHA256 = /^[0-9a-f]{64}$/;

const idTaken = (appId: string): RuntimeError =>
  new RuntimeError('id-taken', undefined, { detail: { appId } });

/** What is installed on this computer, with the switches of its projects. */
export function createLibrary({
  storage,
  events,
  client,
  builtIn = [],
  localConnectors = false,
}: LibraryDeps): Library {
  const { database, bundles } = storage;
  const own = new Map(builtIn.map(({ app, icon }) => [app.appId, icon]));
  inTransaction(database, () => {
    for (const { app } of builtIn) putApp(database, app);
  });
  const isHere = (app: InstalledApp) =>
    (app.source.kind !== 'built-in' || own.has(app.appId)) && (localConnectors || !localPartOf(app));
  const developed = new Map<string, DeveloperApp>();

  function get(appId: string, project?: string): InstalledApp | null {
    const installed = readApp(database, appId, project ?? null);
    return installed && isHere(installed) ? installed : (developed.get(appId)?.app ?? null);
  }

  function require(appId: string, project?: string): InstalledApp {
    const app = get(appId, project);
    if (!app) throw new RuntimeError('not-installed', undefined, { detail: { appId } });
    return app;
  }

  function list(project?: string): InstalledApp[] {
    const installed = readApps(database, project ?? null).filter(isHere);
    const ids = new Set(installed.map(({ appId }) => appId));
    const others = [...developed.values()].map(({ app }) => app).filter(({ appId }) => !ids.has(appId));
    return [...installed, ...others].sort((a, b) => (a.appId < b.appId ? -1 : 1));
  }

  function presenceOf(kind: Requirement['kind'], name: string, project?: string): Presence {
    const found =
      kind === 'app'
        ? get(name, project)
        : list(project).find(({ source }) => source.kind === 'connector' && isSameAddress(source.url, name));
    if (!found) return kind === 'app' && client.builtInApps.includes(name) ? 'here' : 'missing';
    if (found.withdrawn) return 'withdrawn';
    return found.on ? 'here' : 'off';
  }

  const requirements = ({ manifest }: Pick<InstalledApp, 'manifest'>, project?: string) =>
    requirementsOf(manifest, (kind, name) => presenceOf(kind, name, project));

  function admit(app: InstalledApp, project?: string): InstalledApp {
    const { appId } = app;
    if (app.withdrawn)
      throw new RuntimeError('withdrawn', undefined, { detail: { appId, ...app.withdrawn } });
    if (!app.on) throw new RuntimeError('switched-off', undefined, { detail: { appId } });
    requireMachine(app.manifest, client);
    const missing = missingRequired(requirements(app, project));
    if (missing.length > 0)
      throw new RuntimeError('requirement-missing', undefined, { detail: { appId, missing } });
    return app;
  }

  function isUsable(app: InstalledApp, project?: string): boolean {
    try {
      admit(app, project);
      return true;
    } catch (error) {
      if (error instanceof RuntimeError) return false;
      throw error;
    }
  }

  function switchApp(appId: string, on: boolean, project?: string): void {
    const app = inTransaction(database, () => {
      const found = require(appId, project);
      if (on && found.withdrawn)
        throw new RuntimeError('withdrawn', undefined, { detail: { appId, ...found.withdrawn } });
      if (on) requireMachine(found.manifest, client);
      if (developed.get(appId)?.app === found) found.on = on;
      else writeSwitch(database, appId, on, project ?? null);
      return found;
    });
    events.emit({ type: 'app-switched', appId, version: app.version, on, project: project ?? null });
  }

  function addConnector(app: InstalledApp): void {
    const before = inTransaction(database, () => {
      const found = get(app.appId);
      if (found && found.source.kind !== 'connector') throw idTaken(app.appId);
      putApp(database, app);
      return found;
    });
    events.emit({ type: before ? 'app-updated' : 'app-installed', appId: app.appId, version: app.version });
  }

  function remove(appId: string): void {
    const app = inTransaction(database, () => {
      const found = readApp(database, appId, null);
      if (!found) throw new RuntimeError('not-installed', undefined, { detail: { appId } });
      deleteApp(database, appId);
      return found;
    });
    if (app.source.kind === 'store') dropBundle(storage, app.source.sha256);
    events.emit({ type: 'app-removed', appId, version: app.version });
  }

  async function files(appId: string): Promise<BundleEntries> {
    const { source, manifest } = require(appId);
    if (source.kind === 'developer') return developed.get(appId)?.entries ?? new Map();
    if (source.kind === 'built-in') {
      const [path, icon] = [manifest.branding?.icon, own.get(appId)];
      return new Map(path && icon ? [[path, new TextEncoder().encode(icon)]] : []);
    }
    if (source.kind === 'connector') return new Map();
    const bytes = await bundles.read(source.sha256);
    const reading = bytes && readBundle(bytes);
    if (reading?.ok) return reading.entries;
    throw new RuntimeError('not-verified', 'The bundle on the disk is damaged: install the app again.', {
      detail: { appId },
    });
  }

  async function bundleFile(sha256: string, file: string): Promise<Uint8Array | null> {
    const bytes = SHA256.test(sha256) ? await bundles.read(sha256) : null;
    const reading = bytes && readBundle(bytes);
    return (reading?.ok && reading.entries.get(file)) || null;
  }

  function present(one: DeveloperApp): () => void {
    const { appId } = one.app;
    if (get(appId)) throw idTaken(appId);
    developed.set(appId, one);
    return () => {
      if (developed.get(appId) === one) developed.delete(appId);
    };
  }

  return {
    list,
    get,
    requireUsable: (appId, project) => admit(require(appId, project), project),
    usable: (project) => list(project).filter((app) => isUsable(app, project)),
    requirementsOf: (app, project) => requirements(typeof app === 'string' ? require(app) : app, project),
    switch: switchApp,
    addConnector,
    remove,
    files,
    bundleFile,
    present,
  };
}
