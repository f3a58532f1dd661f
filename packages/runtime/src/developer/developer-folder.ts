import { FolderError, readFolder } from '@svc/bundle/folder';
import type { Issue } from '@svc/contracts';
import { footprintOf } from '@svc/permissions';
import { hasErrors, validateBundle } from '@svc/validator';
import type { Events } from '../events/events.ts';
import type { DeveloperApp, Library } from '../library/library.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import { asDeveloperManifest } from './developer-manifest.ts';
import { watchFolder } from './watch-folder.ts';

/** The current state of a developer folder. */
export type DeveloperState = {
  /** Findings of the checks in dev mode. */
  issues: readonly Issue[];
  /** The app id while the folder is an app of the library; null if it is not. */
  appId: string | null;
  /** The reason other than findings why the folder is not an app; null if there is none. */
  fault: { code: 'unreadable' | 'no-server' | 'id-taken'; message: string } | null;
};

/** A folder under development. It is an app of the library while it is open. */
export type DeveloperFolder = {
  readonly state: DeveloperState;
  /** Reads the folder again now. The state from before is replaced, even if the folder is now invalid. */
  reload(): Promise<DeveloperState>;
  close(): void;
};

export type DeveloperDeps = { system: Pick<System, 'sleep'>; library: Library; events: Events };

type Loaded = { state: DeveloperState; developed: DeveloperApp | null };

const withFault = (
  issues: readonly Issue[],
  code: NonNullable<DeveloperState['fault']>['code'],
  message: string,
): Loaded => ({ state: { issues, appId: null, fault: { code, message } }, developed: null });

/** Reads and checks a folder. Errors are returned in the state. */
async function load(folder: string): Promise<Loaded> {
  let entries: DeveloperApp['entries'];
  try {
    entries = (await readFolder(folder)).entries;
  } catch (error) {
    if (error instanceof FolderError) return withFault([], 'unreadable', error.message);
    throw error;
  }
  const { issues, manifest: declared } = validateBundle(entries, { mode: 'dev' });
  if (hasErrors(issues)) return { state: { issues, appId: null, fault: null }, developed: null };
  const manifest = asDeveloperManifest(declared);
  if (!manifest)
    return withFault(issues, 'no-server', 'The tools have no server: set it in "remote.mcpUrl".');
  const { id: appId, version } = manifest;
  const app = {
    appId,
    version,
    manifest,
    // Developers who open their own folder agree to its permissions.
    consent: footprintOf(manifest),
    source: { kind: 'developer' as const, folder },
    on: true,
    withdrawn: null,
  };
  return { state: { issues, appId, fault: null }, developed: { app, entries } };
}

/**
 * Opens a folder under development: it is an app of the library until it is closed, and is read again after each change. It
 * never replaces an installed app with the same id, whose accounts it would otherwise get: the state is then `id-taken` until the
 * other app is removed and the folder is read again.
 * @param folder absolute path
 */
export async function openDeveloperFolder(
  { system, library, events }: DeveloperDeps,
  folder: string,
  onFault: (error: unknown) => void,
): Promise<DeveloperFolder> {
  const closed = new AbortController();
  let withdraw: () => void = () => undefined;
  let state: DeveloperState = { issues: [], appId: null, fault: null };
  let last: DeveloperApp | null = null;
  let loading: Promise<unknown> = Promise.resolve();

  function show({ state: next, developed }: Loaded): DeveloperState {
    withdraw();
    withdraw = () => undefined;
    if (!developed) return next;
    // An app that the developer switched off stays off when the folder is read again.
    if (last?.app.appId === developed.app.appId) developed.app.on = last.app.on;
    try {
      withdraw = library.present(developed);
    } catch (error) {
      if (!(error instanceof RuntimeError)) throw error;
      return { ...next, appId: null, fault: { code: 'id-taken', message: error.message } };
    }
    last = developed;
    return next;
  }

  async function loadNow(): Promise<DeveloperState> {
    const loaded = await load(folder);
    if (closed.signal.aborted) return state;
    state = show(loaded);
    events.emit({ type: 'developer-app-changed', appId: state.appId, folder, issues: state.issues.length });
    return state;
  }

  /** One reload at a time, so that an older result never replaces a newer one. */
  function reload(): Promise<DeveloperState> {
    const next = loading.then(loadNow);
    loading = next.catch(() => undefined);
    return next;
  }

  await reload();
  watchFolder(system, folder, () => reload().then(() => undefined, onFault), closed.signal);
  return {
    get state() {
      return state;
    },
    reload,
    close() {
      closed.abort();
      withdraw();
    },
  };
}
