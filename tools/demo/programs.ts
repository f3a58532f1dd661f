import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { ownProgram } from '@svc/testkit';

/** Startup timeout of a program, in milliseconds. */
const TIMEOUT_MS = 90_000;

/** A running program, and the match of the `ready` pattern in its output. */
export type Program = { child: ChildProcess; ready: string };

/**
 * Starts a program of this repository, and waits until it is ready.
 * @param ready pattern in its output that shows it is ready, with a group for the value that the caller needs
 * @throws when it exits early or takes too long; it is killed then
 */
export async function startProgram(
  name: 'store' | 'desktop',
  words: readonly string[],
  { env = {}, ready }: { env?: Record<string, string>; ready: RegExp },
): Promise<Program> {
  const child = spawn(process.execPath, [ownProgram(name), ...words], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let output = '';
  const receive = (text: Buffer) => {
    output += text;
    const match = ready.exec(output)?.[1];
    if (match !== undefined) resolve(match);
  };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', receive);
  child.once('error', reject);
  child.once('exit', () => reject(new Error(`The ${name} exited:\n${output}`)));
  const timer = setTimeout(
    () => reject(new Error(`The ${name} did not start in time:\n${output}`)),
    TIMEOUT_MS,
  );
  try {
    return { child, ready: await promise };
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  } finally {
    clearTimeout(timer);
    for (const stream of [child.stdout, child.stderr]) stream.off('data', receive).resume();
  }
}

/** Kills a program, and waits for its exit. */
export async function stopProgram({ child }: Program): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  // Not SIGTERM: the store would wait some seconds for load balancers, of which there are none here.
  child.kill('SIGKILL');
  await ended;
}
