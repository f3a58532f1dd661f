import type { ModeratedReview } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { EmptyState, ErrorMessage } from '@svc/ui';
import { useEffect, useRef, useState } from 'react';
import { useLivePages } from '../../dashboard/use-live.ts';
import { KeysHelp, useKeys } from '../keys.tsx';
import { DecideReview, type Verdict } from './decide-review.tsx';
import { FlaggedReview } from './flagged-review.tsx';

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
    <li onFocus={onFocus} {...(isActive && { 'aria-current': true as const })}>
      <FlaggedReview review={review} articleRef={articleRef}>
        <DecideReview review={review} asked={asked} ask={ask} decided={decided} />
      </FlaggedReview>
    </li>
  );
}

/** The active review; shortcuts move it, and the focus with it. */
function useActive(count: number) {
  const [active, set] = useState(0);
  const [moved, setMoved] = useState(false);
  const at = Math.max(0, Math.min(active, count - 1));
  const go = (index: number) => {
    set(Math.max(0, Math.min(index, count - 1)));
    setMoved(true);
  };
  return { at, moved, set, go };
}

/** The app reviews waiting for a moderator. */
export function Flagged() {
  const query = useLivePages(
    (cursor) => apiRequest('GET /api/moderation/reviews', { query: { cursor } }),
    () => false,
  );
  const reviews = query.data?.pages.flatMap((page) => page.reviews) ?? [];
  const { at, moved, set, go } = useActive(reviews.length);
  const [message, setMessage] = useState('');
  const next = () => {
    if (at === reviews.length - 1 && query.hasNextPage) void query.fetchNextPage();
    go(at + 1);
  };
  const before = () => go(at - 1);
  const reload = () => void query.refetch();
  useKeys({ j: next, ArrowDown: next, k: before, ArrowUp: before, r: reload });
  const decided = (verdict: Verdict) => {
    setMessage(verdict === 'hide' ? 'Review hidden.' : 'Review kept.');
    // The next review takes its place in the list.
    go(at);
  };
  return (
    <>
      <div className="head">
        <h1>Reviews</h1>
        <p className="soft">{query.isPending ? 'Loading…' : loadedText(reviews.length, query.hasNextPage)}</p>
        <span className="buttons">
          <button type="button" className="quiet" onClick={reload}>
            Reload
          </button>
          <KeysHelp keys={FLAGGED} />
        </span>
      </div>
      <p role="status" className="good">
        {message}
      </p>
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
      {query.hasNextPage ? (
        <button type="button" disabled={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
          Load more reviews
        </button>
      ) : null}
    </>
  );
}
