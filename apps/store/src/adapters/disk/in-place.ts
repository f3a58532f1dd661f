import { statSync } from 'node:fs';
import { UnavailableError } from '../../platform/unavailable-error.ts';

type Identity = { dev: bigint; ino: bigint };

/** The identity of the file at a path; null when there is none, or when it cannot be read. */
function identityOf(path: string): Identity | null {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return { dev, ino };
  } catch {
    return null;
  }
}

function requireSame(path: string, before: Identity, now: Identity | null): void {
  if (!now)
    throw new UnavailableError(
      `${path} was removed, or its volume is gone: bring it back, and restart the store.`,
    );
  if (now.ino !== before.ino || now.dev !== before.dev)
    throw new UnavailableError(`${path} was replaced while the store runs: restart the store.`);
}

/**
 * Checks that the open files and folders of a program stay under their names. When one is removed or replaced, writes to it are lost:
 * the system lets a program write to a file that has no path any more. A path without a file is checked from the first time that one
 * exists.
 * @returns throws Unavailable when one of them is missing or replaced; it costs a few microseconds
 */
export function watchPlaces(paths: readonly string[]): () => void {
  const seen = new Map<string, Identity>();
  const requireInPlace = () => {
    for (const path of paths) {
      const now = identityOf(path);
      const before = seen.get(path);
      if (before) requireSame(path, before, now);
      else if (now) seen.set(path, now);
    }
  };
  requireInPlace();
  return requireInPlace;
}
