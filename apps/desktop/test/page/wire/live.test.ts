import { describe, expect, it } from 'vitest';
import { RefusedError, UnreachableError } from '../../../page/src/wire/ask.ts';
import { backoff, createLive } from '../../../page/src/wire/live.ts';
import type { DesktopEvent } from '../../../src/wire/events.ts';
import type { WaitingCard } from '../../../src/wire/views.ts';
import { CARDS, waiting } from '../support/sample-data.ts';

type Stream = ReadableStreamDefaultController<Uint8Array>;

/** A desktop whose streams the test writes. */
function deskOf(cards: WaitingCard[]) {
  const streams: Stream[] = [];
  const faults: Error[] = [];
  return {
    streams,
    faults,
    desk: {
      ask: async () => ({ cards }) as never,
      async events(signal: AbortSignal) {
        const fault = faults.shift();
        if (fault) throw fault;
        return new ReadableStream<Uint8Array>({
          start(stream) {
            streams.push(stream);
            signal.addEventListener('abort', () => stream.error(signal.reason), { once: true });
          },
        });
      },
    },
    tell(event: DesktopEvent) {
      streams.at(-1)?.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`));
    },
  };
}

const until = async (isSo: () => boolean) => {
  for (let i = 0; i < 500 && !isSo(); i += 1) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(isSo()).toBe(true);
};

describe('what the desktop tells', () => {
  it('begins with the cards that wait, and asks none twice that was answered here', async () => {
    const { desk, tell } = deskOf([waiting('c1', CARDS.connect)]);
    const live = createLive(desk);
    const end = new AbortController();
    const run = live.run(end.signal);
    await until(() => live.state().connection === 'open');
    tell({ type: 'card', card: waiting('c1', CARDS.connect) });
    tell({ type: 'card', card: waiting('c2', CARDS.save) });
    await until(() => live.state().cards.length === 2);
    live.answered('c1');
    tell({ type: 'card', card: waiting('c1', CARDS.connect) });
    tell({ type: 'card-gone', cardId: 'c2' });
    await until(() => live.state().cards.length === 0);
    end.abort();
    await run;
  });

  it('is followed again after a loss, and what was missed is known to be missed', async () => {
    const { desk, streams, faults } = deskOf([]);
    const live = createLive(desk);
    const end = new AbortController();
    const run = live.run(end.signal);
    await until(() => live.state().opened === 1);
    faults.push(new UnreachableError());
    streams.at(-1)?.close();
    await until(() => live.state().connection === 'lost' && live.state().retryAt !== null);
    live.retry();
    await until(() => faults.length === 0 && live.state().retryAt !== null);
    live.retry();
    await until(() => live.state().opened === 2 && live.state().connection === 'open');
    end.abort();
    await run;
  });

  it('is followed no more once the session is refused', async () => {
    const { desk, faults } = deskOf([]);
    faults.push(new RefusedError('unauthorized', 'No.'));
    await createLive(desk).run(new AbortController().signal);
    expect(faults).toEqual([]);
  });

  it('is waited for longer after each loss, and never for more than fifteen seconds', () => {
    const waits = [0, 1, 2, 3, 4, 5, 50, 5_000].map((tries) => backoff(tries, 1));
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
    expect(backoff(1, 0)).toBe(750);
  });
});
