import { setTimeout as sleep } from 'node:timers/promises';
import { createPrepare } from '@svc/runtime/parts';
import sharp from 'sharp';
import { prepareRecording } from '../../packages/runtime/src/media/recordings.ts';
import { wav } from '../../packages/runtime/test/support/recordings.ts';
import type { Figure } from './lib/figure.ts';
import { median } from './lib/processes.ts';
import { took } from './lib/took.ts';

const PICTURES = 12;
const RECORDINGS = 6;
const SECONDS = 30;
const WIDTH = 1_600;
const MB = 1_000_000;

const { signal } = new AbortController();

/** A photo of six megapixels. */
const photo = () =>
  sharp({
    create: {
      width: 3_000,
      height: 2_000,
      channels: 3,
      background: '#888888',
      noise: { type: 'gaussian', mean: 128, sigma: 40 },
    },
  })
    .jpeg({ quality: 90 })
    .toBuffer();

/** The same with the bare codec, in this process. */
const resized = (bytes: Uint8Array) =>
  sharp(bytes, { failOn: 'error' })
    .autoOrient()
    .resize({ width: WIDTH, withoutEnlargement: true })
    .jpeg({ quality: 80 })
    .toBuffer();

/** Alternates both ways. @returns the medians in milliseconds, without the first, which starts a process or loads a codec */
async function compare(rounds: number, ours: () => Promise<unknown>, theirs: () => Promise<unknown>) {
  const times = { ours: [] as number[], theirs: [] as number[] };
  for (let n = -1; n < rounds; n += 1) {
    const [bare, own] = [await took(theirs), await took(ours)];
    if (n < 0) continue;
    times.ours.push(own);
    times.theirs.push(bare);
  }
  return { ours: median(times.ours), theirs: median(times.theirs) };
}

const ratio = (name: string, { ours, theirs }: { ours: number; theirs: number }): Figure => ({
  name,
  measured: `${ours.toFixed(0)} against ${theirs.toFixed(0)} ms`,
  value: ours / theirs,
  unit: ' times',
  bound: { most: 1.3 },
});

/** Media operations in processes of their own, against the codecs in the process of the client. */
export async function media(): Promise<Figure[]> {
  // As the process of the codecs, so that both use one core.
  sharp.concurrency(1);
  sharp.cache(false);
  const prepare = createPrepare({
    sleep: (ms, stop) => sleep(ms, undefined, { signal: stop, ref: false }),
  });
  try {
    const [picture, sound] = [await photo(), wav(SECONDS)];
    const resize = () =>
      prepare({ bytes: picture, type: 'image/jpeg' }, { op: 'resize', width: WIDTH }, signal);
    await resize();
    const before = process.memoryUsage().rss;
    for (let n = 0; n < PICTURES; n += 1) await resize();
    const grown = (process.memoryUsage().rss - before) / MB;
    const pictures = await compare(PICTURES, resize, () => resized(picture));
    const convert = { op: 'convert', format: 'mp3' } as const;
    const recordings = await compare(
      RECORDINGS,
      () => prepare({ bytes: sound, type: 'audio/wav' }, convert, signal),
      () => prepareRecording(sound, 'audio/wav', convert),
    );
    return [
      ratio(
        `Resizing a photo of 6 megapixels (${(picture.length / MB).toFixed(1)} MB) in the process of the codecs, against sharp in the process of the client`,
        pictures,
      ),
      ratio(
        `Encoding ${SECONDS} seconds of sound as MP3 in the process of the codecs, against the same encoder in the process of the client`,
        recordings,
      ),
      {
        name: `Memory of a client that has ${PICTURES} such photos resized, after the first`,
        measured: 'resident memory of its process, without that of the codecs',
        value: grown,
        unit: ' MB',
        bound: { most: 60 },
      },
    ];
  } finally {
    await prepare.close();
  }
}
