import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Longest time that anything may take, in milliseconds. */
const TIMEOUT_MS = 60_000;

/** Seconds since a time of `performance.now()`. */
const secondsSince = (from: number): number => Number(((performance.now() - from) / 1000).toFixed(3));

let last = performance.now();

/** Prints a step that is done, with the seconds since the one before, as a line of JSON. */
export function step(name: string, more: object = {}): void {
  process.stdout.write(`${JSON.stringify({ step: name, seconds: secondsSince(last), ...more })}\n`);
  last = performance.now();
}

/**
 * Waits until something is true.
 * @returns the seconds that it took
 * @throws when it takes too long, with what was waited for
 */
export async function until(what: string, isTrue: () => Promise<boolean> | boolean): Promise<number> {
  const from = performance.now();
  while (!(await Promise.resolve(isTrue()).catch(() => false))) {
    if (performance.now() - from > TIMEOUT_MS) throw new Error(`Waited in vain: ${what}`);
    await sleep(10);
  }
  return secondsSince(from);
}

/** A program: its file, its arguments, and its whole environment but `PATH`. */
export type Started = { name: string; file: string; words?: readonly string[]; env: Record<string, string> };

/**
 * Starts a program in a folder, and writes its output there too.
 * @returns the process, how it ends, and a function that waits for a line of its output
 */
export function begin(folder: string, { name, file, words = [], env }: Started) {
  const child = spawn(file, words, {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log = createWriteStream(join(folder, `${name}.log`), { flags: 'a' });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      said += chunk;
      log.write(chunk);
    });
  }
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, said }));
  return {
    child,
    ended,
    async says(wanted: RegExp): Promise<string> {
      await until(`${name} says ${wanted}`, () => {
        if (child.exitCode !== null && !wanted.test(said))
          throw new Error(`${name} ended with ${child.exitCode}: ${said}`);
        return wanted.test(said);
      });
      const [all = '', part] = wanted.exec(said) ?? [];
      return part ?? all;
    },
  };
}

/** Runs a program. @returns its output @throws when it fails */
export async function run(folder: string, program: Started): Promise<string> {
  const { code, said } = await begin(folder, program).ended;
  if (code === 0) return said;
  throw new Error(`${program.name} ${program.words?.join(' ')} ended with ${code}: ${said}`);
}
