import { flushCompileCache } from 'node:module';
import { enableDecoders, openPicture } from '@svc/runtime/decoders';
import { escapeText } from '@svc/text';
import sharp, { type OverlayOptions } from 'sharp';
import { PREVIEW_FONTS } from '../../core/pictures/preview-font.ts';
import type { Preview } from '../../platform/picture-renderer.ts';

/** The size of link previews (Open Graph; 1.91 to 1), in pixels. */
const [WIDTH, HEIGHT] = [1200, 630];
const ICON = { side: 300, left: 90, radius: 75 };
const TEXT = { left: 450, width: 660, gap: 22 };
/** The vertical centre of icon and text. */
const MIDDLE = 290;

/** Colours of the dark theme: a preview looks the same in every client. */
const COLOURS = { text: '#e8f0ec', soft: '#9db0a7', back: '#0d1311', plate: '#fafaf7' };

/** Font sizes: of the title, the first one that fits; of the subtitle; of the footer. */
const TITLE_SIZES = [72, 60, 50, 42];
const TITLE_ROOM = 250;
const SUBTITLE_SIZE = 34;
const FOOT_SIZE = 26;

const MASK = Buffer.from(
  `<svg xmlns="http://www.w3.org/2000/svg" width="${ICON.side}" height="${ICON.side}"><rect width="100%" height="100%" rx="${ICON.radius}"/></svg>`,
);
const BAR_HEIGHT = 12;

type Drawn = { png: Buffer; height: number };
type Style = { font: keyof typeof PREVIEW_FONTS; size: number; colour: string; width?: number };

/** Lines of text. Pango reads markup (docs.gtk.org/Pango/pango_markup.html), so the text is escaped. */
async function drawText(text: string, { font, size, colour, width = TEXT.width }: Style): Promise<Drawn> {
  const { file, name } = PREVIEW_FONTS[font];
  const { data, info } = await sharp({
    text: {
      text: `<span foreground="${colour}">${escapeText(text, 'html')}</span>`,
      font: `${name} ${size}`,
      fontfile: file,
      width,
      // At this resolution, a point is a pixel.
      dpi: 72,
      rgba: true,
      wrap: 'word-char',
    },
  })
    .png()
    .toBuffer({ resolveWithObject: true });
  return { png: data, height: info.height };
}

async function drawTitle(text: string): Promise<Drawn> {
  let drawn: Drawn | undefined;
  for (const size of TITLE_SIZES) {
    drawn = await drawText(text, { font: 'bold', size, colour: COLOURS.text });
    if (drawn.height <= TITLE_ROOM) return drawn;
  }
  if (!drawn) throw new Error('There is no size for a title.');
  return drawn;
}

/** The icon on a plate with rounded corners. */
const drawIcon = (picture: Uint8Array): Promise<Buffer> =>
  sharp(picture, { limitInputPixels: 2 ** 21 })
    .flatten({ background: COLOURS.plate })
    .resize({ width: ICON.side, height: ICON.side, fit: 'contain', background: COLOURS.plate })
    .ensureAlpha()
    .composite([{ input: MASK, blend: 'dest-in' }])
    .png()
    .toBuffer();

const drawLine = async (text: string, style: Style): Promise<Drawn[]> =>
  text === '' ? [] : [await drawText(text, style)];

/** The title and the subtitle, centred next to the icon. */
function placeTexts(drawn: readonly Drawn[]): OverlayOptions[] {
  const total = drawn.reduce((sum, { height }) => sum + height, 0) + TEXT.gap * (drawn.length - 1);
  let top = Math.max(0, Math.round(MIDDLE - total / 2));
  return drawn.map(({ png, height }) => {
    const placed = { input: png, left: TEXT.left, top };
    top += height + TEXT.gap;
    return placed;
  });
}

/** Draws a link preview as a PNG. */
async function drawPreview({ picture, title, subtitle, foot, accent }: Preview): Promise<Uint8Array> {
  const icon = await drawIcon(picture);
  const texts = [
    await drawTitle(title),
    ...(await drawLine(subtitle, { font: 'regular', size: SUBTITLE_SIZE, colour: COLOURS.soft })),
  ];
  const feet = await drawLine(foot, {
    font: 'regular',
    size: FOOT_SIZE,
    colour: COLOURS.soft,
    width: WIDTH - 2 * ICON.left,
  });
  return sharp({ create: { width: WIDTH, height: HEIGHT, channels: 3, background: COLOURS.back } })
    .composite([
      {
        input: { create: { width: WIDTH, height: BAR_HEIGHT, channels: 3, background: accent } },
        left: 0,
        top: HEIGHT - BAR_HEIGHT,
      },
      { input: icon, left: ICON.left, top: MIDDLE - ICON.side / 2 },
      ...placeTexts(texts),
      ...feet.map(({ png, height }) => ({ input: png, left: ICON.left, top: HEIGHT - 44 - height })),
    ])
    .png({ compressionLevel: 9 })
    .toBuffer();
}

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
enableDecoders('drawings');

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

/** Draws a picture in the maximum size that pages need; a smaller bitmap keeps its size. Or in a square, on a transparent ground. */
async function draw(bytes: Uint8Array, square?: number): Promise<Uint8Array> {
  const { isDrawing, image, within } = await openPicture(bytes, MAX_PIXELS);
  const drawn =
    square === undefined
      ? within(isDrawing ? DRAWING_SIDE : PIXEL_SIDE)
      : image.resize({ width: square, height: square, fit: 'contain', background: '#0000' });
  return drawn.png({ compressionLevel: 6 }).toBuffer();
}

/** Draws a picture in a size that pages show, with a fraction of the bytes of the same PNG. */
async function drawSmall(bytes: Uint8Array, side: number): Promise<Uint8Array> {
  const { within } = await openPicture(bytes, MAX_PIXELS);
  return within(side).webp({ quality: 82, smartSubsample: true }).toBuffer();
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
export type Asked = { picture: Uint8Array; side?: number; square?: number } | { preview: Preview };

function drawingOf(asked: Asked): Promise<Uint8Array> {
  if ('preview' in asked) return drawPreview(asked.preview);
  return asked.side === undefined ? draw(asked.picture, asked.square) : drawSmall(asked.picture, asked.side);
}

process.on('message', async (asked: Asked) => {
  const timer = watch();
  try {
    const start = cpuMs();
    const png = await drawingOf(asked);
    const look = 'preview' in asked || asked.side !== undefined ? null : await lookOf(png);
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
