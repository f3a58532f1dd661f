import {
  accessSync,
  chmodSync,
  constants,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';

/** Where Linux keeps files in memory. */
const MEMORY = '/dev/shm';

/** The space that the tests need at once, with room to spare, in bytes. */
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

/** The age, in milliseconds, from which an unused folder is removed. Another container may share `/dev/shm`, but not the process ids. */
const UNUSED_MS = 60 * 60 * 1000;

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Removes the folders of runs that were killed before they could. Their names contain the process id. */
export function removeLeftFolders(root: string): void {
  for (const name of readdirSync(root)) {
    const pid = Number(/^svc-tests-(\d+)-/.exec(name)?.[1]);
    if (Number.isNaN(pid) || isRunning(pid)) continue;
    const folder = join(root, name);
    const stats = statSync(folder, { throwIfNoEntry: false });
    if (stats && Date.now() - stats.mtimeMs > UNUSED_MS)
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/**
 * Makes this process, and the programs that it starts, keep temporary files in memory where there is room: the tests create thousands
 * of databases, each of which would wait for the disk. Tests of durability end processes, not machines, so memory serves them too.
 */
export function keepTemporaryFilesInMemory(): void {
  if (process.env.TMPDIR !== undefined || !hasRoom()) return;
  removeLeftFolders(MEMORY);
  const folder = mkdtempSync(join(MEMORY, `svc-tests-${process.pid}-`));
  // The database server runs as another user, who needs access to its own folder.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  // Many tests start programs, each of which would otherwise strip the types of the same sources again.
  process.env.NODE_COMPILE_CACHE ??= join(folder, 'compiled');
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
}
