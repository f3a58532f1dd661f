import { expect, it } from 'vitest';
import { readEvents } from '../../../src/page/client/read-events.ts';

async function eventsOf(...pieces: (string | Uint8Array)[]): Promise<unknown[]> {
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces)
        controller.enqueue(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece);
      controller.close();
    },
  });
  return Array.fromAsync(readEvents(stream));
}

it('reads events that arrive in one piece or in many', async () => {
  const text = ':\n\ndata: {"type":"card","id":"ä"}\n\ndata: [1]\n\n';
  const whole = [{ type: 'card', id: 'ä' }, [1]];
  expect(await eventsOf(text)).toEqual(whole);
  const bytes = new TextEncoder().encode(text);
  expect(await eventsOf(...Array.from(bytes, (_, i) => bytes.slice(i, i + 1)))).toEqual(whole);
});

it('ignores an incomplete event, and throws for one that is too long', async () => {
  expect(await eventsOf('data: 1\n\ndata: 2')).toEqual([1]);
  await expect(eventsOf('x'.repeat(9 * 1024 * 1024))).rejects.toThrow(RangeError);
});
