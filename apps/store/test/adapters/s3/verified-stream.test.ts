import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { counted, untilSilent, verified } from '../../../src/adapters/s3/verified-stream.ts';

const blob = (content: string) => ({
  sha256: createHash('sha256').update(content).digest('hex'),
  size: content.length,
});

async function* pieces(...parts: string[]) {
  for (const part of parts) yield Buffer.from(part);
}

/** The content that a reader got before the stream ended, and the error if it failed. */
async function readAll(source: AsyncIterable<Uint8Array>) {
  let got = '';
  try {
    for await (const piece of source) got += Buffer.from(piece).toString();
    return { got };
  } catch (error) {
    return { got, error: (error as Error).message };
  }
}

describe('a verified stream', () => {
  it('returns content with the expected size and hash', async () => {
    expect(await readAll(verified(pieces('hel', 'lo'), blob('hello')))).toEqual({ got: 'hello' });
    expect(await readAll(verified(pieces(), blob('')))).toEqual({ got: '' });
  });

  it.each([
    ['ends early', ['hel'], /less than the 5 bytes/],
    ['is empty', [], /less than the 5 bytes/],
    ['is too long', ['hel', 'lo', '!'], /more than the 5 bytes/],
    ['has other bytes of the same length', ['hel', 'l0'], /other bytes/],
  ])('fails before its last chunk when the content %s', async (_name, parts, error) => {
    const read = await readAll(verified(pieces(...parts), blob('hello')));
    expect(read.error).toMatch(error);
    expect(read.got.length).toBeLessThan('hello'.length);
  });
});

describe('untilSilent', () => {
  it('fails a download that stalls', async () => {
    const controller = new AbortController();
    const body = new ReadableStream<Uint8Array>({
      start(stream) {
        stream.enqueue(Buffer.from('a'));
        controller.signal.addEventListener('abort', () => stream.error(controller.signal.reason));
      },
    });
    expect(await readAll(untilSilent(body, controller, 20))).toEqual({
      got: 'a',
      error: 'no bytes for 20 ms',
    });
  });

  it('does not count the pauses of the reader', async () => {
    const controller = new AbortController();
    const body = ReadableStream.from(pieces('a', 'b', 'c')) as ReadableStream<Uint8Array>;
    let got = '';
    for await (const piece of untilSilent(body, controller, 20)) {
      await new Promise((resolve) => setTimeout(resolve, 60));
      got += Buffer.from(piece).toString();
    }
    expect(got).toBe('abc');
    expect(controller.signal.aborted).toBe(false);
  });

  it('cancels the body when the reader stops', async () => {
    let cancelled = false;
    const body = new ReadableStream<Uint8Array>({
      pull: (stream) => stream.enqueue(Buffer.from('a')),
      cancel: () => {
        cancelled = true;
      },
    });
    for await (const _piece of untilSilent(body, new AbortController(), 1_000)) break;
    expect(cancelled).toBe(true);
  });
});

describe('counted', () => {
  it.each([
    [['hel', 'lo'], { got: 'hello' }],
    [['hel'], { got: 'hel', error: 'S3 sent less than 5 bytes of a part of abc.' }],
    [['hel', 'lo!'], { got: 'hel', error: 'S3 sent more than 5 bytes of a part of abc.' }],
  ])('fails unless the part has 5 bytes: %j', async (parts, read) => {
    expect(await readAll(counted(pieces(...parts), 'abc', 5))).toEqual(read);
  });
});
