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
  it('lets all go on while file and folder stay, whatever becomes of what is in them', async () => {
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

  it('notices a file that was replaced by an equal one', async () => {
    const file = join(await folder(), 'file');
    await writeFile(file, 'x');
    const requireInPlace = watchPlaces([file]);
    await writeFile(`${file}-new`, 'x');
    await rename(`${file}-new`, file);
    expect(requireInPlace).toThrow(expect.objectContaining({ name: 'Unavailable' }));
    expect(requireInPlace).toThrow('was replaced');
  });

  it('watches what comes later from when it is first seen', async () => {
    const file = join(await folder(), 'later');
    const requireInPlace = watchPlaces([file]);
    requireInPlace();
    await writeFile(file, 'x');
    requireInPlace();
    await rm(file);
    expect(requireInPlace).toThrow('was removed');
  });
});
