import type { ModeratedReview } from '@svc/contracts';
import { type ReactNode, type Ref, useId } from 'react';
import { Stars } from '../../reviews/review-item.tsx';
import { visible, visibleLines } from '../visible.ts';
import { useWho } from '../who.ts';
import { span, WORDS } from '../words.ts';

const MESSAGES = WORDS.flagged;

function Flags({ flags }: Pick<ModeratedReview, 'flags'>) {
  const who = useWho(Object.fromEntries(flags.map(({ by, name }) => [by, name ?? MESSAGES.gone])));
  if (flags.length === 0) return <p className="soft">{MESSAGES.noFlags}</p>;
  return (
    <>
      <h3>{MESSAGES.flags(flags.length)}</h3>
      <ul>
        {flags.map(({ reason, note, by, byPublisher, at }) => (
          <li key={by}>
            <strong>{MESSAGES.reasons[reason]}</strong>{' '}
            <span className="soft">{MESSAGES.reported(who(by), span(Date.now() - Date.parse(at)))}</span>{' '}
            {byPublisher ? <span className="badge">{MESSAGES.byPublisher}</span> : null}
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
        <Stars given={rating} /> <bdi>{title === '' ? MESSAGES.noTitle : visible(title)}</bdi>
      </h2>
      <p className="soft">
        {MESSAGES.by} <bdi>{visible(author.name)}</bdi> {MESSAGES.of}{' '}
        <a href={`/apps/${encodeURIComponent(appId)}`}>
          <code>{visible(appId)}</code>
        </a>
        , {MESSAGES.version(visible(version))}
        {waitingSince === null ? '' : `, ${MESSAGES.waits(span(Date.now() - Date.parse(waitingSince)))}`}{' '}
        {hidden ? <span className="badge flagged">{MESSAGES.isHidden}</span> : null}
      </p>
      {body === '' ? null : <pre className="plain">{visibleLines(body)}</pre>}
      {hidden && note !== '' ? (
        <p>
          {MESSAGES.lastNote}: <bdi>{visibleLines(note)}</bdi>
        </p>
      ) : null}
      {reply === undefined ? null : (
        <blockquote>
          <p className="soft">{MESSAGES.reply}</p>
          <pre className="plain">{visibleLines(reply.body)}</pre>
        </blockquote>
      )}
      <Flags flags={flags} />
      {children}
    </article>
  );
}
