import type { Answer, Card } from '@svc/runtime';
import { visible } from '@svc/text';
import { ActionButton, Button, ErrorMessage } from '@svc/ui';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import type { WaitingCard } from '../../../src/wire/views.ts';
import { Guarded, textOfAny } from '../parts/guarded.tsx';
import { RefusedError } from '../wire/desktop-client.ts';
import { useDesktopClient, useLive } from '../wire/use-desktop.ts';
import { contentOf } from './card-content.tsx';
import { useCardPlace } from './card-place.ts';
import { useCardForm } from './question-form.tsx';

/** How long a card must be visible before it can be approved, in milliseconds, so that a click meant for something else does not approve it. */
const MIN_VISIBLE_MS = 600;

const isInFront = (): boolean => document.visibilityState === 'visible' && document.hasFocus();

/** How often to check whether the page is in front, in milliseconds: not every browser sends an event. */
const CHECK_EVERY_MS = 100;

const BEHIND = 'This window is in the background. Click into it first.';

/**
 * Why what the page shows cannot be approved now: it has not been in front long enough.
 * @param shown changes with what is shown
 * @returns what `ActionButton` says
 */
export function useHold(shown = ''): string | null {
  const [hold, setHold] = useState<string | null>('');
  // biome-ignore lint/correctness/useExhaustiveDependencies: what appears must be visible long enough too
  useEffect(() => {
    let since: number | null = null;
    const check = () => {
      since = isInFront() ? (since ?? performance.now()) : null;
      setHold(since === null ? BEHIND : performance.now() - since < MIN_VISIBLE_MS ? '' : null);
    };
    check();
    const timer = setInterval(check, CHECK_EVERY_MS);
    const events = ['focus', 'blur'] as const;
    for (const name of events) window.addEventListener(name, check);
    document.addEventListener('visibilitychange', check);
    return () => {
      clearInterval(timer);
      for (const name of events) window.removeEventListener(name, check);
      document.removeEventListener('visibilitychange', check);
    };
  }, [shown]);
  return hold;
}

/** More than yes or no: retries during an outage, allows the tool for the rest of the chat, or closes a question undecided. */
type More = 'retry' | 'allow-in-chat' | 'dismissed' | { content: Content };

type Content = Extract<Answer, { accepted: true }>['content'];

const answerTo = (card: Card, accepted: boolean, more?: More): Answer => {
  if (!accepted)
    return more === 'dismissed' && card.kind === 'question' ? { accepted, dismissed: true } : { accepted };
  if (typeof more === 'object' && 'binding' in card)
    return { accepted, binding: card.binding, ...(more.content && { content: more.content }) };
  if (more === 'retry') return { accepted, choice: more };
  if (more === 'allow-in-chat' && 'binding' in card)
    return { accepted, binding: card.binding, allowInChat: true };
  return 'binding' in card ? { accepted, binding: card.binding } : { accepted };
};

const isGone = (fault: unknown): boolean => fault instanceof RefusedError && fault.code === 'not_found';

/** Sends the user's answers, each once. A card that the desktop no longer knows is removed. */
export function useAnswers() {
  const desktop = useDesktopClient();
  const live = useLive();
  const sent = useRef(new Set<string>());
  const [error, setError] = useState<Error | null>(null);
  const answer = async ({ id, card }: WaitingCard, accepted: boolean, more?: More) => {
    if (sent.current.has(id)) return;
    sent.current.add(id);
    try {
      await desktop.request('cards.answer', { cardId: id, answer: answerTo(card, accepted, more) });
      live.answered(id);
    } catch (fault) {
      if (isGone(fault)) return live.answered(id);
      sent.current.delete(id);
      setError(fault as Error);
    }
  };
  return { answer, error };
}

/** A button that approves: by a real click or key press only, on a page in front. */
export const ApproveButton = ({
  why,
  look = '',
  describedBy,
  act,
  children,
}: {
  why: string | null;
  look?: string;
  /** Id of the text that says what it covers. */
  describedBy?: string;
  act(): void;
  children: ReactNode;
}) => (
  <ActionButton
    className={look}
    why={why}
    aria-describedby={describedBy}
    onClick={(event) => event.isTrusted && act()}
  >
    {children}
  </ActionButton>
);

/** Draws cards. Those that cannot be drawn can only be declined: what is not seen cannot be approved. */
export function GuardedCards({ cards, children }: { cards: readonly WaitingCard[]; children: ReactNode }) {
  const { answer, error } = useAnswers();
  const decline = () => cards.map((card) => answer(card, false));
  return (
    <Guarded
      what={cards.length === 1 ? 'card' : 'card of several calls'}
      of={cards.map(({ id }) => id).join()}
      text={() => textOfAny(cards.map(({ card }) => card))}
      actions={
        <>
          <Button label="Decline" onClick={decline} />
          <ErrorMessage error={error} />
        </>
      }
    >
      {children}
    </Guarded>
  );
}

/** A card inside its conversation. */
export const CardAnswer = ({ waiting }: { waiting: WaitingCard }) => (
  <GuardedCards cards={[waiting]}>
    <InlineCard waiting={waiting} />
  </GuardedCards>
);

function InlineCard({ waiting }: { waiting: WaitingCard }) {
  const { answer, error } = useAnswers();
  const hold = useHold();
  const content = contentOf(waiting);
  const form = useCardForm(waiting.card);
  const place = useCardPlace();
  const covered = useId();
  return (
    <section ref={place} tabIndex={-1} className="inline-card" aria-label={content.title}>
      <h2>{content.title}</h2>
      {content.body}
      {form.body}
      <div className="buttons">
        <ApproveButton
          why={hold}
          look="main"
          act={() => form.accept((content) => answer(waiting, true, { content }))}
        >
          {content.yes}
        </ApproveButton>
        {content.mayAllowInChat ? (
          <ApproveButton
            why={hold && ''}
            describedBy={covered}
            act={() => answer(waiting, true, 'allow-in-chat')}
          >
            Allow in this chat
          </ApproveButton>
        ) : null}
        {content.canRetry ? (
          <ApproveButton why={hold && ''} act={() => answer(waiting, true, 'retry')}>
            Retry
          </ApproveButton>
        ) : null}
        <Button label="Decline" onClick={() => answer(waiting, false)} />
        {content.mayAllowInChat && waiting.card.kind === 'approval' ? (
          <span id={covered} className="soft">
            {`“Allow in this chat” covers ${visible(waiting.card.tool.name)}.`}
          </span>
        ) : null}
        <ErrorMessage error={error} />
      </div>
    </section>
  );
}
