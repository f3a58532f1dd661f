import { spawn } from 'node:child_process';
import { mkdir, open } from 'node:fs/promises';
import path from 'node:path';
import type { World } from '../commands/command.ts';
import { findRunningDesktop, type RunningDesktop } from '../control/find-running-desktop.ts';

/** How long a desktop may take to start, and how often it is looked for, in milliseconds. */
const START_MS = 30_000;
const LOOK_MS = 100;

/** How a desktop is started where none runs. */
export type Wanted = { store: string; localApps: boolean; localConnectors: boolean };

type Deps = Pick<World, 'system' | 'fetch' | 'program' | 'stopped'>;

/** Starts a desktop that outlives this process, and ends by itself. Its faults go to a file, as nobody sees its terminal. */
async function startDetached(
  { program: [command, ...first] }: Deps,
  folder: string,
  { store, localApps, localConnectors }: Wanted,
) {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const log = await open(path.join(folder, 'desktop.log'), 'w', 0o600);
  const usual = ['desktop', '--no-open', '--until-idle', '--folder', folder, '--store', store];
  const words = [
    ...usual,
    ...(localApps ? ['--local-apps'] : []),
    ...(localConnectors ? ['--local-connectors'] : []),
  ];
  try {
    // Its standard output has the link to its page, which is nobody's to read here.
    const child = spawn(command, [...first, ...words], {
      detached: true,
      stdio: ['ignore', 'ignore', log.fd],
    });
    child.on('error', () => undefined);
    child.unref();
    return child;
  } finally {
    await log.close();
  }
}

/**
 * The desktop of a folder, started where none runs.
 * @throws Error that says where to look when none comes up
 */
export async function reachDesktop(deps: Deps, folder: string, wanted: Wanted): Promise<RunningDesktop> {
  const { system, stopped } = deps;
  const running = await findRunningDesktop(folder, deps);
  if (running) return running;
  const child = await startDetached(deps, folder, wanted);
  const until = system.now() + START_MS;
  while (system.now() < until && child.exitCode === null) {
    await system.sleep(LOOK_MS, stopped);
    const started = await findRunningDesktop(folder, deps);
    if (started) return started;
  }
  // Another may have come first, so that ours ended.
  const other = await findRunningDesktop(folder, deps);
  if (other) return other;
  throw new Error(`The desktop did not start. ${path.join(folder, 'desktop.log')} says why.`);
}
