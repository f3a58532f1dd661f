import type { Answer, Card } from '@svc/runtime';
import { useEffect, useRef, useState } from 'react';
import type { WaitingCard } from '../../../src/wire/views.ts';
import { ErrorMessage } from '../parts/parts.tsx';
import { RefusedError } from '../wire/ask.ts';
import { useDesk, useLive } from '../wire/use-desktop.ts';
import { WORDS } from '../words.ts';
import { contentOf } from './card-content.tsx';

const MESSAGES = WORDS.cards;

/** How long a card is shown in front before it can be agreed to, in milliseconds: a click meant for what was there before must not. */
const LOOK_FIRST_MS = 600;

const isInFront = (): boolean => document.visibilityState === 'visible' && document.hasFocus();

/** How often the page looks whether it is in front, in milliseconds: not every browser tells when it is again. */
const LOOK_EVERY_MS = 100;

/** Whether a card was looked at: the page was in front for a moment, and still is. */
export function useLookedAt(): boolean {
  const [lookedAt, setLookedAt] = useState(false);
  useEffect(() => {
    let since: number | null = null;
    const look = () => {
      since = isInFront() ? (since ?? performance.now()) : null;
      setLookedAt(since !== null && performance.now() - since >= LOOK_FIRST_MS);
    };
    look();
    const timer = setInterval(look, LOOK_EVERY_MS);
    const events = ['focus', 'blur'] as const;
    for (const name of events) window.addEventListener(name, look);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearInterval(timer);
      for (const name of events) window.removeEventListener(name, look);
      document.removeEventListener('visibilitychange', look);
    };
  }, []);
  return lookedAt;
}

const answerTo = (card: Card, accepted: boolean, choice?: 'retry'): Answer => {
  if (!accepted) return { accepted };
  if (choice !== undefined) return { accepted, choice };
  return 'binding' in card ? { accepted, binding: card.binding } : { accepted };
};

const isGone = (fault: unknown): boolean => fault instanceof RefusedError && fault.code === 'not_found';

/** Sends what the user answers, once. A card that nobody waits for any more is taken away. */
export function useAnswer({ id, card }: WaitingCard) {
  const desk = useDesk();
  const live = useLive();
  const sent = useRef(false);
  const [error, setError] = useState<Error | null>(null);
  const answer = async (accepted: boolean, choice?: 'retry') => {
    if (sent.current) return;
    sent.current = true;
    try {
      await desk.ask('cards.answer', { cardId: id, answer: answerTo(card, accepted, choice) });
      live.answered(id);
    } catch (fault) {
      if (isGone(fault)) return live.answered(id);
      sent.current = false;
      setError(fault as Error);
    }
  };
  return { answer, error };
}

/** A card in its conversation. Only a click or key of the user on it, in a page that is in front, agrees to it. */
export function CardAnswer({ waiting }: { waiting: WaitingCard }) {
  const { answer, error } = useAnswer(waiting);
  const lookedAt = useLookedAt();
  const content = contentOf(waiting);
  return (
    <section className="inline-card" aria-label={content.title}>
      <h3>{content.title}</h3>
      <div className="inline-card-body">{content.body}</div>
      <div className="buttons">
        <button
          type="button"
          className="main"
          disabled={!lookedAt}
          onClick={(event) => event.isTrusted && answer(true)}
        >
          {content.yes}
        </button>
        <button type="button" onClick={() => answer(false)}>
          {MESSAGES.decline}
        </button>
        {content.canRetry ? (
          <button type="button" disabled={!lookedAt} onClick={() => answer(true, 'retry')}>
            {WORDS.again}
          </button>
        ) : null}
      </div>
      <ErrorMessage error={error} />
    </section>
  );
}
