import type { ModeratedReview } from '@svc/contracts';
import { visible, visibleLines } from '@svc/text';
import { type ReactNode, type Ref, useId } from 'react';
import { Stars } from '../../reviews/review-item.tsx';
import { useWho } from '../who.ts';
import { span } from '../words.ts';

const REASONS = {
  spam: 'Spam',
  abuse: 'Abuse',
  'off-topic': 'Not about the app',
  privacy: 'Privacy',
  other: 'Other',
} as const;

function Flags({ flags }: Pick<ModeratedReview, 'flags'>) {
  const who = useWho(Object.fromEntries(flags.map(({ by, name }) => [by, name ?? 'a deleted account'])));
  if (flags.length === 0)
    return <p className="soft">No reports: the author edited the review after it was hidden.</p>;
  return (
    <>
      <h3>{flags.length === 1 ? '1 report' : `${flags.length} reports`}</h3>
      <ul>
        {flags.map(({ reason, note, by, byPublisher, at }) => (
          <li key={by}>
            <strong>{REASONS[reason]}</strong>{' '}
            <span className="soft">{`${who(by)}, ${span(Date.now() - Date.parse(at))} ago`}</span>{' '}
            {byPublisher ? <span className="badge">member of the publisher</span> : null}
            {note === '' ? null : <pre className="plain">{visibleLines(note)}</pre>}
          </li>
        ))}
      </ul>
    </>
  );
}

/** A reported review for a moderator: hidden characters are made visible; the reports follow. */
export function FlaggedReview({
  review,
  articleRef,
  children,
}: {
  review: ModeratedReview;
  articleRef: Ref<HTMLElement>;
  children: ReactNode;
}) {
  const id = useId();
  const { appId, author, rating, title, body, version, reply, hidden, note, flags, waitingSince } = review;
  return (
    <article ref={articleRef} tabIndex={-1} aria-labelledby={id}>
      <h2 id={id}>
        <Stars given={rating} /> <bdi>{title === '' ? 'No title' : visible(title)}</bdi>
      </h2>
      <p className="soft">
        by <bdi>{visible(author.name)}</bdi> about{' '}
        <a href={`/apps/${encodeURIComponent(appId)}`}>
          <code>{visible(appId)}</code>
        </a>
        , {`version ${visible(version)}`}
        {waitingSince === null ? '' : `, waiting for ${span(Date.now() - Date.parse(waitingSince))}`}{' '}
        {hidden ? <span className="badge flagged">hidden, edited since</span> : null}
      </p>
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
      <Flags flags={flags} />
      {children}
    </article>
  );
}
