import type { Conversation, OwnVersionDetail } from '@svc/contracts';
import { visible } from '@svc/text';
import { moment } from '@svc/ui';
import { Lines } from './parts.tsx';
import { type TimelineStep, timelineOf } from './timeline.ts';

function Step({ step: { look, title, at, by, note } }: { step: TimelineStep }) {
  const isNow = look === 'now';
  return (
    <li className={look} {...(isNow && { 'aria-current': 'step' as const })}>
      <strong>{title}</strong>
      {look === 'done' ? <span className="unseen"> (done)</span> : null}
      {isNow ? <span className="unseen"> (now)</span> : null}{' '}
      {at === null ? null : (
        <time dateTime={at}>
          {isNow ? 'since ' : ''}
          {moment(at)}
        </time>
      )}
      {by === '' ? null : (
        <p className="soft">
          <bdi>{visible(by)}</bdi>
        </p>
      )}
      {note === '' ? null : <Lines text={note} />}
    </li>
  );
}

/** The timeline of a version, from its upload to the catalogue. */
export function Steps({
  detail,
  messages,
}: {
  detail: OwnVersionDetail;
  messages?: Conversation['messages'] | undefined;
}) {
  return (
    <ol className="steps" aria-label="Timeline">
      {timelineOf(detail, messages).map((step) => (
        <Step key={step.key} step={step} />
      ))}
    </ol>
  );
}
