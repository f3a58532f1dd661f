import type { Answer } from '@svc/runtime';
import type { Asker } from '../cards/prompt-queue.ts';
import type { Desktop } from '../desktop.ts';
import type { ChatCall, ChatCard } from '../wire/chat.ts';

/** How long a tool may take while nothing waits for the user, in milliseconds. */
export const TIME_LIMIT_MS = 120_000;

type Deps = { desktop: Pick<Desktop, 'desk' | 'runtime'>; now(): number };

/** What follows a call, and the asker in whose name its cards are shown. */
export type Following = {
  asker: Asker;
  /** Begins the time limit. */
  begin(): void;
  stop(): void;
};

const stateOf = (answer: Answer | null): ChatCard['state'] => {
  if (answer === null) return 'gone';
  return answer.accepted ? 'accepted' : 'declined';
};

/**
 * Follows what a call waits for, so that its row shows cards where they arose, and when its time limit ends. No time passes while a
 * card or a sign-in waits for the user.
 * @param changed told what changes in the row
 */
export function followCall(
  { desktop: { desk, runtime }, now }: Deps,
  chat: string,
  changed: (changes: Pick<ChatCall, 'cards' | 'until'>) => void,
): Following {
  const asked = new Set<unknown>();
  let cards: ChatCard[] = [];
  // The app whose sign-in the user was led to.
  let signingIn: string | null = null;
  let hasBegun = false;
  const tell = () => {
    const isWaiting = signingIn !== null || cards.some(({ state }) => state === 'waiting');
    const until = hasBegun && !isWaiting ? new Date(now() + TIME_LIMIT_MS).toISOString() : null;
    changed({ cards, until });
  };
  const stopCards = desk.listen({
    shown({ id, card }) {
      if (!asked.has(card)) return;
      cards = [...cards, { id, card, state: 'waiting' }];
      tell();
    },
    gone(id, answer) {
      const card = cards.find((one) => one.id === id)?.card;
      if (card === undefined) return;
      if (card.kind === 'connect' && answer?.accepted && answer.choice !== 'retry')
        signingIn = card.app.appId;
      cards = cards.map((one) => (one.id === id ? { ...one, state: stateOf(answer) } : one));
      tell();
    },
  });
  const stopEvents = runtime.events.listen((event) => {
    if (event.type !== 'sign-in-ended' || event.appId !== signingIn) return;
    signingIn = null;
    tell();
  });
  return {
    asker: {
      ...{ name: 'desktop', chat },
      async ask(card) {
        asked.add(card);
        return null;
      },
    },
    begin() {
      hasBegun = true;
      tell();
    },
    stop() {
      stopCards();
      stopEvents();
    },
  };
}
