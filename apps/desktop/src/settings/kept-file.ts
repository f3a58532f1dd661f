import { readFileSync, statSync } from 'node:fs';
import type { System } from '@svc/runtime';
import { withLock, writeDurable } from '@svc/runtime/parts';
import type { z } from 'zod';

/** A file that was changed a shorter time ago, in milliseconds, may change again without another time: clocks of file systems tick in milliseconds. */
const SETTLED_MS = 1_000;

/** What is known of a file: what tells two contents of it apart, and whether it does so for certain. */
type Stamp = { of: string; isCertain: boolean };

function stampOf(file: string, now: number): Stamp | null {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  if (!stats) return null;
  const { dev, ino, size, mtimeNs, ctimeNs, ctimeMs } = stats;
  return { of: [dev, ino, size, mtimeNs, ctimeNs].join(), isCertain: Number(ctimeMs) + SETTLED_MS < now };
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(frozen);
  return Object.freeze(value);
}

/**
 * A JSON file of the user. Other processes may change it, so that it is looked at each time, and read again when it is another one.
 * @param first its content before there is a file
 * @param words what it has, such as `The settings`
 */
export function keptFile<Kept>(
  system: Pick<System, 'now' | 'sleep' | 'randomBytes'>,
  file: string,
  { schema, first, words }: { schema: z.ZodType<Kept>; first: Kept; words: string },
) {
  let known: { kept: Kept; of: string } | null = null;
  frozen(first);

  function parsed(text: string): Kept {
    try {
      return frozen(schema.parse(JSON.parse(text)));
    } catch (cause) {
      // The file is not replaced, so that nothing of the user is lost.
      throw new Error(`${words} in ${file} cannot be read. Fix or delete the file.`, { cause });
    }
  }

  /** @throws if it cannot be read */
  function read(): Kept {
    const stamp = stampOf(file, system.now());
    if (stamp === null) return first;
    if (known?.of === stamp.of) return known.kept;
    let text: string;
    try {
      text = readFileSync(file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return first;
      throw error;
    }
    const kept = parsed(text);
    known = stamp.isCertain ? { kept, of: stamp.of } : null;
    return kept;
  }
  return {
    read,
    /** Changes the file atomically, in sequence across processes. */
    change: (next: (kept: Kept) => Kept, from = read): Promise<void> =>
      withLock(system, `${file}.lock`, async () => {
        await writeDurable(file, Buffer.from(`${JSON.stringify(schema.parse(next(from())), null, 2)}\n`));
      }),
  };
}
