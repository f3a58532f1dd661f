import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type FileHandle, mkdir, mkdtemp, open, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { mountMemory, unmount } from './mounts.ts';

const execute = promisify(execFile);

/** Path of the LazyFS binary (https://github.com/dsrhaslab/lazyfs), which you build yourself. */
const LAZYFS = process.env.SVC_TORTURE_LAZYFS;

/** Minimum size of XFS; the images are sparse. */
const IMAGE_BYTES = 384 * 1024 * 1024;
const MEMORY_BYTES = 4 * IMAGE_BYTES;

const UNMOUNT_TRIES = 100;
const PAUSE_MS = 50;

/** A file system on a simulated disk whose power can be cut. */
export type Disk = {
  folder: string;
  /**
   * Cuts the power: unsynced data is lost. No process may have a file open. Afterwards the folder has the contents that a machine
   * finds at its next start.
   */
  cut(): Promise<void>;
  remove(): Promise<void>;
};

/** How to create the file systems, and mount them without write-back before a sync. */
const IMAGES = {
  // Without the heuristic that writes back renamed files.
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
 * A real file system in an image. A power cut loses data that is not yet written to the image, so a copy of the image is the disk
 * after the cut.
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
      // Unmounting writes the lost data back, into the discarded image.
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

/** LazyFS loses all unsynced file data, but keeps directory entries. */
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
    // Open for reading and writing: otherwise opening would wait for a writer.
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

/** Creates an empty disk. */
export const makeDisk = (kind: DiskKind): Promise<Disk> =>
  kind === 'lazyfs' ? lazyDisk(LAZYFS as string) : imageDisk(kind);

/** The kinds of disks that work on this machine, and why others do not. */
export async function usableDisks(): Promise<{ kinds: DiskKind[]; missing: string[] }> {
  const kinds: DiskKind[] = [];
  const missing: string[] = [];
  const candidates: DiskKind[] = [
    ...(Object.keys(IMAGES) as ImageKind[]),
    ...(LAZYFS ? (['lazyfs'] as const) : []),
  ];
  for (const kind of candidates) {
    try {
      await (await makeDisk(kind)).remove();
      kinds.push(kind);
    } catch (error) {
      missing.push(`no ${kind} (${(error as Error).message.trim().split('\n').at(-1)})`);
    }
  }
  if (!LAZYFS) missing.push('no lazyfs (SVC_TORTURE_LAZYFS is not set)');
  return { kinds, missing };
}
