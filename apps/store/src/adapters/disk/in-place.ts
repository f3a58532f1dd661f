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
 * Watches that files and folders which a program has open stay under their names. When they are removed or replaced, what is
 * written from then on is lost: the system lets the program go on writing to files that no path leads to. A path that has
 * nothing yet is watched from the first time that something is seen there.
 * @returns throws Unavailable when one of them is gone or is another one; it costs a few microseconds
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
