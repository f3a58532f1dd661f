import type { ApprovalCard } from '@svc/runtime';
import { visible } from '@svc/text';
import { Button, count, ErrorMessage, sizeText } from '@svc/ui';
import { useEffect, useId, useMemo, useRef, useState } from 'react';
import type { WaitingCard } from '../../../src/wire/views.ts';
import { useLiveState } from '../wire/use-desktop.ts';
import { ApproveButton, GuardedCards, useAnswers, useHold } from './card-answer.tsx';
import { contentOf } from './card-content.tsx';
import { useCardPlace } from './card-place.ts';

/** Calls that hand over no file and have no card of their own. */
const isPlain = ({ card }: WaitingCard): boolean => card.kind === 'approval' && card.mayAllowInChat === true;

/** The plain calls of a conversation that wait at the same time; none if only one does. */
export function useTogether(chat: string): readonly WaitingCard[] {
  const { cards } = useLiveState();
  const plain = cards.filter((card) => card.chat === chat && isPlain(card));
  return plain.length > 1 ? plain : [];
}

type Approval = ApprovalCard & Pick<WaitingCard, 'id'>;

const approvalsOf = (cards: readonly WaitingCard[]): Approval[] =>
  cards.flatMap(({ id, card }) => (card.kind === 'approval' ? [{ ...card, id }] : []));

const EFFECTS = { reads: 'only reads', changes: 'may change something', destroys: 'may delete or overwrite' };

/** Most names in a title, and longest name and preview of arguments, in characters. */
const MAX_NAMES = 3;
const MAX_NAME = 60;
const MAX_PREVIEW = 160;

const cut = (text: string, length: number): string =>
  visible(text.length > length ? `${text.slice(0, length)}…` : text);

const nameOf = ({ tool }: ApprovalCard): string => cut(tool.name, MAX_NAME);

/** The tools of calls, each once. */
const namesOf = (cards: readonly ApprovalCard[]): string[] => [...new Set(cards.map(nameOf))];

/** What the card asks: the names of the tools, the destructive ones first. */
function titleOf(cards: readonly Approval[]): string {
  const isHarmless = ({ effect }: Approval) => effect !== 'destroys';
  const names = namesOf(cards.toSorted((a, b) => Number(isHarmless(a)) - Number(isHarmless(b))));
  const more = names.length - MAX_NAMES;
  const named = names.slice(0, MAX_NAMES).join(', ');
  return `Run ${count(cards.length, 'call')}: ${named}${more > 0 ? ` and ${count(more, 'more tool')}` : ''}?`;
}

/** A line that is in view but for a fraction of a pixel. */
const WHOLE = 0.95;

/** The ids of the lines that the user has had in view, whole. */
function useSeenLines() {
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set());
  const observer = useRef<IntersectionObserver>(undefined);
  observer.current ??= new IntersectionObserver(
    (entries) => {
      const ids = entries.flatMap(({ isIntersecting, target }) =>
        isIntersecting && target instanceof HTMLElement ? [target.dataset.card ?? ''] : [],
      );
      if (ids.length > 0) setSeen((before) => new Set([...before, ...ids]));
    },
    { threshold: WHOLE },
  );
  useEffect(() => () => observer.current?.disconnect(), []);
  const watch = (line: HTMLElement | null) => {
    if (line) observer.current?.observe(line);
  };
  return { seen, watch };
}

type LineProps = {
  card: Approval;
  isOn: boolean;
  tick(isOn: boolean): void;
  watch(line: HTMLElement | null): void;
};

/** One call: the tool, the app, its effect, the size and the beginning of what is sent; the rest unfolds. */
function Line({ card, isOn, tick, watch }: LineProps) {
  const { id, app, effect = 'changes', arguments: args } = card;
  const { beginning, bytes } = useMemo(() => {
    const sent = JSON.stringify(args);
    return { beginning: cut(sent, MAX_PREVIEW), bytes: new TextEncoder().encode(sent).length };
  }, [args]);
  return (
    <li className="call-line">
      <label ref={watch} data-card={id}>
        <input type="checkbox" checked={isOn} onChange={({ target }) => tick(target.checked)} />{' '}
        <strong>{nameOf(card)}</strong> <bdi>{cut(app.name, MAX_NAME)}</bdi>{' '}
        <span className={effect === 'destroys' ? 'badge bad' : 'soft'}>{EFFECTS[effect]}</span>{' '}
        <span className="soft">{`· sends ${sizeText(bytes)}`}</span>
        <code className="call-preview">{beginning}</code>
      </label>
      <details>
        <summary>{`Details of ${nameOf(card)}`}</summary>
        {contentOf({ id, card }).body}
      </details>
    </li>
  );
}

/** One card for the parallel calls of an answer. Each has its own tick, and its own answer. */
function CardGroup({ cards }: { cards: readonly WaitingCard[] }) {
  const { answer, error } = useAnswers();
  const calls = approvalsOf(cards);
  // What deletes is never ticked beforehand.
  const [ticks, setTicks] = useState<ReadonlyMap<string, boolean>>(new Map());
  const isTicked = ({ id, effect }: Approval): boolean => ticks.get(id) ?? effect !== 'destroys';
  const ticked = calls.filter(isTicked);
  const { seen, watch } = useSeenLines();
  // A call that joins the card, or comes into view, must be visible long enough too.
  const hold = useHold(ticked.map(({ id }) => `${id} ${seen.has(id)}`).join());
  const place = useCardPlace();
  const why =
    ticked.length === 0
      ? 'Tick at least one call.'
      : ticked.every(({ id }) => seen.has(id))
        ? hold
        : 'Scroll to every ticked call first.';
  const title = titleOf(calls);
  const covered = useId();
  const allow = (more?: 'allow-in-chat') => {
    const on = new Set(ticked.map(({ id }) => id));
    for (const card of cards) void (on.has(card.id) ? answer(card, true, more) : answer(card, false));
  };
  return (
    <section ref={place} tabIndex={-1} className="inline-card calls-card" aria-label={title}>
      <h2>{title}</h2>
      <ul className="bare">
        {calls.map((card) => (
          <Line
            key={card.id}
            card={card}
            isOn={isTicked(card)}
            tick={(isOn) => setTicks((before) => new Map(before).set(card.id, isOn))}
            watch={watch}
          />
        ))}
      </ul>
      <div className="buttons">
        <ApproveButton why={why} look="main" act={allow}>
          {ticked.length === cards.length ? 'Allow all' : `Allow ${ticked.length} of ${cards.length}`}
        </ApproveButton>
        <ApproveButton why={why && ''} describedBy={covered} act={() => allow('allow-in-chat')}>
          Allow in this chat
        </ApproveButton>
        <Button label="Decline" onClick={() => cards.map((card) => answer(card, false))} />
        <span id={covered} className="soft">
          {ticked.length === 0 ? '' : `“Allow in this chat” covers ${namesOf(ticked).join(', ')}.`}
        </span>
        <ErrorMessage error={error} />
      </div>
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
