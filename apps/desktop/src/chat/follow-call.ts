import type { Answer } from '@svc/runtime';
import type { Asker } from '../cards/prompt-queue.ts';
import type { Desktop } from '../desktop.ts';
import type { ChatCall, ChatCard } from '../wire/chat.ts';

/** Time limit of a tool, not counting time spent waiting for the user, in milliseconds. */
export const TIME_LIMIT_MS = 120_000;

/** The longest that progress of the server extends it, in milliseconds. */
export const MAX_TIME_MS = 10 * 60_000;

type Deps = { desktop: Pick<Desktop, 'prompts' | 'runtime'>; now(): number };

/** Follows a call; `asker` is the one in whose name its cards are shown. */
export type CallFollower = {
  asker: Asker;
  /** Starts the time limit. */
  begin(): void;
  /** Starts it again, because the server reported progress. */
  progressed(): void;
  /** How long cards and sign-ins waited for the user, in milliseconds. */
  waitedMs(): number;
  stop(): void;
};

const stateOf = (answer: Answer | null): ChatCard['state'] => {
  if (answer === null) return 'gone';
  return answer.accepted ? 'accepted' : 'declined';
};

/**
 * Follows the cards and the time limit of a call, for its row in the conversation. The limit is paused while a card or a sign-in
 * waits for the user.
 * @param changed called with the changes of the row
 */
export function followCall(
  { desktop: { prompts, runtime }, now }: Deps,
  chat: string,
  changed: (changes: Pick<ChatCall, 'cards' | 'until'>) => void,
): CallFollower {
  const ownCards = new Set<unknown>();
  let cards: ChatCard[] = [];
  // The app whose sign-in is in progress.
  let signingIn: string | null = null;
  let begunAt: number | null = null;
  let waitedMs = 0;
  let waitingSince: number | null = null;
  const update = () => {
    const isWaiting = signingIn !== null || cards.some(({ state }) => state === 'waiting');
    if (waitingSince !== null) waitedMs += now() - waitingSince;
    waitingSince = isWaiting ? now() : null;
    const end =
      begunAt === null || isWaiting
        ? null
        : Math.min(now() + TIME_LIMIT_MS, begunAt + waitedMs + MAX_TIME_MS);
    const until = end === null ? null : new Date(end).toISOString();
    changed({ cards, until });
  };
  const stopCards = prompts.listen({
    shown({ id, card }) {
      if (!ownCards.has(card)) return;
      cards = [...cards, { id, card, state: 'waiting' }];
      update();
    },
    gone(id, answer) {
      const card = cards.find((card) => card.id === id)?.card;
      if (card === undefined) return;
      if (card.kind === 'connect' && answer?.accepted && answer.choice !== 'retry')
        signingIn = card.app.appId;
      cards = cards.map((other) => (other.id === id ? { ...other, state: stateOf(answer) } : other));
      update();
    },
  });
  const stopEvents = runtime.events.subscribe((event) => {
    if (event.type !== 'sign-in-ended' || event.appId !== signingIn) return;
    signingIn = null;
    update();
  });
  return {
    asker: {
      ...{ name: 'desktop', chat },
      async ask(card) {
        ownCards.add(card);
        return null;
      },
    },
    begin() {
      begunAt = now();
      update();
    },
    progressed: update,
    waitedMs: () => waitedMs + (waitingSince === null ? 0 : now() - waitingSince),
    stop() {
      stopCards();
      stopEvents();
    },
  };
}
