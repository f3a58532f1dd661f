import { escapeText } from '@svc/text';
import sharp, { type OverlayOptions } from 'sharp';
import { PREVIEW_FONTS } from '../../features/pictures/preview-font.ts';
import type { Preview } from '../../platform/picture-renderer.ts';

/** The size of link previews (Open Graph; 1.91 to 1), in pixels. */
const [WIDTH, HEIGHT] = [1200, 630];
const ICON = { side: 300, left: 90, radius: 75 };
const TEXT = { left: 450, width: 660, gap: 22 };
/** The vertical centre of icon and text. */
const MIDDLE = 290;

/** Colours of the dark theme: a preview looks the same in every client. */
const COLOURS = { text: '#e9edf5', soft: '#a2adbf', back: '#12172b', plate: '#fbfbfd' };

/** Font sizes: of the title, the first one that fits; of the subtitle; of the footer. */
const TITLE_SIZES = [72, 60, 50, 42];
const TITLE_ROOM = 250;
const SUBTITLE_SIZE = 34;
const FOOT_SIZE = 26;

const MASK = Buffer.from(
  `<svg xmlns="http://www.w3.org/2000/svg" width="${ICON.side}" height="${ICON.side}"><rect width="100%" height="100%" rx="${ICON.radius}"/></svg>`,
);
const BAR = Buffer.from(
  `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="12"><rect width="100%" height="100%" fill="#5b74ff"/></svg>`,
);

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
export async function drawPreview({ picture, title, subtitle, foot }: Preview): Promise<Uint8Array> {
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
      { input: BAR, left: 0, top: HEIGHT - 12 },
      { input: icon, left: ICON.left, top: MIDDLE - ICON.side / 2 },
      ...placeTexts(texts),
      ...feet.map(({ png, height }) => ({ input: png, left: ICON.left, top: HEIGHT - 44 - height })),
    ])
    .png({ compressionLevel: 9 })
    .toBuffer();
}
