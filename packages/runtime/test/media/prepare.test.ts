import { deflateSync } from 'node:zlib';
import type { MediaRequest } from '@svc/contracts';
import { DEEP } from '@svc/testkit';
import sharp from 'sharp';
import { afterAll, describe, expect, it } from 'vitest';
import { typeOfFile } from '../../src/files/file-type.ts';
import { createPrepare } from '../../src/media/prepare.ts';
import { RuntimeError } from '../../src/platform/runtime-error.ts';
import { MEDIA_FILES, type MediaFile } from '../support/media-files.ts';
import { noise, photograph } from '../support/pictures.ts';
import { mov, wav } from '../support/recordings.ts';
import { refused } from '../support/refused.ts';
import { system } from '../support/system.ts';

const prepare = createPrepare(system);
afterAll(() => prepare.close());
const { signal } = new AbortController();
const run = (bytes: Uint8Array, type: string, request: MediaRequest) =>
  prepare({ bytes, type }, request, signal);

it('prepares a picture and a recording in processes of their own', async () => {
  const picture = await run(await photograph(), 'image/jpeg', { op: 'convert', format: 'png' });
  expect([picture.type, await typeOfFile(picture.bytes, '')]).toEqual(['image/png', 'image/png']);
  const sound = await run(wav(1), 'audio/wav', { op: 'trim', end: 0.5 });
  expect(await typeOfFile(sound.bytes, '')).toBe('audio/wav');
  expect(sound.bytes.byteLength).toBeLessThan(10_000);
});

// The encoder wrote the second samples beyond the buffer of the first ones, of which a trim leaves a part.
it('trims QuickTime with sound that is not compressed', async () => {
  const bytes = await mov(2);
  for (const start of [0.001, 0.2, 0.255, 0.303]) {
    const made = await run(bytes, 'video/quicktime', { op: 'trim', start });
    expect([start, await typeOfFile(made.bytes, '')]).toEqual([start, 'video/mp4']);
  }
});

describe('a malicious file', () => {
  const chunk = (name: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(name), data]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length, 0);
    // libpng verifies the checksum of the header.
    frame.writeUInt32BE(crc(body), 4);
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
  };
  const crc = (bytes: Buffer) => {
    let value = ~0;
    for (const byte of bytes) {
      value ^= byte;
      for (let bit = 0; bit < 8; bit += 1) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0);
    }
    return ~value >>> 0;
  };
  /** A picture of 20,000 by 20,000 in a few kilobytes. */
  function bomb(): Buffer {
    const header = Buffer.alloc(13);
    header.writeUInt32BE(20_000, 0);
    header.writeUInt32BE(20_000, 4);
    header.set([1, 0, 0, 0, 0], 8);
    const signature = Buffer.from('89504e470d0a1a0a', 'hex');
    const rows = deflateSync(Buffer.alloc(2_501 * 100));
    return Buffer.concat([
      signature,
      chunk('IHDR', header),
      chunk('IDAT', rows),
      chunk('IEND', Buffer.alloc(0)),
    ]);
  }

  it.concurrent.each<[string, string, () => Promise<Buffer> | Buffer]>([
    ['claims many pixels', 'image/png', bomb],
    ['is truncated', 'image/jpeg', async () => (await photograph()).subarray(0, 300)],
    [
      'has another type than declared',
      'image/png',
      () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
    ],
    ['is empty', 'image/webp', () => Buffer.alloc(0)],
    ['is not a recording', 'video/mp4', () => Buffer.from('00000018667479706d703432', 'hex')],
    ['is a recording without content', 'audio/wav', () => wav(0).subarray(0, 20)],
  ])('that %s is refused, with a message without details of the file', async (_what, type, make) => {
    const request: MediaRequest = type.startsWith('image/')
      ? { op: 'resize', width: 10 }
      : { op: 'trim', end: 1 };
    const error = await run(await make(), type, request).catch((fault: unknown) => fault);
    expect(error).toEqual(refused('media-failed'));
    expect((error as Error).message).toMatch(/^[A-Z][a-z ]+\.$/);
  });

  it.each(['image/svg+xml', 'application/pdf', 'text/html', 'image/x-icon'])(
    'of type %s is not opened',
    async (type) => {
      await expect(run(Buffer.from('x'), type, { op: 'resize', width: 10 })).rejects.toEqual(
        refused('media-failed'),
      );
    },
  );

  it('is no longer processed after the time limit, or when the caller aborts', async () => {
    const impatient = createPrepare({ sleep: () => Promise.resolve() });
    const given = { bytes: await noise(), type: 'image/png' };
    await expect(impatient(given, { op: 'resize', width: 10 }, signal)).rejects.toEqual(refused('too-slow'));
    const controller = new AbortController();
    const running = prepare(given, { op: 'compress', targetKb: 10 }, controller.signal);
    controller.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
  });
});

it('does not block the main thread', DEEP, async () => {
  const given = await noise();
  // The share of time that this thread was active, which does not depend on the load of the machine.
  const before = performance.eventLoopUtilization();
  await Promise.all([1, 2, 3].map(() => run(given, 'image/png', { op: 'compress', targetKb: 20 })));
  expect(performance.eventLoopUtilization(before).utilization).toBeLessThan(0.5);
});

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
