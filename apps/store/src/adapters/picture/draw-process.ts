import { flushCompileCache } from 'node:module';
import sharp from 'sharp';
import type { Preview } from '../../platform/picture-renderer.ts';
import { drawPreview } from './draw-preview.ts';

// The process that draws pictures, one at a time. It enforces its own limits: libvips runs in another thread, so this one can end the
// process at any time. It gets no settings and no secrets of the store.

/** Limits of one picture: processor time in milliseconds, set by the store, and memory of the whole process in bytes. */
const MAX_CPU_MS = Number(process.argv[2]);
const MAX_MEMORY = 512 * 1024 * 1024;
const EVERY_MS = 20;

/** Maximum side of a picture on a page, in pixels: an icon on a screen with four times the density, and a screenshot. */
const DRAWING_SIDE = 512;
const PIXEL_SIDE = 1_024;

/** Maximum pixels of a picture; the same limit as in the checks. */
const MAX_PIXELS = 2 ** 26;

// Only these decoders run, whatever type a file claims.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['Png', 'Jpeg', 'Webp', 'Svg'].map((name) => `VipsForeignLoad${name}Buffer`) });
sharp.concurrency(1);
sharp.cache(false);

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Reports the exceeded limit, and ends the process immediately: an ordinary exit would wait for the thread that draws. */
function end(over: 'time' | 'memory'): void {
  process.send?.({ over }, () => process.kill(process.pid, 'SIGKILL'));
}

/** Ends the process when a drawing is over its limits. */
function watch(): NodeJS.Timeout {
  const start = cpuMs();
  return setInterval(() => {
    if (process.memoryUsage.rss() > MAX_MEMORY) end('memory');
    else if (cpuMs() - start > MAX_CPU_MS) end('time');
  }, EVERY_MS);
}

/** Draws a picture in the maximum size that pages need; a smaller bitmap keeps its size. */
async function draw(bytes: Uint8Array): Promise<Uint8Array> {
  const image = sharp(bytes, { limitInputPixels: MAX_PIXELS });
  const isDrawing = (await image.metadata()).format === 'svg';
  const side = isDrawing ? DRAWING_SIDE : PIXEL_SIDE;
  const size = { width: side, height: side, fit: 'inside', withoutEnlargement: !isDrawing } as const;
  return image.resize(size).png({ compressionLevel: 6 }).toBuffer();
}

/** The side of the grid whose neighbours are compared, and the difference in brightness that counts as one. */
const GRID = 9;
const STEP = 3;
/** Bits that a look has at least: with fewer, a picture has no contours, and looks like every other such one. */
const MIN_BITS = 12;
const BANDS = 8;

/**
 * The look of a picture: whether each cell of a grid is brighter than the next one, across and down (dHash). Its digits are grouped into
 * bands that each cover the whole picture, so that pictures with few different bits share a band.
 */
async function lookOf(png: Uint8Array): Promise<string | null> {
  const plain = sharp(png).flatten({ background: '#ffffff' }).greyscale();
  const cells = await plain.resize(GRID, GRID, { fit: 'fill' }).raw().toBuffer();
  const at = (x: number, y: number) => cells[y * GRID + x] ?? 0;
  const bits: boolean[] = [];
  for (let y = 0; y < GRID - 1; y += 1)
    for (let x = 0; x < GRID - 1; x += 1)
      bits.push(at(x, y) > at(x + 1, y) + STEP, at(x, y) > at(x, y + 1) + STEP);
  if (bits.filter(Boolean).length < MIN_BITS) return null;
  const banded = Array.from({ length: BANDS }, (_, band) =>
    bits.filter((_bit, index) => (index >> 1) % BANDS === band),
  ).flat();
  return BigInt(`0b${banded.map(Number).join('')}`)
    .toString(16)
    .padStart(banded.length / 4, '0');
}

/** A request to the process. */
export type Asked = { picture: Uint8Array } | { preview: Preview };

process.on('message', async (asked: Asked) => {
  const timer = watch();
  try {
    const start = cpuMs();
    const png = await ('preview' in asked ? drawPreview(asked.preview) : draw(asked.picture));
    const look = 'preview' in asked ? null : await lookOf(png);
    // The drawing exceeded its limit between two checks, and has finished.
    process.send?.(cpuMs() - start > MAX_CPU_MS ? { over: 'time' } : { png, look });
  } catch {
    // Messages of libvips repeat parts of the file, and do not help its author.
    process.send?.({ png: null, look: null });
  } finally {
    clearInterval(timer);
  }
});
process.on('disconnect', () => process.exit(0));
// Written now for the next process: this one may be ended at any time.
flushCompileCache();
