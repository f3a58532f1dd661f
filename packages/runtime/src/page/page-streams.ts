import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { guarded } from '@svc/contracts/guarded';
import type { Answer, Ask, Card } from '../cards/card.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import { orAborted } from '../platform/within-time.ts';
import type { PageEvent } from './wire.ts';

type Waiting = { card: Card; answer(answer: Answer): void };

/** Cards that wait for an answer. */
type CardQueue = {
  ask: Ask;
  /** The events for a page that has just opened. */
  waiting(): Extract<PageEvent, { type: 'card' }>[];
  /** @returns whether the card was still waiting */
  answer(id: string, answer: Answer): boolean;
};

/**
 * Shows cards on all pages; the first answer wins.
 * @param newId creates unguessable ids
 */
export function createCardQueue(newId: () => string, emit: (event: PageEvent) => void): CardQueue {
  const cards = new Map<string, Waiting>();
  return {
    async ask(card, signal) {
      signal.throwIfAborted();
      const { promise, resolve } = Promise.withResolvers<Answer>();
      const id = newId();
      cards.set(id, { card, answer: resolve });
      emit({ type: 'card', id, card });
      return orAborted(signal, promise).finally(() => {
        cards.delete(id);
        emit({ type: 'card-gone', id });
      });
    },
    waiting: () => Array.from(cards, ([id, { card }]) => ({ type: 'card', id, card })),
    answer(id, answer) {
      const entry = cards.get(id);
      entry?.answer(answer);
      return entry !== undefined;
    },
  };
}

/** Maximum number of pages at the same time. */
const MAX_STREAMS = 32;

/** Maximum bytes buffered for a page that does not read. Beyond that its stream ends, and the page reconnects. */
const MAX_WAITING = 8 * 1024 * 1024;

/** Interval of the keep-alive of an idle stream, in milliseconds. */
const PULSE_MS = 20_000;

/** Creates the streams of pages. */
export function createPageStreams() {
  const streams = new Map<string, ServerResponse>();
  const send = (response: ServerResponse, text: string): void => {
    if (response.writableLength > MAX_WAITING) response.destroy();
    else if (!response.writableEnded) response.write(text);
  };
  const line = (event: PageEvent): string => `data: ${JSON.stringify(event)}\n\n`;
  return {
    /** Sends an event to all pages, or to that of a session. */
    emit(event: PageEvent, session?: string) {
      for (const [id, response] of streams)
        if (session === undefined || session === id) send(response, line(event));
    },
    has: (session: string) => streams.has(session),
    /** Serves a stream until its page disconnects. @throws RuntimeError `too-many` */
    async serve(response: ServerResponse, session: string, first: readonly PageEvent[]) {
      if (streams.size >= MAX_STREAMS) throw new RuntimeError('too-many', 'Too many pages are open.');
      response.writeHead(200, {
        'Content-Type': 'text/event-stream',
        'Cache-Control': 'no-store',
        'X-Content-Type-Options': 'nosniff',
      });
      streams.set(session, response);
      for (const event of first) send(response, line(event));
      const keepAlive = () => send(response, ':\n\n');
      const pulse = setInterval(guarded(keepAlive), PULSE_MS).unref();
      const gone = once(response, 'close');
      if (!response.destroyed) await gone;
      clearInterval(pulse);
      streams.delete(session);
    },
    close() {
      for (const response of streams.values()) response.end();
    },
  };
}
