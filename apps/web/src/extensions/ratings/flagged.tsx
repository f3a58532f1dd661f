import type { ModeratedReview } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { visible, visibleLines } from '@svc/text';
import { spanText } from '@svc/text/quantity';
import { Button, Done, EmptyState, ErrorMessage, ReloadButton, useReload } from '@svc/ui';
import { type ReactNode, type Ref, useEffect, useId, useRef, useState } from 'react';
import { LoadMore, Named } from '../../account/parts.tsx';
import { useChange, useDraft } from '../../account/use-store.ts';
import { usePages } from '../../dashboard/use-live.ts';
import { ConfirmDialog } from '../../moderation/confirm-dialog.tsx';
import { KeysHelp, useKeys, useMark, useTarget } from '../../moderation/keys.tsx';
import { NoteField } from '../../moderation/review/verdict-fields.tsx';
import { iconOf } from '../../moderation/version-path.ts';
import { useWho } from '../../moderation/who.ts';
import { StoreLink } from '../store-link.tsx';
import { FLAG_WORDS, isHeld } from './cases.ts';
import { Stars } from './review-list.tsx';

type Verdict = 'hide' | 'keep';

const EMPTY = { note: '' };

/**
 * Hides or keeps a review, after a confirmation.
 * @param asked the verdict whose confirmation is open
 * @param decided called once the store has recorded the verdict
 */
function DecideReview({
  review,
  asked,
  ask,
  decided,
}: {
  review: ModeratedReview;
  asked: Verdict | null;
  ask(verdict: Verdict | null): void;
  decided(verdict: Verdict): void;
}) {
  const { draft, change, clear } = useDraft(`desk review ${review.id}`, EMPTY);
  const decide = useChange(({ verdict, json }: { verdict: Verdict; json: { note?: string } }) =>
    apiRequest(`POST /api/moderation/reviews/:id/${verdict}`, { params: { id: review.id }, json }),
  );
  const note = draft.note.trim();
  const send = (verdict: Verdict) => () => {
    // `mutateAsync` and not the callbacks of `mutate`: the decided review leaves the list, and unmounting drops those.
    const settle = () => {
      clear(EMPTY);
      ask(null);
      decided(verdict);
    };
    decide.mutateAsync({ verdict, json: note === '' ? {} : { note } }).then(settle, () => {});
  };
  const common = (verdict: Verdict) => ({
    busy: decide.isPending,
    error: decide.variables?.verdict === verdict ? decide.error : null,
    act: send(verdict),
    leave: () => ask(null),
  });
  const field = { value: draft.note, change: (text: string) => change({ note: text }) };
  return (
    <>
      <div className="buttons">
        <Button
          label={review.hidden ? 'Keep hidden (x)' : 'Hide (x)'}
          className="bad"
          onClick={() => ask('hide')}
        />
        <Button
          label={isHeld(review) ? 'Show (a)' : review.hidden ? 'Show again (a)' : 'Keep (a)'}
          onClick={() => ask('keep')}
        />
      </div>
      {asked === 'hide' ? (
        <ConfirmDialog
          {...common('hide')}
          title="Hide this review?"
          hint="Only its author still sees it, and its stars no longer count. The author receives the note."
          confirm="Hide"
          tone="bad"
          missing={note === '' ? 'Say why it is hidden.' : null}
        >
          <NoteField label="Why it is hidden" {...field} />
        </ConfirmDialog>
      ) : null}
      {asked === 'keep' ? (
        <ConfirmDialog
          {...common('keep')}
          title="Keep this review?"
          hint="All visitors can read it, and its stars count. This closes all reports of it."
          confirm="Keep"
          tone="main"
          missing={null}
        >
          <NoteField label="Note" hint="Optional. Kept in the audit log." {...field} />
        </ConfirmDialog>
      ) : null}
    </>
  );
}

function Flags({ review }: { review: ModeratedReview }) {
  const { flags } = review;
  const who = useWho(Object.fromEntries(flags.map(({ by, name }) => [by, name ?? 'a deleted account'])));
  if (flags.length === 0)
    return (
      <p className="soft">
        {isHeld(review)
          ? 'No reports: many new accounts reviewed this app within a day, and this review was not shown yet.'
          : 'No reports: the author edited the review after it was hidden.'}
      </p>
    );
  return (
    <>
      <h3>{flags.length === 1 ? '1 report' : `${flags.length} reports`}</h3>
      <ul>
        {flags.map(({ reason, note, by, byPublisher, at }) => (
          <li key={by}>
            <strong>{FLAG_WORDS[reason]}</strong>{' '}
            <span className="soft">{`${who(by)}, ${spanText(Date.now() - Date.parse(at))} ago`}</span>{' '}
            {byPublisher ? <span className="badge">member of the publisher</span> : null}
            {note === '' ? null : <pre className="plain">{visibleLines(note)}</pre>}
          </li>
        ))}
      </ul>
    </>
  );
}

