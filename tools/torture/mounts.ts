import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Mounts an in-memory file system of the given size, owned by the current user. */
export const mountMemory = (folder: string, bytes: number) =>
  execute('mount', ['-t', 'tmpfs', '-o', `size=${bytes},mode=700`, 'tmpfs', folder]);

/** Resizes an in-memory file system. */
export const resizeMemory = (folder: string, bytes: number) =>
  execute('mount', ['-o', `remount,size=${bytes}`, folder]);

/** Makes an ext4 read-only, as after a disk fault, even while programs write to it. */
export const abortWrites = (folder: string) => execute('mount', ['-o', 'remount,abort', folder]);

/** Syncs a file system. */
export const writeBack = (folder: string) => execute('sync', ['-f', folder]);

/** Bind-mounts a folder over another. */
export const mountOver = (from: string, folder: string) => execute('mount', ['--bind', from, folder]);

/** Remounts read-only. No file may be open for writing. */
export const makeReadOnly = (folder: string) => execute('mount', ['-o', 'remount,ro,bind', folder]);

/** Unmounts lazily, even while programs use it. */
export const unmount = (folder: string) => execute('umount', ['-l', folder]);

/** Whether mounts are allowed: they require root and kernel support. */
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
