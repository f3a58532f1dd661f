import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** How long a program has to say that it is there, in milliseconds. */
const TIMEOUT_MS = 90_000;

/** A program of the demonstration, and the first match of a pattern in what it says. */
export type Program = { child: ChildProcess; found: string };

/**
 * Starts a program of this repository, and waits until it says that it is there.
 * @param file from the root of the repository
 * @param ready what it says then, with a group for what the caller wants of it
 * @throws when it ends before, or takes too long; it is ended then
 */
export async function startProgram(
  file: string,
  words: readonly string[],
  { env = {}, ready }: { env?: Record<string, string>; ready: RegExp },
): Promise<Program> {
  const child = spawn(process.execPath, [join(ROOT, file), ...words], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let said = '';
  const hear = (text: Buffer) => {
    said += text;
    const found = ready.exec(said)?.[1];
    if (found !== undefined) resolve(found);
  };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', hear);
  child.once('error', reject);
  child.once('exit', () => reject(new Error(`${file} ended:\n${said}`)));
  const late = setTimeout(() => reject(new Error(`${file} does not start:\n${said}`)), TIMEOUT_MS);
  try {
    return { child, found: await promise };
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  } finally {
    clearTimeout(late);
    for (const stream of [child.stdout, child.stderr]) stream.off('data', hear).resume();
  }
}

/** Ends a program, and waits for it. */
export async function stopProgram({ child }: Program): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  // The store gives balancers some seconds to turn away from it, of which there are none here.
  child.kill('SIGKILL');
  await ended;
}
