import type { Conversation, OwnVersionDetail } from '@svc/contracts';
import { moment } from '@svc/ui';
import { visible } from '../check/words.ts';
import { Lines } from './text.tsx';
import { type TimelineStep, timelineOf } from './timeline.ts';
import { WORDS } from './words.ts';

const { steps: words } = WORDS;

function Step({ step: { look, title, at, by, note } }: { step: TimelineStep }) {
  const isNow = look === 'now';
  return (
    <li className={look} {...(isNow && { 'aria-current': 'step' as const })}>
      <strong>{title}</strong>
      {look === 'done' ? <span className="unseen"> ({words.done})</span> : null}
      {isNow ? <span className="unseen"> ({words.now})</span> : null}{' '}
      {at === null ? null : (
        <time dateTime={at}>
          {isNow ? `${words.since} ` : ''}
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
    <ol className="steps" aria-label={words.label}>
      {timelineOf(detail, messages).map((step) => (
        <Step key={step.key} step={step} />
      ))}
    </ol>
  );
}
