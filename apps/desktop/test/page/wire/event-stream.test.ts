import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEvents } from '../../../page/src/wire/event-stream.ts';

async function* pieces(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (const size of sizes) {
    yield bytes.subarray(at, at + size);
    at += size;
  }
  yield bytes.subarray(at);
}

const read = (text: string, sizes: readonly number[] = []) =>
  Array.fromAsync(readEvents(pieces(new TextEncoder().encode(text), sizes)));

describe('an event stream', () => {
  it('gives the data of each event, and passes over the rest', async () => {
    const text = ': pulse\n\ndata: {"a":1}\n\nevent: x\nid: 7\ndata:b\ndata:  c\n\n\ndata: unfinished';
    expect(await read(text)).toEqual(['{"a":1}', 'b\n c']);
  });

  it('says the same in whatever pieces it arrives, with whatever ends its lines', async () => {
    const line = fc.string({ unit: 'grapheme', maxLength: 8 }).filter((text) => !/[\r\n]/.test(text));
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 5 }),
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.array(fc.nat(6), { maxLength: 40 }),
        async (lines, end, sizes) => {
          const text = lines.map((data) => `data: ${data}${end}${end}`).join('');
          // The last line's end may be half of one until more arrives.
          expect(await read(`${text}:${end}`, sizes)).toEqual(lines);
        },
      ),
    );
  });

  it('is given up when an event never ends', async () => {
    const endless = `data: ${'x'.repeat(5 * 1024 * 1024)}`;
    await expect(read(endless)).rejects.toThrow(RangeError);
    const many = 'data: xxxxxxxx\n'.repeat(400_000);
    await expect(read(many)).rejects.toThrow(RangeError);
  });
});
