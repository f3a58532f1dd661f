import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Mounts a file system in memory of so many bytes, owned by who asks. */
export const mountMemory = (folder: string, bytes: number) =>
  execute('mount', ['-t', 'tmpfs', '-o', `size=${bytes},mode=700`, 'tmpfs', folder]);

/** Gives a file system in memory another size. */
export const resizeMemory = (folder: string, bytes: number) =>
  execute('mount', ['-o', `remount,size=${bytes}`, folder]);

/** Makes an ext4 as it is after a fault of its disk: read-only, also under programs that write to it. */
export const abortWrites = (folder: string) => execute('mount', ['-o', 'remount,abort', folder]);

/** Writes all of a file system to its disk. */
export const writeBack = (folder: string) => execute('sync', ['-f', folder]);

/** Shows a folder in the place of another. */
export const mountOver = (from: string, folder: string) => execute('mount', ['--bind', from, folder]);

/** Makes what is mounted there read-only. It may not be in use for writing. */
export const makeReadOnly = (folder: string) => execute('mount', ['-o', 'remount,ro,bind', folder]);

/** Takes a mount away, also under programs that use it. */
export const unmount = (folder: string) => execute('umount', ['-l', folder]);

/** Whether this machine lets us mount: that takes root and a kernel that allows it. */
export async function canMount(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-mount-'));
  try {
    await mountMemory(folder, 1 << 20);
    await unmount(folder);
    return true;
  } catch {
    return false;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
