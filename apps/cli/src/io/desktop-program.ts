import { spawn } from 'node:child_process';
import { getCompileCacheDir } from 'node:module';
import { constants } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { guarded } from '@svc/contracts/guarded';

/** Signals that end programs. A terminal sends SIGINT to the desktop too; all others are forwarded, and a SIGINT that no terminal sent. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export const desktopProgram = (): string => fileURLToPath(import.meta.resolve('#desktop'));

/** The environment of the desktop: this process's, plus the folder of Node's compile cache. */
function environment(): NodeJS.ProcessEnv {
  const compiled = getCompileCacheDir();
  return compiled ? { ...process.env, NODE_COMPILE_CACHE: dirname(compiled) } : process.env;
}

/**
 * Runs the desktop program with the terminal of this process, until it exits.
 * @param words its arguments
 * @returns its exit code; 128 plus the number of the signal that ended it, as in shells
 */
export async function runDesktop(words: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [desktopProgram(), ...words], {
    stdio: 'inherit',
    env: environment(),
  });
  const isSent = (signal: NodeJS.Signals) => signal !== 'SIGINT' || !process.stdin.isTTY;
  const forward = guarded((signal: NodeJS.Signals) => isSent(signal) && child.kill(signal));
  for (const signal of SIGNALS) process.on(signal, forward);
  try {
    return await new Promise<number>((resolve, reject) => {
      child.on('error', reject);
      const ended = (code: number | null, signal: NodeJS.Signals | null) =>
        resolve(code ?? 128 + (signal ? constants.signals[signal] : 0));
      child.once('exit', guarded(ended));
    });
  } finally {
    for (const signal of SIGNALS) process.removeListener(signal, forward);
  }
}
