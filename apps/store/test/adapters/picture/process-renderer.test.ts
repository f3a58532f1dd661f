import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { DEEP } from '@svc/testkit';
import sharp from 'sharp';
import { expect, it, onTestFinished } from 'vitest';
import { createProcessRenderer, type DrawLimits } from '../../../src/adapters/picture/process-renderer.ts';
import { UnavailableError } from '../../../src/platform/unavailable-error.ts';

const svg = (inside: string, box = '0 0 512 512') =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box}">${inside}</svg>`);
const rect = '<rect width="512" height="512" fill="red"/>';

const endless = () => {
  const steps =
    '<feTurbulence numOctaves="10" baseFrequency=".9"/><feGaussianBlur stdDeviation="90"/>'.repeat(40);
  return svg(`<filter id="f">${steps}</filter>${`<g filter="url(#f)">${rect}</g>`.repeat(40)}`);
};

function openRenderer(limits?: DrawLimits) {
  const renderer = createProcessRenderer(limits);
  onTestFinished(() => renderer.close());
  return renderer;
}

async function sidesOf(bytes: Uint8Array) {
  const drawing = await openRenderer().draw(bytes);
  if (!drawing.ok) return drawing;
  const { format, width, height } = await sharp(drawing.png).metadata();
  return { format, width, height };
}

it('draws an SVG with a longest side of 512 pixels', async () => {
  expect(await sidesOf(svg(rect, '0 0 24 24'))).toEqual({ format: 'png', width: 512, height: 512 });
  expect(await sidesOf(svg(rect, '0 0 24 12'))).toEqual({ format: 'png', width: 512, height: 256 });
  expect(await sidesOf(svg(rect, '0 0 51500 51500'))).toEqual({ format: 'png', width: 512, height: 512 });
  expect(await sidesOf(svg(rect, '0 0 333334 333334'))).toEqual({ format: 'png', width: 512, height: 512 });
});

it('turns a photo as its EXIF data say', async () => {
  const photo = sharp({ create: { width: 80, height: 60, channels: 3, background: 'red' } });
  const turned = await photo.withMetadata({ orientation: 6 }).jpeg().toBuffer();
  expect(await sidesOf(turned)).toMatchObject({ width: 60, height: 80 });
  const small = await openRenderer().drawSmall(turned, 40);
  expect(small.ok && (await sharp(small.png).metadata())).toMatchObject({ width: 30, height: 40 });
});

it('scales a large bitmap down, and no small one up', async () => {
  const png = (side: number) =>
    sharp({ create: { width: side, height: side, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
  expect(await sidesOf(await png(4_000))).toMatchObject({ width: 1_024 });
  expect(await sidesOf(await png(300))).toMatchObject({ width: 300 });
});

it('stops a drawing that takes too long, and draws the next one', DEEP, async () => {
  const renderer = openRenderer();
  const [first, second] = await Promise.all([renderer.draw(endless()), renderer.draw(svg(rect))]);
  expect(first).toEqual({
    ok: false,
    why: expect.stringMatching(/takes (?:more than 2 seconds|too much memory)/),
  });
  expect(second.ok).toBe(true);
});

it('kills a process that does not answer in time, and draws the next picture in another one', async () => {
  const limits: DrawLimits = { maxCpuMs: 600_000, maxWaitMs: 1_000 };
  const renderer = openRenderer(limits);
  await expect(renderer.draw(endless())).rejects.toBeInstanceOf(UnavailableError);
  // Enough time for the next picture, also on a busy machine.
  limits.maxWaitMs = 600_000;
  const next = await renderer.draw(svg(rect.replace('red', 'blue')));
  if (!next.ok) throw new Error(next.why);
  const { data } = await sharp(next.png).raw().toBuffer({ resolveWithObject: true });
  expect([...data.subarray(0, 3)]).toEqual([0, 0, 255]);
});

it('reports bytes that are not a picture as not drawable', async () => {
  const renderer = openRenderer();
  expect(await renderer.draw(Buffer.from('GIF89a'))).toEqual({ ok: false, why: 'it cannot be drawn' });
  expect(await renderer.draw(svg(rect).subarray(0, 40))).toMatchObject({ ok: false });
});

it('refuses while no further file can be opened, and draws again afterwards', () => {
  const module = join(import.meta.dirname, '../../../src/adapters/picture/process-renderer.ts');
  const program = `import { openSync, closeSync } from 'node:fs';
    const { createProcessRenderer } = await import(${JSON.stringify(module)});
    const renderer = createProcessRenderer();
    const open = [];
    try { for (;;) open.push(openSync('/dev/null')); } catch {}
    const draw = () => renderer.draw(Buffer.from(${JSON.stringify(svg(rect).toString())}));
    console.log(await draw().catch(({ name }) => name));
    open.forEach(closeSync);
    console.log((await draw()).ok);
    await renderer.close();`;
  const { stdout, stderr } = spawnSync(
    'sh',
    ['-c', 'ulimit -n 60; exec "$@"', 'sh', process.execPath, '--input-type=module', '-e', program],
    { encoding: 'utf8' },
  );
  expect({ stdout, stderr }).toEqual({ stdout: 'Unavailable\ntrue\n', stderr: '' });
});
