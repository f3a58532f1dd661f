import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { watchPlaces } from '../../../src/adapters/disk/in-place.ts';

async function folder() {
  const made = await mkdtemp(join(tmpdir(), 'svc-place-'));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

describe('watchPlaces', () => {
  it('passes while the folder exists, whatever files it holds, and fails while it is removed', async () => {
    const place = join(await folder(), 'data');
    await mkdir(place);
    const requireInPlace = watchPlaces([place]);
    await writeFile(join(place, 'file'), 'x');
    requireInPlace();
    await rename(place, `${place}-aside`);
    expect(requireInPlace).toThrow('was removed');
    await rename(`${place}-aside`, place);
    requireInPlace();
  });

  it('fails when a file was replaced by one with the same content', async () => {
    const file = join(await folder(), 'file');
    await writeFile(file, 'x');
    const requireInPlace = watchPlaces([file]);
    await writeFile(`${file}-new`, 'x');
    await rename(`${file}-new`, file);
    expect(requireInPlace).toThrow(expect.objectContaining({ name: 'Unavailable' }));
    expect(requireInPlace).toThrow('was replaced');
  });

  it('watches a file that is created later from the first check that finds it', async () => {
    const file = join(await folder(), 'later');
    const requireInPlace = watchPlaces([file]);
    requireInPlace();
    await writeFile(file, 'x');
    requireInPlace();
    await rm(file);
    expect(requireInPlace).toThrow('was removed');
  });
});
