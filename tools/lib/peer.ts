import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const TRIES = 600;
const PAUSE_MS = 50;

/** Runs work with an HTTP server of another vendor. @param url URL of the server */
export async function whilePeerServes<T>(
  command: string,
  args: readonly string[],
  url: string,
  work: () => Promise<T>,
): Promise<T> {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  try {
    for (let tries = 1; !(await fetch(url).catch(() => null)); tries += 1) {
      if (child.exitCode !== null || tries === TRIES) throw new Error(`${command} did not start.`);
      await sleep(PAUSE_MS);
    }
    return await work();
  } finally {
    // SIGTERM, so that it stops its workers too.
    child.kill('SIGTERM');
  }
}

/**
 * Installs an npm package into a folder, without install scripts.
 * @param overrides versions of dependencies that are not available otherwise
 */
export function install(folder: string, wanted: string, overrides: Record<string, string> = {}): void {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, overrides }));
  const args = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts', wanted];
  const { status } = spawnSync('npm', args, { stdio: 'ignore' });
  if (status !== 0) throw new Error(`${wanted} cannot be installed.`);
}
