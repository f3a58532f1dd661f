import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import sharp, { type Sharp } from 'sharp';
import { heic } from './heic.ts';
import { bmp, chart, NOISE, noise, photograph } from './pictures.ts';
import type { Recorded } from './recorder.ts';
import { mov, wav } from './recordings.ts';

/** A valid file: its name, its media type, what makes it, and its length in seconds where it is not one. */
export type MediaFile = {
  name: string;
  type: string;
  make(): Promise<Uint8Array> | Uint8Array;
  seconds?: number;
  /** Whether it has pictures and no sound. */
  isSilent?: boolean;
};

const SIDE = 120;
const noisy = () => sharp(NOISE, { raw: { width: SIDE, height: SIDE, channels: 3 } });
const dot = () => sharp({ create: { width: 1, height: 1, channels: 3, background: '#abcdef' } });
const clear = () => sharp({ create: { width: 90, height: 40, channels: 4, background: '#ff000080' } });
/** Three frames of noise. */
const moving = () =>
  sharp(Buffer.concat([NOISE, Buffer.from(NOISE).reverse(), NOISE]), {
    raw: { width: SIDE, height: SIDE * 3, channels: 3, pageHeight: SIDE },
  });
const photo = async () => sharp(await photograph('png'));

type Row = readonly [name: string, make: MediaFile['make']];
const drawn = (name: string, image: () => Sharp | Promise<Sharp>): Row => [
  name,
  async () => (await image()).toBuffer(),
];

const PICTURES: Readonly<Record<string, readonly Row[]>> = {
  'image/png': [
    ['noise', noise],
    ['few colours', () => chart('png')],
    ['a photo', () => photograph('png')],
    drawn('grey', () => noisy().greyscale().png()),
    drawn('transparent', () => clear().png()),
    drawn('one pixel', () => dot().png()),
    drawn('16 bits', () => noisy().toColourspace('rgb16').png()),
    drawn('interlaced', () => noisy().png({ progressive: true })),
  ],
  'image/jpeg': [
    ['a photo', () => photograph('jpeg')],
    ['a low quality', () => chart('jpeg')],
    drawn('noise of a low quality', () => noisy().jpeg({ quality: 15 })),
    drawn('progressive', () => noisy().jpeg({ progressive: true })),
    drawn('grey', () => noisy().greyscale().jpeg()),
    drawn('CMYK', () => noisy().toColourspace('cmyk').jpeg()),
    drawn('turned', async () => (await photo()).withMetadata({ orientation: 6 }).jpeg()),
    drawn('one pixel', () => dot().jpeg()),
  ],
  'image/webp': [
    ['a photo', () => photograph('webp')],
    ['a low quality', () => chart('webp')],
    drawn('lossless', () => noisy().webp({ lossless: true })),
    drawn('transparent', () => clear().webp()),
    drawn('animated', () => moving().webp()),
  ],
  'image/avif': [
    drawn('noise', () => noisy().avif({ effort: 2 })),
    drawn('a low quality', () => noisy().avif({ effort: 2, quality: 10 })),
    drawn('transparent', () => clear().avif({ effort: 2 })),
  ],
  'image/gif': [
    drawn('noise', () => noisy().gif()),
    drawn('animated', () => moving().gif()),
    drawn('two colours', () => noisy().gif({ colours: 2 })),
  ],
  'image/heic': [
    ['one tile', () => heic({ columns: 1 })],
    ['a grid', () => heic({ columns: 3, rows: 2 })],
    ['turned', () => heic({ quarters: 1 })],
  ],
  'image/tiff': [
    drawn('uncompressed', () => noisy().tiff({ compression: 'none' })),
    drawn('LZW', () => noisy().tiff({ compression: 'lzw' })),
    drawn('JPEG inside', () => noisy().tiff({ compression: 'jpeg', quality: 15 })),
  ],
  'image/bmp': [
    ['of 300 by 200', () => bmp(300, 200)],
    ['one pixel', () => bmp(1, 1)],
  ],
};

let recorder: Worker | undefined;
async function recorded(recording: Recorded): Promise<Uint8Array> {
  if (!recorder) {
    recorder = new Worker(new URL('./recorder.ts', import.meta.url));
    recorder.unref();
  }
  recorder.postMessage(recording);
  const [bytes] = (await once(recorder, 'message')) as [Uint8Array];
  return bytes;
}

const file = (type: string, recording: Recorded): MediaFile => ({
  name: `${type}, ${Object.values(recording).join(' ')}`,
  type,
  make: () => recorded(recording),
  ...(recording.audio === undefined && { isSilent: true }),
});
const raw = (type: string, name: string, seconds: number, make: MediaFile['make']): MediaFile => ({
  name: `${type}, ${name}`,
  type,
  make,
  seconds,
});

const STEREO = { channels: 2, rate: 44_100 };

const RECORDINGS: readonly MediaFile[] = [
  raw('audio/wav', 'three seconds', 3, () => wav(3)),
  raw('audio/wav', 'very short', 0.05, () => wav(0.05)),
  file('audio/wav', { format: 'wav', audio: 'pcm-s16', ...STEREO }),
  file('audio/wav', { format: 'wav', audio: 'ulaw', rate: 8_000 }),
  file('audio/mpeg', { format: 'mp3', audio: 'mp3', ...STEREO }),
  file('audio/mpeg', { format: 'mp3', audio: 'mp3', bitrate: 320_000 }),
  file('audio/mpeg', { format: 'mp3', audio: 'mp3', bitrate: 16_000, rate: 16_000 }),
  file('audio/ogg', { format: 'ogg', audio: 'opus', channels: 2 }),
  file('audio/ogg', { format: 'ogg', audio: 'opus', bitrate: 8_000 }),
  file('audio/ogg', { format: 'ogg', audio: 'vorbis', ...STEREO }),
  file('audio/mp4', { format: 'mp4', audio: 'aac', ...STEREO }),
  file('audio/mp4', { format: 'mp4', audio: 'aac', bitrate: 16_000 }),
  file('audio/aac', { format: 'aac', audio: 'aac' }),
  file('audio/flac', { format: 'flac', audio: 'flac', ...STEREO }),
  file('video/webm', { format: 'webm', audio: 'opus' }),
  file('video/webm', { format: 'webm', video: 'vp8', audio: 'vorbis', bitrate: 200_000 }),
  file('video/webm', { format: 'webm', video: 'vp9', audio: 'opus' }),
  file('video/webm', { format: 'webm', video: 'av1' }),
  file('video/mp4', { format: 'mp4', video: 'avc', audio: 'aac', bitrate: 200_000 }),
  file('video/mp4', { format: 'mp4', video: 'avc' }),
  file('video/mp4', { format: 'mp4', video: 'hevc', audio: 'aac' }),
  file('video/mp4', { format: 'mp4', video: 'av1', audio: 'opus' }),
  raw('video/quicktime', 'sound without compression', 2, () => mov(2)),
  file('video/quicktime', { format: 'mov', video: 'avc', audio: 'pcm-s16', ...STEREO }),
  file('video/matroska', { format: 'mkv', video: 'avc', audio: 'mp3' }),
];

/** Sixty valid files: each format that the runtime reads, large and small, compressed well and badly. */
export const MEDIA_FILES: readonly MediaFile[] = [
  ...Object.entries(PICTURES).flatMap(([type, rows]) =>
    rows.map(([name, make]) => ({ name: `${type}, ${name}`, type, make })),
  ),
  ...RECORDINGS,
];
