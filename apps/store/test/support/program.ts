import { type ChildProcess, spawn } from 'node:child_process';
import { bareEnvironment, ownProgram } from '@svc/testkit';
import { expect, onTestFinished } from 'vitest';

const MAIN = ownProgram('store');

/** A running program: its output, and its exit code once it has ended; null after a signal. */
export type Program = {
  child: ChildProcess;
  output: { out: string; err: string };
  exit: Promise<number | null>;
};

/**
 * Runs `svc-store`, and ends it after the test.
 * @param environment all its settings; no other variable is passed on
 * @param words arguments of `svc-store`
 * @param shell commands for a POSIX shell to run first, such as a limit
 * @param main the program of another version
 */
export function start(
  environment: Record<string, string>,
  words: string[] = [],
  shell = '',
  main = MAIN,
): Program {
  const command = [process.execPath, main, ...words];
  // Without the compile cache of Node, which would count against the limits of the program.
  const own = shell === '' ? bareEnvironment() : { PATH: process.env.PATH };
  const env = { ...own, ...environment };
  const child = spawn('sh', ['-c', `${shell}\nexec "$@"`, 'sh', ...command], { env });
  onTestFinished(() => void child.kill('SIGKILL'));
  const output = { out: '', err: '' };
  child.stdout.on('data', (text) => {
    output.out += text;
  });
  child.stderr.on('data', (text) => {
    output.err += text;
  });
  const exit = new Promise<number | null>((resolve) => child.on('close', resolve));
  return { child, output, exit };
}

/** The port of a store started with `PORT=0`, once it listens. */
export async function portOf({ output }: Program): Promise<number> {
  await expect.poll(() => output.out).toContain('"port":');
  return Number(/"port":(\d+)/.exec(output.out)?.[1]);
}
