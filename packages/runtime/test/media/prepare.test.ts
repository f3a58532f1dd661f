import { deflateSync } from 'node:zlib';
import type { MediaRequest } from '@svc/contracts';
import { DEEP } from '@svc/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import { typeOfFile } from '../../src/files/file-type.ts';
import { createPrepare } from '../../src/media/prepare.ts';
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
