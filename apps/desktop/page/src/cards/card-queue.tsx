import type { Card } from '@svc/runtime';
import { Boundary, Button, ButtonLink, count, Dialog, DialogButtons } from '@svc/ui';
import type { WaitingCard } from '../../../src/wire/views.ts';
import { textOfAny } from '../parts/guarded.tsx';
import { isolated } from '../parts/isolated.ts';
import { LongText } from '../parts/long-text.tsx';
import { knownName } from '../permissions/consent.tsx';
import { hashOf } from '../routes.ts';
import { useRoute } from '../shell/use-route.ts';
import { useLiveState } from '../wire/use-desktop.ts';
import { ApproveButton, GuardedCards, useAnswers, useHold } from './card-answer.tsx';
import { contentOf } from './card-content.tsx';
import { useCardForm } from './question-form.tsx';

/** An update asks under the installed name of the app. */
function nameOf(card: Card): string {
  if (card.kind === 'consent') return knownName(card);
  const name = isolated(card.app.name);
  return card.kind === 'local-connector' ? name : `${name} ${card.app.version}`;
}

function CardDialog({ waiting, more }: { waiting: WaitingCard; more: number }) {
  const { card, asker } = waiting;
  const { answer, error } = useAnswers();
  const hold = useHold();
  const content = contentOf(waiting);
  const form = useCardForm(card);
  const other = (name: string, choice: 'retry' | 'allow-in-chat') => (
    <ApproveButton why={hold && ''} act={() => answer(waiting, true, choice)}>
      {name}
    </ApproveButton>
  );
  const inChat = content.mayAllowInChat ? other('Allow in this chat', 'allow-in-chat') : null;
  const buttons = (
    <>
      <DialogButtons
        another={content.canRetry ? other('Retry', 'retry') : inChat}
        yes={content.yes}
        no="Decline"
        why={hold}
        act={(event) => event.isTrusted && form.accept((content) => answer(waiting, true, { content }))}
        leave={() => answer(waiting, false)}
      />
      {content.declineHint === undefined ? null : <span className="soft">{content.declineHint}</span>}
      {more > 0 ? <span className="soft">{`${count(more, 'more question')} after this`}</span> : null}
    </>
  );
  return (
    <Dialog
      title={content.title}
      leave={() => answer(waiting, false, 'dismissed')}
      canEscape={hold === null}
      buttons={buttons}
      error={error}
    >
      <p className="soft">
        {asker === 'desktop'
          ? `Requested from this page for ${nameOf(card)}`
          : `Requested by ${asker} for ${nameOf(card)}`}{' '}
        {card.kind === 'local-connector' ? <code>{card.app.appId}</code> : null}
      </p>
      {content.body}
      {form.body}
    </Dialog>
  );
}

/** In place of a card that cannot be drawn, and can only be declined. */
function UndrawnDialog({ waiting }: { waiting: WaitingCard }) {
  const { answer, error } = useAnswers();
  const decline = () => answer(waiting, false);
  return (
    <Dialog
      title="This card could not be drawn"
      leave={decline}
      buttons={<Button label="Decline" onClick={decline} />}
      error={error}
    >
      <LongText text={textOfAny(waiting.card)} />
    </Dialog>
  );
}

/** A note on any page that a conversation waits for an answer. The card stays in the conversation. */
function CardToast({ waiting, more }: { waiting: WaitingCard; more: number }) {
  return (
    <div className="toasts">
      <div className="toast">
        <span role="status">
          {contentOf(waiting).title}
          {more > 0 ? <span className="soft"> {`and ${count(more, 'more question')}`}</span> : null}
        </span>
        <ButtonLink label="Review" href={hashOf('chat', waiting.chat ?? '')} />
      </div>
    </div>
  );
}

/** Waiting cards on every page: those of conversations as a note that leads there, the others one after the other. */
export function CardQueue() {
  const { page, rest } = useRoute();
  const openChat = page === 'chat' ? rest[0] : undefined;
  const { cards } = useLiveState();
  const asked = cards.filter(({ chat }) => chat === undefined);
  const elsewhere = cards.filter(({ chat }) => chat !== undefined && chat !== openChat);
  const [first] = asked;
  const [other] = elsewhere;
  return (
    <>
      {first ? (
        <Boundary key={first.id} instead={() => <UndrawnDialog waiting={first} />}>
          <CardDialog waiting={first} more={asked.length - 1} />
        </Boundary>
      ) : null}
      {other && !first ? (
        <GuardedCards cards={[other]}>
          <CardToast waiting={other} more={elsewhere.length - 1} />
        </GuardedCards>
      ) : null}
    </>
  );
}
