import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import path from 'node:path';
import { RuntimeError } from '@svc/runtime';
import { systemKeyring } from '@svc/runtime/keyring';
import { pageOpener } from '@svc/runtime/page-opener';
import { LoopbackError, withLock } from '@svc/runtime/parts';
import { findRunningDesktop, type RunningDesktop } from '../control/find-running-desktop.ts';
import { type OpenDesktop, openDesktop } from '../open-desktop.ts';
import { UsageError, type World } from './command.ts';
import type { StartOptions } from './options.ts';

/** Of this package, or of the one that this program is bundled into. */
const PACKAGE = findPackageJSON(import.meta.url) as string;
const PAGE = path.join(path.dirname(PACKAGE), 'page', 'dist');

/** How long a start waits for another in the same folder, in milliseconds. */
const TIMEOUT_MS = 60_000;

/** What came of a start: a desktop of ours, or the one that runs in that folder already. */
export type Started = { opened: OpenDesktop } | { running: RunningDesktop };

/** What the system says when a port cannot be had, as a sentence. */
function portFault(error: unknown, port: number): unknown {
  if (!(error instanceof LoopbackError)) return error;
  const { code, message } = error;
  // Of a port that was not asked for, as that of panels is not, no option chooses another.
  if (code === 'EADDRINUSE') {
    return new UsageError(error.port === port ? `${message} Choose another port with --port.` : message);
  }
  if (code === 'EACCES') return new UsageError(`Port ${port} needs more rights: choose one above 1023.`);
  return error;
}

/** A fault as one line for the terminal. It holds no secret: what the runtime refuses says none, nor do errors of the system. */
const lineOf = (error: unknown): string =>
  error instanceof RuntimeError
    ? `${error.code}: ${error.message}`
    : String((error as Error)?.stack ?? error);

/** Opens an address in the person's browser. @returns whether it could */
export const openPageOf = ({ platform, env }: World): ((address: string) => Promise<boolean>) => {
  const open = pageOpener(platform, env);
  return async (address) => (await open?.(address)) ?? false;
};

function open(world: World, folder: string, options: StartOptions): Promise<OpenDesktop> {
  const { store, port, approvals, localApps, localConnectors, keyFile } = options;
  const { system, env, platform, arch, home, program, warn } = world;
  const { version } = JSON.parse(readFileSync(PACKAGE, 'utf8')) as { version: string };
  return openDesktop({
    ...{ folder, system, store, port, localApps, localConnectors },
    pageFolder: PAGE,
    storeToken: () => env.SVC_TOKEN || null,
    client: { name: 'svc desktop', version, platform, arch },
    keys: [
      ...(keyFile ? [] : [{ kind: 'keyring' as const, keyring: systemKeyring(env) }]),
      { kind: 'key-file', file: path.join(folder, 'vault.key') },
    ],
    // Without a browser of its own choosing, what a person has to open is shown on the page.
    openPage: options.open ? openPageOf(world) : async () => false,
    agents: { places: { home, env }, program },
    ...(approvals && { gateway: { approvals } }),
    onFault: (error) => warn(`desktop: ${lineOf(error)}`),
    onNote: (text) => warn(`desktop: ${text}`),
  }).catch((error: unknown) => {
    if (error instanceof TypeError) throw new UsageError(error.message);
    throw portFault(error, port);
  });
}

/**
 * Starts a desktop in a folder, or finds the one that runs there. Of two starts at once one opens, and the other finds it.
 * @throws UsageError
 */
export function startIn(world: World, folder: string, options: StartOptions): Promise<Started> {
  const { system, fetch, stopped } = world;
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(TIMEOUT_MS)]);
  return withLock(
    system,
    path.join(folder, 'desktop.lock'),
    async () => {
      const running = await findRunningDesktop(folder, { fetch, system });
      return running ? { running } : { opened: await open(world, folder, options) };
    },
    signal,
  );
}

/** Waits until the program is to end, and closes the desktop. */
export async function untilStopped({ stopped }: World, opened: OpenDesktop): Promise<void> {
  if (!stopped.aborted) {
    await new Promise((resolve) => stopped.addEventListener('abort', resolve, { once: true }));
  }
  await opened.close();
}

/** How long nobody uses a desktop that an agent started, before it ends, and how often that is looked at; in milliseconds. */
const IDLE_MS = 10 * 60_000;
const LOOK_MS = 15_000;

/** Waits until nobody uses the desktop any more, or the program is to end, and closes it. */
export async function untilIdle({ system, stopped }: World, opened: OpenDesktop): Promise<void> {
  while (!stopped.aborted && opened.idleMs() < IDLE_MS)
    await system.sleep(LOOK_MS, stopped).catch(() => undefined);
  await opened.close();
}
