import { flushCompileCache } from 'node:module';
import sharp from 'sharp';
import type { Preview } from '../../platform/picture-renderer.ts';
import { drawPreview } from './draw-preview.ts';

// The process in which pictures are drawn, one at a time. It watches itself: what libvips does happens in another thread,
// so that this one can end the process at its limits. It gets no settings and no secrets of the store.

/** What one picture may take: processor time in milliseconds, as the store says, and memory of the whole process in bytes. */
const MAX_CPU_MS = Number(process.argv[2]);
const MAX_MEMORY = 512 * 1024 * 1024;
const EVERY_MS = 20;

/** Longest side of what pages show, in pixels: an icon on a screen of four times the density, and a screenshot. */
const DRAWING_SIDE = 512;
const PIXEL_SIDE = 1_024;

/** Pixels that a picture may claim; the checks allow no more. */
const MAX_PIXELS = 2 ** 26;

// Only these decoders are ever run, whatever a file says it is.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['Png', 'Jpeg', 'Webp', 'Svg'].map((name) => `VipsForeignLoad${name}Buffer`) });
sharp.concurrency(1);
sharp.cache(false);

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Says what was too much, and ends: an ordinary exit would wait for the thread that draws. */
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

/** A drawing in the size that pages need at most; a picture of pixels no larger than it is. */
async function draw(bytes: Uint8Array): Promise<Uint8Array> {
  const image = sharp(bytes, { limitInputPixels: MAX_PIXELS });
  const isDrawing = (await image.metadata()).format === 'svg';
  const side = isDrawing ? DRAWING_SIDE : PIXEL_SIDE;
  const size = { width: side, height: side, fit: 'inside', withoutEnlargement: !isDrawing } as const;
  return image.resize(size).png({ compressionLevel: 6 }).toBuffer();
}

/** What the process is asked for. */
export type Asked = { picture: Uint8Array } | { preview: Preview };

process.on('message', async (asked: Asked) => {
  const timer = watch();
  try {
    const start = cpuMs();
    const png = await ('preview' in asked ? drawPreview(asked.preview) : draw(asked.picture));
    // One that was done between two looks of the watch.
    process.send?.(cpuMs() - start > MAX_CPU_MS ? { over: 'time' } : { png });
  } catch {
    // What libvips says repeats parts of the file, and means nothing to its author.
    process.send?.({ png: null });
  } finally {
    clearInterval(timer);
  }
});
process.on('disconnect', () => process.exit(0));
// Kept for the next process: this one may be ended at any time.
flushCompileCache();
