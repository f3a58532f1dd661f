import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { createMediaApp } from '../../src/built-in/media-app.ts';
import { createAppPictures } from '../../src/library/app-pictures.ts';
import { RuntimeError } from '../../src/platform/runtime-error.ts';
import { realSystem } from '../support/real-system.ts';
import { openClient } from '../support/runtime-world.ts';
import { system } from '../support/system.ts';
import { tempFolder } from '../support/temp-folder.ts';

const svg = (inside: string) =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">${inside}</svg>`);

/** Pictures of a bundle with one file, and how often it was drawn. */
async function picturesOf(bytes: Uint8Array, folder: string, draw = async () => Uint8Array.of(1)) {
  const drawn: Uint8Array[] = [];
  const pictures = createAppPictures({
    system,
    folder,
    library: { bundleFile: async () => bytes } as never,
    draw: async (source) => {
      drawn.push(source);
      return draw();
    },
  });
  return { drawn, read: () => pictures.inBundle('a', 'assets/icon.svg') };
}

describe('the pictures of apps', () => {
  it('are drawn in the media process: of an SVG a page gets a bitmap', async () => {
    const { runtime } = await openClient({ builtIn: [createMediaApp(realSystem)] });
    const icon = await runtime.pictures.branding('media', 'icon');
    expect(icon?.type).toBe('image/png');
    expect(await sharp(icon?.bytes).metadata()).toMatchObject({ format: 'png', width: 512, height: 512 });
    expect(await runtime.pictures.branding('media', 'mark')).toBeNull();
    expect(await runtime.pictures.branding('com.example.none', 'icon')).toBeNull();
  });

  it('are drawn once, also for requests at the same time and by a later process', async () => {
    const folder = path.join(await tempFolder(), 'drawings');
    const first = await picturesOf(svg('<path d="M0 0h1"/>'), folder);
    const [one, two] = await Promise.all([first.read(), first.read()]);
    expect([one, two]).toEqual([{ type: 'image/png', bytes: Uint8Array.of(1) }, one]);
    const later = await picturesOf(svg('<path d="M0 0h1"/>'), folder);
    expect((await later.read())?.bytes).toEqual(Buffer.of(1));
    expect([first.drawn.length, later.drawn.length]).toEqual([1, 0]);
    expect(await readdir(folder)).toEqual([expect.stringMatching(/^[0-9a-f]{64}\.png$/)]);
  });

  it('that cannot be drawn are null, and not tried again', async () => {
    const failing = await picturesOf(svg('<g/>'), await tempFolder(), () =>
      Promise.reject(new RuntimeError('too-slow')),
    );
    expect([await failing.read(), await failing.read()]).toEqual([null, null]);
    expect(failing.drawn).toHaveLength(1);
  });

  it('are shown where they cannot be kept', async () => {
    const file = path.join(await tempFolder(), 'file');
    await writeFile(file, '');
    const unkept = await picturesOf(svg('<g/>'), path.join(file, 'below'));
    expect(await unkept.read()).toEqual({ type: 'image/png', bytes: Uint8Array.of(1) });
  });

  it('that are bitmaps are given as they are, and files of other types are not', async () => {
    const folder = await tempFolder();
    const png = await sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    expect(await (await picturesOf(png, folder)).read()).toEqual({ type: 'image/png', bytes: png });
    expect(
      await (await picturesOf(Buffer.from('<!doctype html><script>1</script>'), folder)).read(),
    ).toBeNull();
  });
});
