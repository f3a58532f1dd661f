import { type BundleEntries, readBundle } from '@svc/bundle';
import { LIMITS } from '@svc/contracts';
import type { BuiltInApp } from '../built-in/built-in-app.ts';
import { isSameAddress } from '../connectors/connector-app.ts';
import type { Events } from '../events/events.ts';
import { type ManagedSubject, requireNotRequired } from '../managed/rules.ts';
import type { ManagedState } from '../managed/state.ts';
import { modelHead } from '../models/model-names.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { RuntimeOptions } from '../runtime-options.ts';
import { deleteApp, putApp, readApp, readApps, writeSwitch } from './app-table.ts';
import {
  type Client,
  missingRequired,
  type Presence,
  type Requirement,
  requireMachine,
  requirementsOf,
} from './client.ts';
import { type InstalledApp, localPartOf, requireEnabled } from './installed-app.ts';
import { dropBundle, type LibraryStorage } from './library-storage.ts';

/** The app of an open developer folder. */
export type DeveloperApp = { app: InstalledApp; entries: BundleEntries };

/** The installed apps. Every method reads the database, so that changes of other processes are visible immediately. */
export type Library = {
  /** All apps by id, with their switches in a project, or the global ones. */
  list(project?: string): InstalledApp[];
  get(appId: string, project?: string): InstalledApp | null;
  /**
   * Returns an app that can be used now. Calls and panels check this each time.
   * @throws RuntimeError `not-installed`, `yanked`, `switched-off`, `not-allowed`, `not-for-this-machine`, `requirement-missing`
   */
  requireUsable(appId: string, project?: string): InstalledApp;
  /** Why the company does not allow an app or connector, also one that is not installed; null where it does. */
  refusal(app: ManagedSubject): RuntimeError | null;
  /** The apps that can be used now. */
  usable(project?: string): InstalledApp[];
  /** The requirements of an app, and whether each is met. @throws RuntimeError `not-installed` */
  requirementsOf(app: Pick<InstalledApp, 'manifest'> | string, project?: string): Requirement[];
  /**
   * Switches an app on or off in a project; without a project globally, which removes the switches of projects.
   * @throws RuntimeError `not-installed`; `yanked`, `not-allowed` or `not-for-this-machine` when it cannot be switched on;
   *   `not-allowed` for one that the company requires
   */
  switch(appId: string, on: boolean, project?: string): void;
  /**
   * Adds or updates a connector.
   * @throws RuntimeError `id-taken` when an app of another kind has that id; `not-allowed`
   */
  addConnector(app: InstalledApp): void;
  /** Gives a connector the account of this record of it, without ending its calls. @returns takes it away again */
  addAccount(app: InstalledApp): () => void;
  /** Ends the programs of local connectors that are no longer allowed, and emits `app-switched` for each local connector. */
  localConnectorsChanged(): void;
  /** @throws RuntimeError `not-installed` */
  remove(appId: string): void;
  /**
   * Reads the files of an app.
   * @throws RuntimeError `not-installed`; `not-verified` when the bundle on the disk is not the one that was installed
   */
  files(appId: string): Promise<BundleEntries>;
  /**
   * Reads a file of a stored bundle, also of one that is verified and waits for the user's consent.
   * @param sha256 of the bundle
   * @returns null when there is no such bundle, or no such file in it
   */
  bundleFile(sha256: string, file: string): Promise<Uint8Array | null>;
  /**
   * Adds the app of a developer folder, until the returned function is called. It never replaces an installed app, whose accounts it
   * would otherwise get.
   * @throws RuntimeError `id-taken`, `not-allowed`
   */
  present(developed: DeveloperApp): () => void;
};

export type LibraryDeps = {
  storage: LibraryStorage;
  events: Events;
  client: Client;
  builtIn?: readonly Pick<BuiltInApp, 'app' | 'icon'>[] | undefined;
  /** Whether local connectors may be used. If not, those of other clients of the folder are ignored. */
  localConnectors?: RuntimeOptions['localConnectors'] | undefined;
  /** What the company has in force. Default: nothing. */
  managed?: Pick<ManagedState, 'refusal' | 'rules'> | undefined;
};

/** Whether local connectors are allowed now. */
export const isAllowed = (allowed: RuntimeOptions['localConnectors']): boolean =>
  typeof allowed === 'function' ? allowed() : allowed === true;

/** Any other text could be the path of another file. */
const SHA256 = /^[0-9a-f]{64}$/;

const idTaken = (appId: string): RuntimeError =>
  new RuntimeError('id-taken', undefined, { detail: { appId } });

