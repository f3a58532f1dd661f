import type { Answer, Card } from '@svc/runtime';
import { useEffect, useRef, useState } from 'react';
import type { WaitingCard } from '../../../src/wire/views.ts';
import { Dialog, DialogButtons } from '../parts/dialog.tsx';
import { isolated } from '../parts/isolated.ts';
import { ErrorMessage } from '../parts/parts.tsx';
import { knownName } from '../permissions/consent.tsx';
import { Refused } from '../wire/ask.ts';
import { useDesk, useLive, useLiveState } from '../wire/use-desktop.ts';
import { count } from '../words/count.ts';
import { WORDS } from '../words.ts';
import { contentOf } from './card-content.tsx';

const MESSAGES = WORDS.cards;

/** An update asks under the name by which the user knows the app. */
function nameOf(card: Card): string {
  if (card.kind === 'consent') return knownName(card);
  const name = isolated(card.app.name);
  return card.kind === 'local-connector' ? name : `${name} ${card.app.version}`;
}

/** How long a card is shown before it can be agreed to, in milliseconds: a click meant for what was there before must not. */
const LOOK_FIRST_MS = 600;

function useLookedAt(): boolean {
  const [lookedAt, setLookedAt] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLookedAt(true), LOOK_FIRST_MS);
    return () => clearTimeout(timer);
  }, []);
  return lookedAt;
}

const answerTo = (card: Card, accepted: boolean, choice?: 'retry'): Answer => {
  if (!accepted) return { accepted };
  if (choice !== undefined) return { accepted, choice };
  return 'binding' in card ? { accepted, binding: card.binding } : { accepted };
};

const isGone = (fault: unknown): boolean => fault instanceof Refused && fault.code === 'not_found';

/** Says what the person answers, once. What nobody waits for any more is let go. */
function useAnswer({ id, card }: WaitingCard) {
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

function CardDialog({ waiting, more }: { waiting: WaitingCard; more: number }) {
  const { card, asker } = waiting;
  const { answer, error } = useAnswer(waiting);
  const lookedAt = useLookedAt();
  const content = contentOf(card);
  const retry = (
    <button type="button" disabled={!lookedAt} onClick={() => answer(true, 'retry')}>
      {WORDS.again}
    </button>
  );
  const buttons = (
    <>
      <DialogButtons
        another={content.canRetry ? retry : null}
        yes={content.yes}
        no={MESSAGES.decline}
        canAct={lookedAt}
        act={() => answer(true)}
        leave={() => answer(false)}
      />
      {content.noMeans === undefined ? null : <span className="soft">{content.noMeans}</span>}
      {more > 0 ? <span className="soft">{MESSAGES.more(more)}</span> : null}
    </>
  );
  return (
    <Dialog title={content.title} leave={() => answer(false)} buttons={buttons}>
      <p className="asker">
        {asker === 'desktop' ? MESSAGES.asksHere(nameOf(card)) : MESSAGES.asks(asker, nameOf(card))}{' '}
        {card.kind === 'consent' ? null : <code>{card.app.appId}</code>}
      </p>
      {content.body}
      <ErrorMessage error={error} />
    </Dialog>
  );
}

/** The questions that wait, one after the other, wherever the person is. */
export function CardQueue() {
  const { cards } = useLiveState();
  const [first] = cards;
  return (
    <>
      <p className="unseen" role="status">
        {cards.length > 0 ? count(cards.length, 'question') : ''}
      </p>
      {first ? <CardDialog key={first.id} waiting={first} more={cards.length - 1} /> : null}
    </>
  );
}
