import { describe, expect, it } from 'vitest';
import { createFrameReader, type Frame, frameOf } from '../../src/media/frames.ts';

const read = (chunks: readonly Uint8Array[], maxBytes = 1_000) => {
  const frames: Frame<unknown>[] = [];
  const reader = createFrameReader(maxBytes, (frame) => frames.push(frame));
  for (const chunk of chunks) reader.take(Buffer.from(chunk));
  return frames.map(({ head, bytes }) => [head, Buffer.from(bytes).toString()]);
};
const whole = (head: unknown, text: string) => Buffer.concat(frameOf(head, Buffer.from(text)));

describe('messages between client and media process', () => {
  it.each([1, 2, 7, 1_000])('are read from chunks of %i bytes', (size) => {
    const stream = Buffer.concat([whole({ a: 'ä' }, 'first'), whole({ b: 1 }, ''), whole({ c: 2 }, 'third')]);
    const chunks = Array.from({ length: Math.ceil(stream.length / size) }, (_, at) =>
      stream.subarray(at * size, (at + 1) * size),
    );
    expect(read(chunks)).toEqual([
      [{ a: 'ä' }, 'first'],
      [{ b: 1 }, ''],
      [{ c: 2 }, 'third'],
    ]);
  });

  it('are refused by their length, before their bytes arrive', () => {
    const prefix = (head: number, bytes: number) => {
      const lengths = Buffer.alloc(8);
      lengths.writeUInt32BE(head, 0);
      lengths.writeUInt32BE(bytes, 4);
      return lengths;
    };
    expect(read([prefix(10, 1_000)])).toEqual([]);
    expect(() => read([prefix(10, 1_001)])).toThrow('too large');
    expect(() => read([prefix(0xffffffff, 0)])).toThrow('too large');
  });

  it('are refused when they are not JSON', () => {
    expect(() => read([Buffer.from('00000003000000007b7b7b', 'hex')])).toThrow();
  });
});
