import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

/** Where Linux keeps files in memory. */
const MEMORY = '/dev/shm';

/** What tests leave in their folders at the same time, with room to spare, in bytes. */
const ENOUGH = 4 * 1024 ** 3;

function hasRoom(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= ENOUGH;
  } catch {
    return false;
  }
}

/**
 * Has everything that this process starts keep its temporary files in memory where there is room for them: the tests make some
 * thousand databases, each of which waits for the disk. Programs that it starts share what Node compiles there. What a test promises of a disk it promises of this one too: they end
 * processes, and not machines.
 */
export function keepTemporaryFilesInMemory(): void {
  if (process.env.TMPDIR !== undefined || !hasRoom()) return;
  const folder = mkdtempSync(`${MEMORY}/svc-tests-`);
  // The database server runs as a person else, who has to get through to its own folder.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  // Many tests start programs, each of which would else strip the types of the same sources again.
  process.env.NODE_COMPILE_CACHE ??= join(folder, 'compiled');
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
}
