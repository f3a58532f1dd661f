import { spawn } from 'node:child_process';
import { type FileHandle, rm } from 'node:fs/promises';
import path from 'node:path';
import { newPrivateFile, openPrivateFolder } from '@svc/runtime/parts';
import type { CommandContext } from '../commands/command.ts';
import { findRunningDesktop, type RunningDesktop } from '../control/find-running-desktop.ts';

/** Timeout of a start, and polling interval, in milliseconds. */
const START_MS = 30_000;
const POLL_MS = 100;
/** Most attempts to make a log. */
const MAX_TRIES = 100;

/** Options of a desktop that is started. */
export type StartSettings = { store: string; localApps: boolean; localConnectors: boolean };

type Deps = Pick<CommandContext, 'system' | 'program' | 'stopped'> & Partial<Pick<CommandContext, 'env'>>;

/** A new log. Gateways that start desktops at the same time each remove the log of the other; the desktop that is first stays. */
async function newLog(file: string): Promise<FileHandle> {
  for (let tries = 1; ; tries += 1) {
    await rm(file, { force: true });
    try {
      return await newPrivateFile(file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || tries === MAX_TRIES) throw error;
    }
  }
}

/** Starts a detached desktop that exits when idle. Its errors go to a log file, because it has no terminal. */
async function startDetached(
  { program: [command, ...first], env }: Deps,
  folder: string,
  { store, localApps, localConnectors }: StartSettings,
) {
  openPrivateFolder(folder);
  const log = await newLog(path.join(folder, 'desktop.log'));
  const base = ['desktop', '--no-open', '--until-idle', '--folder', folder, '--store', store];
  const args = [
    ...base,
    ...(localApps ? ['--local-apps'] : []),
    ...(localConnectors ? ['--local-connectors'] : []),
  ];
  try {
    // Its standard output contains the link to its page, which must not be logged.
    const child = spawn(command, [...first, ...args], {
      detached: true,
      stdio: ['ignore', 'ignore', log.fd],
      ...(env && { env }),
    });
    child.on('error', () => undefined);
    child.unref();
    return child;
  } finally {
    await log.close();
  }
}

/**
 * Finds the desktop of a folder, or starts one.
 * @throws Error that names the log file if the start fails
 */
export async function findOrStartDesktop(
  deps: Deps,
  folder: string,
  settings: StartSettings,
): Promise<RunningDesktop> {
  const { system, stopped } = deps;
  const running = await findRunningDesktop(folder, deps);
  if (running) return running;
  const child = await startDetached(deps, folder, settings);
  const until = system.now() + START_MS;
  while (system.now() < until && child.exitCode === null) {
    await system.sleep(POLL_MS, stopped);
    const started = await findRunningDesktop(folder, deps);
    if (started) return started;
  }
  // Another process may have started one first, so that this one exited.
  const other = await findRunningDesktop(folder, deps);
  if (other) return other;
  throw new Error(`svc desktop did not start. See ${path.join(folder, 'desktop.log')}.`);
}
