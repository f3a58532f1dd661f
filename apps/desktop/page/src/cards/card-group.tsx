import { Button, count, ErrorMessage } from '@svc/ui';
import { useState } from 'react';
import type { WaitingCard } from '../../../src/wire/views.ts';
import { useLiveState } from '../wire/use-desktop.ts';
import { ApproveButton, GuardedCards, useAnswers, useCardPlace, useHold } from './card-answer.tsx';
import { contentOf } from './card-content.tsx';

/** Calls that hand over no file and have no card of their own. */
const isPlain = ({ card }: WaitingCard): boolean => card.kind === 'approval' && card.mayAllowInChat === true;

/** The plain calls of a conversation that wait at the same time; none if only one does. */
export function useTogether(chat: string): readonly WaitingCard[] {
  const { cards } = useLiveState();
  const plain = cards.filter((card) => card.chat === chat && isPlain(card));
  return plain.length > 1 ? plain : [];
}

/** One card for the parallel calls of an answer. Each has its own tick, and its own answer. */
function CardGroup({ cards }: { cards: readonly WaitingCard[] }) {
  const { answer, error } = useAnswers();
  const [unticked, setUnticked] = useState<ReadonlySet<string>>(new Set());
  // A call that joins the card must be visible long enough too.
  const hold = useHold(cards.map(({ id }) => id).join());
  const place = useCardPlace();
  const ticked = cards.filter(({ id }) => !unticked.has(id));
  const why = ticked.length === 0 ? 'Tick at least one tool.' : hold;
  const title = `Run ${count(cards.length, 'tool')}?`;
  const tick = (id: string, isOn: boolean) =>
    setUnticked((before) =>
      isOn ? new Set([...before].filter((one) => one !== id)) : new Set([...before, id]),
    );
  const allow = (more?: 'allow-in-chat') => {
    for (const card of cards) void (unticked.has(card.id) ? answer(card, false) : answer(card, true, more));
  };
  return (
    <section ref={place} tabIndex={-1} className="inline-card" aria-label={title}>
      <h2>{title}</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard */}
      <div className="inline-card-body" tabIndex={0}>
        {cards.map((waiting) => {
          const { title: one, body } = contentOf(waiting);
          return (
            <details key={waiting.id} open className="together">
              <summary>
                <label>
                  <input
                    type="checkbox"
                    checked={!unticked.has(waiting.id)}
                    onChange={({ target }) => tick(waiting.id, target.checked)}
                  />{' '}
                  {one}
                </label>
              </summary>
              {body}
            </details>
          );
        })}
      </div>
      <div className="buttons">
        <ApproveButton why={why} look="main" act={allow}>
          {ticked.length === cards.length ? 'Allow all' : `Allow ${ticked.length} of ${cards.length}`}
        </ApproveButton>
        <ApproveButton why={why && ''} act={() => allow('allow-in-chat')}>
          Allow in this chat
        </ApproveButton>
        <Button label="Decline" onClick={() => cards.map((card) => answer(card, false))} />
      </div>
      <ErrorMessage error={error} />
    </section>
  );
}

/** The card for the parallel calls of a conversation, while several wait. */
export function Together({ chat }: { chat: string }) {
  const cards = useTogether(chat);
  if (cards.length === 0) return null;
  return (
    <GuardedCards cards={cards}>
      <CardGroup cards={cards} />
    </GuardedCards>
  );
}
