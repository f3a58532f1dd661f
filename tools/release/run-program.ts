import { spawnSync } from 'node:child_process';

type Place = { cwd: string; env?: NodeJS.ProcessEnv };

/** Runs a program. @returns its standard output @throws with all its output, when it fails */
export function runProgram(
  program: string,
  args: readonly string[],
  { cwd, env = process.env }: Place,
): string {
  const { status, signal, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    env,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === 'win32' && program === 'npm',
  });
  if (status === 0) return stdout;
  const line = [program, ...args].join(' ');
  throw new Error(
    `${line} exited with ${status ?? signal ?? error?.message}\n${stdout ?? ''}${stderr ?? ''}`,
  );
}
