import { spawn } from 'node:child_process';
import { getCompileCacheDir } from 'node:module';
import { constants } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Signals that end programs. From the terminal they reach the desktop too, which ends by itself; others we pass on. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The file of the desktop's program. */
export const desktopProgram = (): string => fileURLToPath(import.meta.resolve('#desktop'));

/** The environment of the desktop: ours, and where Node keeps what it compiles of us, below a folder for its own version. */
function environment(): NodeJS.ProcessEnv {
  const compiled = getCompileCacheDir();
  return compiled ? { ...process.env, NODE_COMPILE_CACHE: dirname(compiled) } : process.env;
}

/**
 * Runs the program of the desktop in place of ours: with our terminal, and until it ends.
 * @param words what follows its name
 * @returns its exit code; 128 and the number of the signal when one ended it, as shells have it
 */
export async function runDesktop(words: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [desktopProgram(), ...words], {
    stdio: 'inherit',
    env: environment(),
  });
  const passOn = (signal: NodeJS.Signals) => void (signal !== 'SIGINT' && child.kill(signal));
  for (const signal of SIGNALS) process.on(signal, passOn);
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
    });
  } finally {
    for (const signal of SIGNALS) process.removeListener(signal, passOn);
  }
}
