import type { Card } from '@svc/runtime';
import { Dialog, DialogButtons, ErrorMessage } from '@svc/ui';
import type { WaitingCard } from '../../../src/wire/views.ts';
import { isolated } from '../parts/isolated.ts';
import { knownName } from '../permissions/consent.tsx';
import { useRoute } from '../shell/use-route.ts';
import { useLiveState } from '../wire/use-desktop.ts';
import { count } from '../words/count.ts';
import { WORDS } from '../words.ts';
import { useAnswer, useIsViewed } from './card-answer.tsx';
import { contentOf } from './card-content.tsx';
import { useCardForm } from './question-form.tsx';

const MESSAGES = WORDS.cards;

/** An update asks under the installed name of the app. */
function nameOf(card: Card): string {
  if (card.kind === 'consent') return knownName(card);
  const name = isolated(card.app.name);
  return card.kind === 'local-connector' ? name : `${name} ${card.app.version}`;
}

function CardDialog({ waiting, more }: { waiting: WaitingCard; more: number }) {
  const { card, asker } = waiting;
  const { answer, error } = useAnswer(waiting);
  const isViewed = useIsViewed();
  const content = contentOf(waiting);
  const form = useCardForm(card);
  const retry = (
    <button type="button" disabled={!isViewed} onClick={() => answer(true, 'retry')}>
      {WORDS.again}
    </button>
  );
  const buttons = (
    <>
      <DialogButtons
        another={content.canRetry ? retry : null}
        yes={content.yes}
        no={MESSAGES.decline}
        canAct={isViewed}
        act={() => form.accept((content) => answer(true, { content }))}
        leave={() => answer(false)}
      />
      {content.declineHint === undefined ? null : <span className="soft">{content.declineHint}</span>}
      {more > 0 ? <span className="soft">{MESSAGES.more(more)}</span> : null}
    </>
  );
  return (
    <Dialog title={content.title} leave={() => answer(false, 'dismissed')} buttons={buttons}>
      <p className="asker">
        {asker === 'desktop' ? MESSAGES.asksHere(nameOf(card)) : MESSAGES.asks(asker, nameOf(card))}{' '}
        {card.kind === 'local-connector' ? <code>{card.app.appId}</code> : null}
      </p>
      {content.body}
      {form.body}
      <ErrorMessage error={error} />
    </Dialog>
  );
}

/** Waiting cards, one after the other, on every page. */
export function CardQueue() {
  const { page, rest } = useRoute();
  // Cards of the open conversation are shown inside it.
  const openChat = page === 'chat' ? rest[0] : undefined;
  const cards = useLiveState().cards.filter(({ chat }) => chat === undefined || chat !== openChat);
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