/** A reported review for a moderator: hidden characters are made visible; the reports follow. */
function FlaggedReview({
  review,
  articleRef,
  children,
}: {
  review: ModeratedReview;
  articleRef: Ref<HTMLElement>;
  children: ReactNode;
}) {
  const id = useId();
  const { appId, appName, author, rating, title, body, version, reply, hidden, note, waitingSince } = review;
  return (
    <article ref={articleRef} tabIndex={-1} aria-labelledby={id}>
      <Named
        picture={
          <img className="app-icon" src={iconOf(review)} alt="" width={44} height={44} loading="lazy" />
        }
      >
        <h2 id={id}>
          <Stars given={rating} /> <bdi>{title === '' ? 'No title' : visible(title)}</bdi>
        </h2>
        <p className="soft">
          by <bdi>{visible(author.name)}</bdi> about{' '}
          <StoreLink href={`/apps/${encodeURIComponent(appId)}`}>
            <bdi>{visible(appName)}</bdi>
          </StoreLink>{' '}
          {visible(version)} <code>{visible(appId)}</code>
          {waitingSince === null ? '' : `, waiting for ${spanText(Date.now() - Date.parse(waitingSince))}`}{' '}
          {hidden ? (
            <span className="badge mild">{isHeld(review) ? 'held' : 'hidden, edited since'}</span>
          ) : null}
        </p>
      </Named>
      {body === '' ? null : <pre className="plain">{visibleLines(body)}</pre>}
      {hidden && note !== '' ? (
        <p>
          {'Hidden because'}: <bdi>{visibleLines(note)}</bdi>
        </p>
      ) : null}
      {reply === undefined ? null : (
        <blockquote>
          <p className="soft">The publisher replied</p>
          <pre className="plain">{visibleLines(reply.body)}</pre>
        </blockquote>
      )}
      <Flags review={review} />
      {children}
    </article>
  );
}

const loadedText = (count: number, more: boolean) => {
  if (more) return `First ${count} reviews waiting`;
  return count === 1 ? '1 review waiting' : `${count} reviews waiting`;
};

const FLAGGED = [
  ['j or ↓', 'next review'],
  ['k or ↑', 'previous review'],
  ['x', 'hide the review, with a note'],
  ['a', 'keep the review, or show it again'],
  ['r', 'reload the list'],
] as const;

type RowProps = {
  review: ModeratedReview;
  isActive: boolean;
  hasFocus: boolean;
  onFocus(): void;
  decided(verdict: Verdict): void;
};

function Row({ review, isActive, hasFocus, onFocus, decided }: RowProps) {
  const [asked, ask] = useState<Verdict | null>(null);
  const articleRef = useRef<HTMLElement>(null);
  useKeys(isActive ? { x: () => ask('hide'), a: () => ask('keep') } : {});
  useEffect(() => {
    if (hasFocus && !articleRef.current?.contains(document.activeElement)) articleRef.current?.focus();
  }, [hasFocus]);
  return (
    <li className="card" onFocus={onFocus} {...(isActive && { 'aria-current': true as const })}>
      <FlaggedReview review={review} articleRef={articleRef}>
        <DecideReview review={review} asked={asked} ask={ask} decided={decided} />
      </FlaggedReview>
    </li>
  );
}

export function Flagged() {
  const query = usePages((cursor) => apiRequest('GET /api/moderation/reviews', { query: { cursor } }));
  const reviews = query.data?.pages.flatMap((page) => page.reviews) ?? [];
  const { at, moved, set, go } = useMark(reviews.length);
  useTarget(
    reviews.map(({ id }) => id),
    go,
  );
  const [message, setMessage] = useState('');
  const next = () => {
    if (at === reviews.length - 1 && query.hasNextPage) void query.fetchNextPage();
    go(at + 1);
  };
  const before = () => go(at - 1);
  const reload = useReload(query);
  useKeys({ j: next, ArrowDown: next, k: before, ArrowUp: before, r: reload.reload });
  const decided = (verdict: Verdict) => {
    setMessage(verdict === 'hide' ? 'Review hidden.' : 'Review kept.');
    // The next review takes its place in the list.
    go(at);
  };
  return (
    <>
      <div className="cluster head">
        <h1>Reviews</h1>
        <p className="soft">{query.isPending ? 'Loading…' : loadedText(reviews.length, query.hasNextPage)}</p>
        <span className="buttons">
          <ReloadButton {...reload} />
          <KeysHelp keys={FLAGGED} />
        </span>
      </div>
      <Done>{message}</Done>
      <ErrorMessage error={query.error} />
      {query.isSuccess && reviews.length === 0 ? (
        <EmptyState icon="inbox" title="No reviews waiting">
          <p>Reviews that users report appear here.</p>
        </EmptyState>
      ) : null}
      <ol className="flagged" aria-label="Reviews waiting for a moderator, oldest first">
        {reviews.map((review, index) => (
          <Row
            key={review.id}
            review={review}
            isActive={index === at}
            hasFocus={index === at && moved}
            onFocus={() => set(index)}
            decided={decided}
          />
        ))}
      </ol>
      <LoadMore query={query} label="Load more reviews" />
    </>
  );
}
