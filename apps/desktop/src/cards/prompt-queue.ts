import { AsyncLocalStorage } from 'node:async_hooks';
import type { Answer, Ask, Card, CardContents, CardFile } from '@svc/runtime';
import type { WaitingCard } from '../wire/views.ts';

/** Another way to ask than the page, of the caller. `null`: it cannot ask this, so the page shall. */
export type Asker = {
  name: string;
  /** The conversation in which its cards are shown. */
  chat?: string;
  ask?(card: Card, signal: AbortSignal): Promise<Answer | null>;
};

/** `answer` is null for a card that nobody waits for any more. */
type Listener = { shown(card: WaitingCard): void; gone(cardId: string, answer: Answer | null): void };

/** Where all questions of the runtime meet the person who answers them. */
export type PromptQueue = {
  /** What the runtime asks with. */
  ask: Ask;
  waiting(): WaitingCard[];
  /** A file that a waiting card shows, as it will be sent; null when there is none. */
  fileOf(cardId: string, index: number): { type: string; bytes: Uint8Array } | null;
  /** Answers a card that waits. @returns whether it still did */
  answer(cardId: string, answer: Answer): boolean;
  /** Runs work whose cards are shown by another: an agent that can show them, or one that is only named on them. */
  as<Result>(asker: Asker, work: () => Promise<Result>): Promise<Result>;
  /** @returns what ends the listening */
  listen(listener: Listener): () => void;
};

/** How the page is named where an agent would be: as who asks. */
export const PAGE_NAME = 'desktop';

const PAGE: Asker = { name: PAGE_NAME };

type Waiting = { shown: WaitingCard; contents: CardContents | undefined; answered(answer: Answer): void };

const filesOf = (card: Card): readonly CardFile[] => {
  if (card.kind === 'approval') return card.files;
  return card.kind === 'save' ? [card.file] : [];
};

/** @param ids makes ids that nobody can guess */
export function createPromptQueue({ now, newId }: { now(): Date; newId(): string }): PromptQueue {
  const askers = new AsyncLocalStorage<Asker>();
  const listeners = new Set<Listener>();
  const waiting = new Map<string, Waiting>();

  function askOnPage(
    card: Card,
    { name: asker, chat }: Asker,
    [signal, contents]: [AbortSignal, CardContents | undefined],
  ): Promise<Answer> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const asked = { asker, askedAt: now().toISOString(), ...(chat !== undefined && { chat }) };
    const shown = { id: newId(), card, ...asked };
    let given: Answer | null = null;
    const giveUp = () => reject(signal.reason);
    signal.addEventListener('abort', giveUp, { once: true });
    waiting.set(shown.id, {
      shown,
      contents,
      answered(answer) {
        given = answer;
        resolve(answer);
      },
    });
    for (const listener of listeners) listener.shown(shown);
    return promise.finally(() => {
      signal.removeEventListener('abort', giveUp);
      waiting.delete(shown.id);
      for (const listener of listeners) listener.gone(shown.id, given);
    });
  }

  return {
    async ask(card, signal, contents) {
      const asker = askers.getStore() ?? PAGE;
      return (await asker.ask?.(card, signal)) ?? askOnPage(card, asker, [signal, contents]);
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
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
