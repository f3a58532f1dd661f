import { AsyncLocalStorage } from 'node:async_hooks';
import type { Answer, Ask } from './card.ts';

/** Most cards of one page that the user declines: later ones, and those that wait, are declined without the user. */
const MAX_DECLINED = 3;

/** Counts the cards of one page or panel that the user declined. */
export function createCardLimit() {
  const end = new AbortController();
  let declined = 0;
  const cardLimit = {
    /** Whether no more cards are shown. */
    isOver: () => end.signal.aborted,
    /** Runs work of the page, whose cards are counted. */
    within: <T>(work: () => T): T => asking.run(cardLimit, work),
    /** Asks, until the user has declined too often; the cards that wait then go away. */
    async ask(ask: Ask, [card, signal, ...contents]: Parameters<Ask>): Promise<Answer> {
      signal.throwIfAborted();
      if (end.signal.aborted) return { accepted: false };
      try {
        const answer = await ask(card, AbortSignal.any([signal, end.signal]), ...contents);
        if (!answer.accepted) declined += 1;
        if (declined >= MAX_DECLINED) end.abort();
        return answer;
      } catch (error) {
        if (!end.signal.aborted || signal.aborted) throw error;
        return { accepted: false };
      }
    },
  };
  return cardLimit;
}

export type CardLimit = ReturnType<typeof createCardLimit>;

const asking = new AsyncLocalStorage<CardLimit | null>();

/** Shows the cards of work within a page or panel only as long as the user does not decline too many of them. */
export const limitedAsk =
  (ask: Ask): Ask =>
  (...card) => {
    const cardLimit = asking.getStore();
    // A card that is asked through two of these counts once.
    return cardLimit ? asking.run(null, () => cardLimit.ask(ask, card)) : ask(...card);
  };
