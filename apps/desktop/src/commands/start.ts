import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import path from 'node:path';
import { asRefusal } from '@svc/runtime';
import { machineFile } from '@svc/runtime/env-proxy';
import { systemKeyring } from '@svc/runtime/keyring';
import { givenNetworks, managedOptions, mirrorsIn } from '@svc/runtime/machine-settings';
import { type PagePlace, pageOpener, removePages } from '@svc/runtime/page-opener';
import { LoopbackError, storeAddress, withLock } from '@svc/runtime/parts';
import { findRunningDesktop, type RunningDesktop } from '../control/find-running-desktop.ts';
import { createLinks } from '../links/links.ts';
import { type OpenDesktop, openDesktop } from '../open-desktop.ts';
import { loginToken } from '../store-session.ts';
import { isMetered } from '../updates/is-metered.ts';
import { type CommandContext, UsageError } from './command.ts';
import { commandOf, defaultFolder, type StartOptions } from './options.ts';

/** The `package.json` of this package, or of the one that it is bundled into. */
const PACKAGE = findPackageJSON(import.meta.url) as string;
/** The built page. */
export const PAGE = path.join(path.dirname(PACKAGE), 'page', 'dist');

/** How long to wait for another start in the same folder, in milliseconds. */
const TIMEOUT_MS = 60_000;

/** A desktop that this process opened, or the one that is already running in the folder. */
export type Started = { opened: OpenDesktop } | { running: RunningDesktop };

/** Converts a port error to a UsageError. */
function portFault(error: unknown, port: number): unknown {
  if (!(error instanceof LoopbackError)) return error;
  const { code, message } = error;
  // Other ports, such as that of panels, cannot be chosen with an option.
  if (code === 'EADDRINUSE') {
    return new UsageError(error.port === port ? `${message} Choose another port with --port.` : message);
  }
  if (code === 'EACCES')
    return new UsageError(`Port ${port} needs elevated privileges. Choose one above 1023.`);
  return error;
}

/** Formats an error for the terminal. Neither runtime errors nor system errors contain secrets. */
function lineOf(error: unknown): string {
  const refusal = asRefusal(error);
  return refusal ? `${refusal.code}: ${refusal.message}` : String((error as Error)?.stack ?? error);
}

/** Opens a URL in the user's browser. @returns whether it succeeded */
export const openPageOf = (place: PagePlace): ((address: string) => Promise<boolean>) => {
  const open = pageOpener(place);
  return async (address) => (await open?.(address)) ?? false;
};

/** @throws UsageError */
function networksOf(env: CommandContext['env'], platform: NodeJS.Platform): readonly string[] | null {
  try {
    return givenNetworks(env, machineFile(platform, env), platform);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** The key of the store and the settings of the company. @throws UsageError for another store than the company's */
function managedOf(env: CommandContext['env'], platform: NodeJS.Platform, given: string) {
  const file = machineFile(platform, env);
  try {
    const { store, ...options } = managedOptions(file, platform);
    if (store === null || storeAddress(given) === store) return options;
    throw new TypeError(`The store of this computer is ${store}, as its operator set in ${file}.`);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function open(context: CommandContext, folder: string, options: StartOptions): Promise<OpenDesktop> {
  const { store, port, approvals, localApps, localConnectors, keyFile } = options;
  const { system, env, platform, arch, home, program, warn } = context;
  const place = { platform, env, folder };
  const { version } = JSON.parse(readFileSync(PACKAGE, 'utf8')) as { version: string };
  return openDesktop({
    ...{ folder, system, store, port, localApps, localConnectors },
    ...managedOf(env, platform, store),
    mirrors: mirrorsIn(env),
    pageFolder: PAGE,
    command: commandOf(options),
    givenNetworks: networksOf(env, platform),
    storeToken: () => env.SVC_TOKEN || null,
    loginToken: loginToken({ env, home, keyring: systemKeyring(env) }, store),
    client: { name: 'svc desktop', version, platform, arch },
    keys: [
      ...(keyFile ? [] : [{ kind: 'keyring' as const, keyring: systemKeyring(env) }]),
      { kind: 'key-file', file: path.join(folder, 'vault.key') },
    ],
    // With --no-open, the page shows the URLs that the user must open.
    openPage: options.open ? openPageOf(place) : async () => false,
    isMetered: () => isMetered(platform, env),
    removePages: (olderThanMs) => removePages(place, olderThanMs),
    agents: { places: { home, env }, program },
    ...(folder === defaultFolder(context, 'desktop') && {
      links: createLinks({ ...context, folder, store }),
    }),
    ...(approvals && { gateway: { approvals } }),
    onFault: (error) => warn(`desktop: ${lineOf(error)}`),
    onNote: (text) => warn(`desktop: ${text}`),
  }).catch((error: unknown) => {
    if (error instanceof TypeError) throw new UsageError(error.message);
    throw portFault(error, port);
  });
}

/**
 * Starts a desktop in a folder, or finds the running one. Of two starts at the same time, one opens it and the other finds it.
 * @throws UsageError
 */
export function startIn(context: CommandContext, folder: string, options: StartOptions): Promise<Started> {
  const { system, stopped } = context;
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(TIMEOUT_MS)]);
  return withLock(
    system,
    path.join(folder, 'desktop.lock'),
    async () => {
      const running = await findRunningDesktop(folder, { system });
      return running ? { running } : { opened: await open(context, folder, options) };
    },
    signal,
  );
}

/** Waits for the stop signal, and closes the desktop. */
export async function untilStopped({ stopped }: CommandContext, opened: OpenDesktop): Promise<void> {
  if (!stopped.aborted) {
    await new Promise((resolve) => stopped.addEventListener('abort', resolve, { once: true }));
  }
  await opened.close();
}

/** Idle time after which a desktop that an agent started exits, and how often it is checked, in milliseconds. */
const IDLE_MS = 10 * 60_000;
const CHECK_MS = 15_000;

/** Waits until the desktop is idle or the stop signal arrives, and closes it. */
export async function untilIdle({ system, stopped }: CommandContext, opened: OpenDesktop): Promise<void> {
  while (!stopped.aborted && opened.idleMs() < IDLE_MS)
    await system.sleep(CHECK_MS, stopped).catch(() => undefined);
  await opened.close();
}
