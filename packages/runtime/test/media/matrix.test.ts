import type { MediaRequest } from '@svc/contracts';
import { DEEP } from '@svc/testkit';
import sharp from 'sharp';
import { afterAll, expect, it } from 'vitest';
import { typeOfFile } from '../../src/files/file-type.ts';
import { createPrepare } from '../../src/media/prepare.ts';
import { RuntimeError } from '../../src/platform/runtime-error.ts';
import { MEDIA_FILES, type MediaFile } from '../support/media-files.ts';
import { system } from '../support/system.ts';

const prepare = createPrepare(system);
afterAll(() => prepare.close());
const { signal } = new AbortController();

const OF_ALL: readonly MediaRequest[] = [
  { op: 'compress', quality: 95 },
  { op: 'compress', quality: 30 },
  { op: 'compress', targetKb: 10 },
  { op: 'compress', targetKb: 20 },
  { op: 'compress', targetKb: 50_000 },
];
const OF_PICTURES: readonly MediaRequest[] = [
  { op: 'resize', width: 60 },
  { op: 'resize', width: 5_000 },
  { op: 'resize', width: 100, height: 100 },
  { op: 'resize', width: 300, height: 300, fit: 'contain' },
  { op: 'crop', aspect: '1:1' },
  { op: 'crop', width: 118, height: 38 },
  { op: 'convert', format: 'webp' },
  ...OF_ALL,
];
const OF_RECORDINGS: readonly MediaRequest[] = [
  { op: 'trim', end: 0.4 },
  { op: 'trim', start: 0.101 },
  { op: 'trim', end: 600 },
  { op: 'convert', format: 'mp3' },
  { op: 'convert', format: 'ogg', quality: 40 },
  { op: 'convert', format: 'wav' },
  { op: 'convert', format: 'm4a' },
  ...OF_ALL,
];
const PREPARATIONS = 12;

const isPicture = ({ type }: MediaFile): boolean => type.startsWith('image/');
const requestsFor = (file: MediaFile) => (isPicture(file) ? OF_PICTURES : OF_RECORDINGS);

const SMALLEST = /cannot be made that small: the smallest possible size is (\d+) KB\.$/;

/** Whether an error is what the documentation says about such a request, and no sign of a codec that failed. */
function isExpected({ message }: RuntimeError, { seconds = 1, isSilent }: MediaFile, request: MediaRequest) {
  if (request.targetKb !== undefined && SMALLEST.test(message)) return true;
  if (message === 'The result would be larger than the file.') return request.op !== 'convert';
  if (message === 'The recording ends before that.') return (request.start ?? 0) >= seconds;
  return request.op === 'convert' && isSilent && message === 'The recording cannot be written that way.';
}

const pixelsOf = async (bytes: Uint8Array): Promise<number> => {
  const { width, height } = await sharp(bytes).metadata();
  return width * height;
};

/** Prepares a file, and expects what the documentation promises of the result. @returns the refusal, if it is one */
async function check(
  file: MediaFile,
  bytes: Uint8Array,
  request: MediaRequest,
): Promise<RuntimeError | null> {
  const of = [file.name, request] as const;
  const made = await prepare({ bytes, type: file.type }, request, signal).catch((error: unknown) => error);
  if (made instanceof RuntimeError) {
    expect([...of, made.message, isExpected(made, file, request)]).toEqual([...of, made.message, true]);
    return made;
  }
  if (made instanceof Error) throw made;
  const result = made as { bytes: Uint8Array; type: string };
  const isOther = request.op === 'convert' && result.type !== file.type;
  const isLarge = request.fit !== undefined || isOther;
  const most = Math.min(
    isLarge ? Number.POSITIVE_INFINITY : bytes.byteLength,
    (request.targetKb ?? Number.POSITIVE_INFINITY) * 1024,
  );
  expect([...of, Math.max(0, result.bytes.byteLength - most)]).toEqual([...of, 0]);
  const type = await typeOfFile(result.bytes, '');
  // What has only sound is known by its content as the video of its container.
  expect([...of, type.replace('video', 'audio')]).toEqual([...of, result.type.replace('video', 'audio')]);
  // `sharp` reads no HEIC and no BMP.
  if (isPicture(file) && request.fit === undefined && !/heic|bmp/.test(file.type))
    expect([...of, (await pixelsOf(result.bytes)) <= (await pixelsOf(bytes))]).toEqual([...of, true]);
  return null;
}

it('gives each kind of file at most the bytes and pixels that it had, and ends no process: each preparation once', async () => {
  expect([MEDIA_FILES.length, OF_PICTURES.length, OF_RECORDINGS.length]).toEqual([60, 12, 12]);
  for (let at = 0; at < MEDIA_FILES.length; at += 5) {
    const file = MEDIA_FILES[at] as MediaFile;
    await check(file, await file.make(), requestsFor(file)[at % PREPARATIONS] as MediaRequest);
  }
});

it('does so for sixty files and twelve preparations, and keeps the smallest possible size that it names', {
  ...DEEP,
  timeout: 1_200_000,
}, async () => {
  let refusals = 0;
  for (const file of MEDIA_FILES) {
    const bytes = await file.make();
    for (const request of requestsFor(file)) {
      const refusal = await check(file, bytes, request);
      if (!refusal) continue;
      refusals += 1;
      const [, smallest] = SMALLEST.exec(refusal.message) ?? [];
      if (smallest === undefined) continue;
      expect([file.name, request, Number(smallest) > (request.targetKb ?? 0)]).toEqual([
        file.name,
        request,
        true,
      ]);
      expect(await check(file, bytes, { op: 'compress', targetKb: Number(smallest) })).toBeNull();
    }
  }
  expect(refusals).toBeLessThan(40);
});
