import type { Answer, Ask, Card } from '../cards/card.ts';
import type { PageEvent } from './wire.ts';

type Waiting = { card: Card; answer(answer: Answer): void };

/** Cards that wait for an answer. */
export type CardQueue = {
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
    ask(card, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<Answer>();
      if (signal.aborted) reject(signal.reason);
      if (signal.aborted) return promise;
      const id = newId();
      const end = () => reject(signal.reason);
      signal.addEventListener('abort', end, { once: true });
      cards.set(id, { card, answer: resolve });
      emit({ type: 'card', id, card });
      return promise.finally(() => {
        signal.removeEventListener('abort', end);
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
