import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

function pathsIn(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return [path, ...readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => join(path, name))];
}

/** The files and folders in a folder, and itself, that other users can access. */
export const accessibleIn = (folder: string): string[] =>
  pathsIn(folder).filter((path) => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0);

/** Lets other users access all in a folder, as programs with a umask of 0 create it. */
export function makeAccessible(folder: string): void {
  for (const path of pathsIn(folder)) chmodSync(path, 0o777);
}

/** Runs work while this process has a umask of 0. */
export async function withoutUmask<T>(work: () => Promise<T>): Promise<T> {
  const before = process.umask(0);
  try {
    return await work();
  } finally {
    process.umask(before);
  }
}
