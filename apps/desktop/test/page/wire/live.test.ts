import { describe, expect, it } from 'vitest';
import { RefusedError, UnreachableError } from '../../../page/src/wire/desktop-client.ts';
import { backoff, createLive } from '../../../page/src/wire/live.ts';
import type { DesktopEvent } from '../../../src/wire/events.ts';
import type { WaitingCard } from '../../../src/wire/views.ts';
import { CARDS, waiting } from '../support/sample-data.ts';

type Stream = ReadableStreamDefaultController<Uint8Array>;

/** A client whose event streams the test writes. */
function fakeClient(cards: WaitingCard[]) {
  const streams: Stream[] = [];
  const faults: Error[] = [];
  return {
    streams,
    faults,
    client: {
      request: async () => ({ cards }) as never,
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
    emit(event: DesktopEvent) {
      streams.at(-1)?.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`));
    },
  };
}

const until = async (condition: () => boolean) => {
  for (let i = 0; i < 500 && !condition(); i += 1) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(condition()).toBe(true);
};

describe('the live state', () => {
  it('starts with the waiting cards, and does not show an answered card again', async () => {
    const { client, emit } = fakeClient([waiting('c1', CARDS.connect)]);
    const live = createLive(client);
    const end = new AbortController();
    const run = live.run(end.signal);
    await until(() => live.state().connection === 'open');
    emit({ type: 'card', card: waiting('c1', CARDS.connect) });
    emit({ type: 'card', card: waiting('c2', CARDS.save) });
    await until(() => live.state().cards.length === 2);
    live.answered('c1');
    emit({ type: 'card', card: waiting('c1', CARDS.connect) });
    emit({ type: 'card-gone', cardId: 'c2' });
    await until(() => live.state().cards.length === 0);
    end.abort();
    await run;
  });

  it('reconnects after a lost connection, and counts the connections', async () => {
    const { client, streams, faults } = fakeClient([]);
    const live = createLive(client);
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

  it('does not reconnect once the session is refused', async () => {
    const { client, faults } = fakeClient([]);
    faults.push(new RefusedError('unauthorized', 'No.'));
    await createLive(client).run(new AbortController().signal);
    expect(faults).toEqual([]);
  });

  it('backs off exponentially, for at most fifteen seconds', () => {
    const waits = [0, 1, 2, 3, 4, 5, 50, 5_000].map((tries) => backoff(tries, 1));
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
    expect(backoff(1, 0)).toBe(750);
  });
});