/** Creates the library: the installed apps of this computer, with the switches of projects. */
export function createLibrary({
  storage,
  events,
  client,
  builtIn = [],
  localConnectors = false,
  managed,
}: LibraryDeps): Library {
  const { database, bundles, transact } = storage;
  const own = new Map(builtIn.map(({ app, icon }) => [app.appId, icon]));
  transact(() => {
    for (const { app } of builtIn) putApp(database, app);
  });
  const isHere = (app: InstalledApp) =>
    (app.source.kind !== 'built-in' || own.has(app.appId)) &&
    (localPartOf(app) === null || isAllowed(localConnectors));
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
    const match =
      kind === 'app'
        ? get(name, project)
        : list(project).find(({ source }) => source.kind === 'connector' && isSameAddress(source.url, name));
    if (!match) return kind === 'app' && client.builtInApps.includes(name) ? 'here' : 'missing';
    if (match.yanked) return 'yanked';
    return match.on ? 'here' : 'off';
  }

  const requirements = ({ manifest }: Pick<InstalledApp, 'manifest'>, project?: string) =>
    requirementsOf(manifest, (kind, name) => presenceOf(kind, name, project));

  const refusal = (app: ManagedSubject) => managed?.refusal(app) ?? null;

  function requireAllowed(app: InstalledApp): void {
    const refused = refusal(app);
    if (refused) throw refused;
  }

  function admit(app: InstalledApp, project?: string): InstalledApp {
    requireEnabled(app);
    requireAllowed(app);
    requireMachine(app.manifest, client);
    const missing = missingRequired(requirements(app, project));
    if (missing.length > 0)
      throw new RuntimeError('requirement-missing', undefined, { detail: { appId: app.appId, missing } });
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
    const app = transact(() => {
      const target = require(appId, project);
      if (on && target.yanked)
        throw new RuntimeError('yanked', undefined, { detail: { appId, ...target.yanked } });
      if (on) requireAllowed(target);
      else requireNotRequired(managed?.rules() ?? [], target);
      if (on) requireMachine(target.manifest, client);
      if (developed.get(appId)?.app === target) target.on = on;
      else writeSwitch(database, appId, on, project ?? null);
      return target;
    });
    events.emit({ type: 'app-switched', appId, version: app.version, on, project: project ?? null });
  }

  function localConnectorsChanged(): void {
    for (const app of readApps(database, null).filter((one) => localPartOf(one) !== null)) {
      const { appId, version } = app;
      events.emit({ type: 'app-switched', appId, version, on: app.on && isHere(app), project: null });
    }
  }

  /** The app under a name by which no other app's tools are called: people tell connectors by their names, and models their tools. */
  function uniquelyNamed(app: InstalledApp): InstalledApp {
    const { name } = app.manifest;
    const others = list().filter(({ appId }) => appId !== app.appId);
    const taken = new Set([...others, ...builtIn.map((own) => own.app)].map(modelHead));
    const renamed = (to: string) => ({ ...app, manifest: { ...app.manifest, name: to } });
    for (let n = 1; ; n += 1) {
      const suffix = n === 1 ? '' : ` ${n}`;
      const candidate = renamed(name.slice(0, LIMITS.manifest.name - suffix.length) + suffix);
      if (!taken.has(modelHead(candidate))) return candidate;
    }
  }

  function addConnector(app: InstalledApp): void {
    requireAllowed(app);
    const before = transact(() => {
      const existing = get(app.appId);
      if (existing && existing.source.kind !== 'connector') throw idTaken(app.appId);
      putApp(database, uniquelyNamed(app));
      return existing;
    });
    events.emit({ type: before ? 'app-updated' : 'app-installed', appId: app.appId, version: app.version });
  }

  function addAccount({ appId, manifest: { accounts = [] } }: InstalledApp): () => void {
    // Of the app as it is now: it may be renamed or removed while the user signs in.
    const replace = (before: number, after: typeof accounts): boolean => {
      const isReplaced = transact(() => {
        const app = get(appId);
        if (app?.source.kind !== 'connector' || app.manifest.accounts?.length !== before) return false;
        putApp(database, { ...app, manifest: { ...app.manifest, accounts: after } });
        return true;
      });
      if (isReplaced) events.emit({ type: 'connector-changed', appId });
      return isReplaced;
    };
    const isAdded = replace(0, accounts);
    return () => void (isAdded && replace(accounts.length, []));
  }

  function remove(appId: string): void {
    const app = transact(() => {
      const installed = readApp(database, appId, null);
      if (!installed) throw new RuntimeError('not-installed', undefined, { detail: { appId } });
      deleteApp(database, appId);
      return installed;
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

  function present(developerApp: DeveloperApp): () => void {
    const { appId } = developerApp.app;
    requireAllowed(developerApp.app);
    if (get(appId)) throw idTaken(appId);
    developed.set(appId, developerApp);
    return () => {
      if (developed.get(appId) === developerApp) developed.delete(appId);
    };
  }

  return {
    list,
    get,
    requireUsable: (appId, project) => admit(require(appId, project), project),
    usable: (project) => list(project).filter((app) => isUsable(app, project)),
    requirementsOf: (app, project) => requirements(typeof app === 'string' ? require(app) : app, project),
    refusal,
    switch: switchApp,
    addConnector,
    addAccount,
    localConnectorsChanged,
    remove,
    files,
    bundleFile,
    present,
  };
}
