import { readFileSync } from 'node:fs';
import type { System } from '@svc/runtime';
import { withLock, writeDurable } from '@svc/runtime/parts';
import type { z } from 'zod';

/**
 * A JSON file of the user. It is read again each time, because other processes may change it.
 * @param first its content before there is a file
 * @param words what it has, such as `The settings`
 */
export function keptFile<Kept>(
  system: Pick<System, 'sleep' | 'randomBytes'>,
  file: string,
  { schema, first, words }: { schema: z.ZodType<Kept>; first: Kept; words: string },
) {
  /** @throws if it cannot be read */
  function read(): Kept {
    let text: string;
    try {
      text = readFileSync(file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return structuredClone(first);
      throw error;
    }
    try {
      return schema.parse(JSON.parse(text));
    } catch (cause) {
      // The file is not replaced, so that nothing of the user is lost.
      throw new Error(`${words} in ${file} cannot be read. Fix or delete the file.`, { cause });
    }
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
