import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { FolderError, readFolder } from '@svc/bundle/folder';
import {
  type Issue,
  LocalManifest,
  type Manifest,
  Setting,
  STORE_API_VERSION,
  STORE_GRANTS,
} from '@svc/contracts';
import { guarded, inBackground } from '@svc/contracts/guarded';
import { isObject } from '@svc/contracts/is-object';
import { footprintOf } from '@svc/permissions';
import { hasErrors, validateBundle } from '@svc/validator';
import { z } from 'zod';
import type { Events } from '../events/events.ts';
import type { DeveloperApp, Library } from '../library/library.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';

/** Editors save in several steps: a change is reported after this time without further changes, in milliseconds. */
const DEBOUNCE_MS = 100;

/**
 * How often the folder itself is checked, in milliseconds. File watchers do not reliably report that the watched folder was removed,
 * and never that it was replaced.
 */
const POLL_MS = 500;

/** Names that bundles never include. */
const isNeverRead = (name: string): boolean =>
  name !== '.svcignore' && (name.startsWith('.') || name === 'node_modules' || /\.svc-app$/i.test(name));

/** Distinguishes a folder from a replacement, even one that reuses the inode number; empty when the folder does not exist. */
const identityOf = (folder: string): Promise<string> =>
  stat(folder, { bigint: true }).then(
    ({ dev, ino, birthtimeNs }) => `${dev}:${ino}:${birthtimeNs}`,
    () => '',
  );

/**
 * Reports changes in a folder, debounced, until the signal is aborted. If the folder is removed, it waits until the folder exists
 * again.
 * @param onChange not called again before the previous call has finished
 */
function watchFolder(
  system: Pick<System, 'sleep'>,
  folder: string,
  onChange: () => Promise<void>,
  signal: AbortSignal,
): void {
  let watcher: FSWatcher | null = null;
  let identity: string | null = null;
  let changed = false;
  let settling = false;

  const pause = (ms: number) => system.sleep(ms, signal).catch(() => undefined);

  async function settle(): Promise<void> {
    if (settling) return;
    settling = true;
    try {
      while (changed && !signal.aborted) {
        changed = false;
        await pause(DEBOUNCE_MS);
        if (!changed && !signal.aborted) await onChange();
      }
    } finally {
      settling = false;
    }
  }

  function scheduleSettle(): void {
    changed = true;
    inBackground(settle());
  }

  function close(): void {
    watcher?.close();
    watcher = null;
  }

  function open(): void {
    const onEvent = (_event: string, name: string | null) => {
      if (!name?.split(path.sep).some(isNeverRead)) scheduleSettle();
    };
    try {
      watcher = watch(folder, { recursive: true }, guarded(onEvent));
      watcher.on('error', guarded(close));
    } catch {
      // The folder was removed meanwhile, or the system allows no more watchers: the next poll tries again.
      close();
    }
  }

  /** Watches again when the folder was replaced, or its watcher failed. */
  async function checkFolder(): Promise<void> {
    const before = identity;
    identity = await identityOf(folder);
    if (signal.aborted || (before === identity && watcher)) return;
    close();
    if (identity !== '') open();
    if (before !== null && before !== identity) scheduleSettle();
  }

  async function pollFolder(): Promise<void> {
    while (!signal.aborted) {
      await checkFolder();
      await pause(POLL_MS);
    }
    close();
  }

  inBackground(pollFolder());
}

/** Fields that only stores require; a folder under development may omit them. */
const PLACEHOLDERS = { publisher: 'developer', branding: { icon: 'assets/icon.png' }, permissions: [] };

const grants: readonly string[] = STORE_GRANTS;

const { remote } = LocalManifest.shape;

/** The manifest of a folder: that of the store, plus addresses of this machine, and without the fields that only a store requires. */
const DeveloperManifest = z.object({
  ...LocalManifest.shape,
  // The fields read here are the same in every version of the format.
  pluginApiVersion: z.int().transform(() => STORE_API_VERSION),
  remote: remote.extend({ domains: remote.shape.domains.default([]) }),
  // Clients never give the grants of built-in apps to other apps.
  grants: z
    .array(z.string())
    .transform((all) => all.filter((grant) => grants.includes(grant)))
    .optional(),
});

/** Removes fields that are not enforced and therefore parsed leniently. */
function withoutLooseEnds({ $schema, author, contributes, ...rest }: Record<string, unknown>) {
  const settings =
    isObject(contributes) && Array.isArray(contributes.settings) ? contributes.settings : undefined;
  return {
    ...rest,
    contributes: isObject(contributes)
      ? {
          ...contributes,
          ...(settings && { settings: settings.filter((item) => Setting.safeParse(item).success) }),
        }
      : contributes,
  };
}

/**
 * Parses the manifest of a developer folder for the rest of the runtime; unknown fields are dropped.
 * @param value a manifest without errors in dev mode
 * @returns null when the runtime cannot run the app, because its tools have no server
 */
export function asDeveloperManifest(value: unknown): Manifest | null {
  if (!isObject(value)) return null;
  const parsed = DeveloperManifest.safeParse({ ...PLACEHOLDERS, ...withoutLooseEnds(value) });
  return parsed.success ? (parsed.data as Manifest) : null;
}

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
    yanked: null,
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
  let yank: () => void = () => undefined;
  let state: DeveloperState = { issues: [], appId: null, fault: null };
  let last: DeveloperApp | null = null;
  let loading: Promise<unknown> = Promise.resolve();

  function show({ state: next, developed }: Loaded): DeveloperState {
    yank();
    yank = () => undefined;
    if (!developed) return next;
    // An app that the developer switched off stays off when the folder is read again.
    if (last?.app.appId === developed.app.appId) developed.app.on = last.app.on;
    try {
      yank = library.present(developed);
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
      yank();
    },
  };
}
