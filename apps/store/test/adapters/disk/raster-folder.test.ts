import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openRasterFolder } from '../../../src/adapters/disk/raster-folder.ts';
import { UnavailableError } from '../../../src/platform/unavailable-error.ts';

const DAY_MS = 24 * 3_600_000;
const NOW = Date.parse('2026-03-01T12:00:00.000Z');
const PNG = Uint8Array.of(1, 2, 3);
const [ICON, PREVIEW] = ['a'.repeat(64), `ab${'c'.repeat(62)}`] as const;

const daysAgo = (days: number): Date => new Date(NOW - days * DAY_MS);

async function opened() {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-rasters-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));

  const folder = openRasterFolder(dataDir, randomUUID, () => new Date(NOW));
  const fileOf = (sha256: string) => join(dataDir, 'rasters', sha256.slice(0, 2), `${sha256}.png`);

  /** Keeps a drawing that was last used at a time. */
  async function kept(sha256: string, usedAt: Date): Promise<void> {
    await folder.put(sha256, PNG);
    await utimes(fileOf(sha256), usedAt, usedAt);
  }
  const left = async () => {
    const entries = await readdir(join(dataDir, 'rasters'), { recursive: true });
    return entries.filter((name) => name.includes('.png')).sort();
  };
  return { dataDir, folder, fileOf, kept, left };
}

const nameOf = (sha256: string) => join(sha256.slice(0, 2), `${sha256}.png`);

it('returns what it keeps, and null for anything else', async () => {
  const { folder, kept } = await opened();
  expect(await folder.get(ICON)).toBeNull();
  await kept(ICON, daysAgo(0));
  expect(Uint8Array.from((await folder.get(ICON)) ?? [])).toEqual(PNG);
  await expect(folder.get('../keys/signing-key')).rejects.toThrow('not a hash');
});

it('deletes drawings that were not used for thirty days, and no others', async () => {
  const { folder, kept, left } = await opened();
  await kept(ICON, daysAgo(31));
  await kept(PREVIEW, daysAgo(29));
  expect(await folder.removeUnused()).toBe(1);
  expect(await left()).toEqual([nameOf(PREVIEW)]);
  expect(await folder.get(ICON)).toBeNull();
  expect(await folder.removeUnused()).toBe(0);
});

it('keeps a drawing that is used, however old it is', async () => {
  const { folder, fileOf, kept, left } = await opened();
  await kept(ICON, daysAgo(31));
  await folder.get(ICON);
  expect((await stat(fileOf(ICON))).mtimeMs).toBe(NOW);
  expect(await folder.removeUnused()).toBe(0);
  expect(await left()).toEqual([nameOf(ICON)]);
});

it('records a use once a day', async () => {
  const { folder, fileOf, kept } = await opened();
  await kept(ICON, daysAgo(0.5));
  await folder.get(ICON);
  expect((await stat(fileOf(ICON))).mtimeMs).toBe(daysAgo(0.5).getTime());
});

it('deletes what an interrupted write left behind', async () => {
  const { folder, fileOf, left } = await opened();
  const unfinished = `${fileOf(ICON)}.new-0`;
  await mkdir(join(unfinished, '..'), { recursive: true });
  await writeFile(unfinished, PNG);
  await utimes(unfinished, daysAgo(31), daysAgo(31));
  expect(await folder.removeUnused()).toBe(1);
  expect(await left()).toEqual([]);
});

it('deletes nothing before the first drawing, and stops with the store', async () => {
  const { folder, kept } = await opened();
  expect(await folder.removeUnused()).toBe(0);
  await kept(ICON, daysAgo(31));
  await expect(folder.removeUnused(AbortSignal.abort())).rejects.toThrow('aborted');
  expect(await folder.get(ICON)).not.toBeNull();
});

it('answers as unavailable on a full or missing disk, and leaves no part of a drawing', async () => {
  const { dataDir, folder, left } = await opened();
  await mkdir(join(dataDir, 'rasters', ICON.slice(0, 2), `${ICON}.png`), { recursive: true });
  // The drawing cannot be put where a folder is; the partial file is removed.
  await expect(folder.put(ICON, PNG)).rejects.toThrow();
  expect(await left()).toEqual([nameOf(ICON)]);
  await rm(join(dataDir, 'rasters'), { recursive: true });
  await writeFile(join(dataDir, 'rasters'), '');
  await expect(folder.put(ICON, PNG)).rejects.toBeInstanceOf(UnavailableError);
});
