import { AsyncLocalStorage } from 'node:async_hooks';
import type { Answer, Ask, Card, CardContents, CardFile, ServerServices } from '@svc/runtime';
import { orAborted } from '@svc/runtime/parts';
import type { WaitingCard } from '../wire/views.ts';

/** The caller in whose name a card is shown. Its `ask` may show the card itself; null means that the page shows it. */
export type Asker = {
  name: string;
  /** The conversation in which its cards are shown. */
  chat?: string;
  ask?(card: Card, signal: AbortSignal): Promise<Answer | null>;
  /** Called when one of its cards begins to wait for the user. @returns called when that ends */
  waits?(card: Card): () => void;
  /** Has the caller's own model answer the server of a connector. */
  sample?: ServerServices['sample'];
};

/** `answer` is null for a card whose caller stopped waiting. */
type Listener = { shown(card: WaitingCard): void; gone(cardId: string, answer: Answer | null): void };

/** The queue of cards that wait for the user's answer. */
export type PromptQueue = {
  /** Shows a card and waits for the answer. The runtime calls it. */
  ask: Ask;
  waiting(): WaitingCard[];
  /** A file of a waiting card, as it will be sent; null if there is none. */
  fileOf(cardId: string, index: number): { type: string; bytes: Uint8Array } | null;
  /** Answers a card. @returns whether the card was still waiting */
  answer(cardId: string, answer: Answer): boolean;
  /** Runs work whose cards are shown in the name of an asker. */
  as<Result>(asker: Asker, work: () => Promise<Result>): Promise<Result>;
  /** The asker of the work that runs now. */
  asker(): Asker;
  /** @returns a function that removes the listener */
  listen(listener: Listener): () => void;
};

/** The asker name of the page. */
export const PAGE_NAME = 'desktop';

const PAGE: Asker = { name: PAGE_NAME };

type Waiting = { shown: WaitingCard; contents: CardContents | undefined; answered(answer: Answer): void };

const filesOf = (card: Card): readonly CardFile[] => {
  if (card.kind === 'approval') return card.files;
  return card.kind === 'save' ? [card.file] : [];
};

/** @param newId creates unguessable ids */
export function createPromptQueue({ now, newId }: { now(): Date; newId(): string }): PromptQueue {
  const askers = new AsyncLocalStorage<Asker>();
  const askerNow = () => askers.getStore() ?? PAGE;
  const listeners = new Set<Listener>();
  const waiting = new Map<string, Waiting>();

  function askOnPage(
    card: Card,
    { name: asker, chat }: Asker,
    [signal, contents]: [AbortSignal, CardContents | undefined],
  ): Promise<Answer> {
    signal.throwIfAborted();
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const origin = { asker, askedAt: now().toISOString(), ...(chat !== undefined && { chat }) };
    const shown = { id: newId(), card, ...origin };
    let given: Answer | null = null;
    waiting.set(shown.id, {
      shown,
      contents,
      answered(answer) {
        given = answer;
        resolve(answer);
      },
    });
    for (const listener of listeners) listener.shown(shown);
    return orAborted(signal, promise).finally(() => {
      waiting.delete(shown.id);
      for (const listener of listeners) listener.gone(shown.id, given);
    });
  }

  return {
    async ask(card, signal, contents) {
      const asker = askerNow();
      const ended = asker.waits?.(card);
      try {
        return (await asker.ask?.(card, signal)) ?? (await askOnPage(card, asker, [signal, contents]));
      } finally {
        ended?.();
      }
    },
    waiting: () => [...waiting.values()].map(({ shown }) => shown),
    fileOf(cardId, index) {
      const card = waiting.get(cardId);
      const file = card && filesOf(card.shown.card)[index];
      const bytes = file && card.contents?.(index);
      return bytes ? { type: file.type, bytes } : null;
    },
    answer(cardId, answer) {
      const card = waiting.get(cardId);
      card?.answered(answer);
      return waiting.delete(cardId);
    },
    as: (asker, work) => askers.run(asker, work),
    asker: askerNow,
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
