import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type FileHandle, mkdir, mkdtemp, open, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { mountMemory, unmount } from './mounts.ts';

const execute = promisify(execFile);

/** The binary of LazyFS (https://github.com/dsrhaslab/lazyfs), which you build yourself: nothing here brings it. */
const LAZYFS = process.env.SVC_TORTURE_LAZYFS;

/** XFS takes no smaller one; the images are sparse. */
const IMAGE_BYTES = 384 * 1024 * 1024;
const MEMORY_BYTES = 4 * IMAGE_BYTES;

const UNMOUNT_TRIES = 100;
const PAUSE_MS = 50;

/** A file system on a disk whose power can be cut. */
export type Disk = {
  folder: string;
  /**
   * Cuts the power: what was not synced is gone. No process may have a file open. Afterwards the folder holds what a machine
   * finds at its next start.
   */
  cut(): Promise<void>;
  remove(): Promise<void>;
};

/** How the disk's file systems are made, and mounted so that nothing is written back before it is synced. */
const IMAGES = {
  // Without the heuristic that writes a renamed file back by itself.
  ext4: { make: ['mkfs.ext4', '-q', '-F'], options: 'loop,commit=600,noauto_da_alloc' },
  // A copy has the UUID of its origin.
  xfs: { make: ['mkfs.xfs', '-q', '-f'], options: 'loop,nouuid' },
  btrfs: { make: ['mkfs.btrfs', '-q', '-f'], options: 'loop,commit=300' },
};

type ImageKind = keyof typeof IMAGES;
export type DiskKind = ImageKind | 'lazyfs';

async function unmountWhole(folder: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return void (await execute('umount', [folder]));
    } catch (error) {
      if (tries === UNMOUNT_TRIES) throw error;
      await sleep(PAUSE_MS);
    }
  }
}

/**
 * A real file system in an image: its journal, its order of writes. What it has not written to the image is what a machine
 * loses that holds it in memory, so a copy of the image is the disk after the cut.
 */
async function imageDisk(kind: ImageKind): Promise<Disk> {
  const base = await mkdtemp(join(tmpdir(), 'svc-disk-'));
  await mountMemory(base, MEMORY_BYTES);
  const folder = join(base, 'disk');
  let image = join(base, 'image');
  const { make, options } = IMAGES[kind];
  const mountImage = () => execute('mount', ['-t', kind, '-o', options, image, folder]);
  let copies = 0;
  const remove = async () => {
    await unmountWhole(folder).catch(() => {});
    await unmount(base);
    await rm(base, { recursive: true, force: true });
  };
  try {
    await mkdir(folder);
    await (await open(image, 'wx')).close();
    await truncate(image, IMAGE_BYTES);
    await execute(make[0] as string, [...make.slice(1), image]);
    await mountImage();
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    folder,
    remove,
    async cut() {
      copies += 1;
      const copy = join(base, `image-${copies}`);
      await execute('cp', ['--sparse=always', image, copy]);
      // Unmounting writes back what was lost, into the image that is thrown away.
      await unmountWhole(folder);
      await rm(image);
      image = copy;
      await mountImage();
    },
  };
}

async function waitForMount(folder: string): Promise<void> {
  for (let tries = 0; tries < UNMOUNT_TRIES; tries += 1) {
    if ((await readFile('/proc/self/mounts', 'utf8')).includes(` ${folder} `)) return;
    await sleep(PAUSE_MS);
  }
  throw new Error('LazyFS did not mount.');
}

/** LazyFS loses every byte of a file that was not synced. Names in folders it keeps. */
async function lazyDisk(program: string): Promise<Disk> {
  const base = await mkdtemp(join(tmpdir(), 'svc-disk-'));
  const [folder, root, config] = ['disk', 'root', 'config.toml'].map((name) => join(base, name)) as [
    string,
    string,
    string,
  ];
  const [orders, done] = ['orders', 'done'].map((name) => join(base, name)) as [string, string];
  await mkdir(folder);
  await mkdir(root);
  await writeFile(
    config,
    `[faults]\nfifo_path="${orders}"\nfifo_path_completed="${done}"\n[cache]\napply_eviction=false\n[cache.simple]\ncustom_size="512MB"\nblocks_per_page=1\n[filesystem]\nlog_all_operations=false\nlogfile=""\n`,
  );
  const options = ['-o', 'allow_other', '-o', 'modules=subdir', '-o', `subdir=${root}`, '-f'];
  const child = spawn(program, [folder, '--config-path', config, ...options], { stdio: 'ignore' });
  const gone = once(child, 'exit');
  let answers: FileHandle | null = null;
  const remove = async () => {
    await answers?.close();
    await unmountWhole(folder).catch(() => {});
    child.kill('SIGKILL');
    await gone;
    await rm(base, { recursive: true, force: true });
  };
  try {
    await waitForMount(folder);
    // Open for both, or opening would wait for a writer.
    answers = await open(done, 'r+');
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    folder,
    remove,
    async cut() {
      await writeFile(orders, 'lazyfs::clear-cache\n');
      await answers?.read();
    },
  };
}

/** Makes an empty disk. */
export const makeDisk = (kind: DiskKind): Promise<Disk> =>
  kind === 'lazyfs' ? lazyDisk(LAZYFS as string) : imageDisk(kind);

/** The kinds of disks that this machine can have, and why it cannot have the others. */
export async function usableDisks(): Promise<{ kinds: DiskKind[]; missing: string[] }> {
  const kinds: DiskKind[] = [];
  const missing: string[] = [];
  const wanted: DiskKind[] = [
    ...(Object.keys(IMAGES) as ImageKind[]),
    ...(LAZYFS ? (['lazyfs'] as const) : []),
  ];
  for (const kind of wanted) {
    try {
      await (await makeDisk(kind)).remove();
      kinds.push(kind);
    } catch (error) {
      missing.push(`no ${kind} (${(error as Error).message.trim().split('\n').at(-1)})`);
    }
  }
  if (!LAZYFS) missing.push('no lazyfs (SVC_TORTURE_LAZYFS does not name its binary)');
  return { kinds, missing };
}
