import type { Conversation as ConversationData, OwnVersionDetail } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { reviewReasonText } from '@svc/contracts/vocabulary';
import { visible } from '@svc/text';
import { Loaded, moment } from '@svc/ui';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Conversation, useConversation } from '../conversation/conversation.tsx';
import { Lines, STATE_WORDS } from './parts.tsx';
import { likelyText, type TimelineStep, timelineOf } from './timeline.ts';
import { isMoving, useLive } from './use-live.ts';

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
  messages?: ConversationData['messages'] | undefined;
}) {
  return (
    <ol className="steps" aria-label="Timeline">
      {timelineOf(detail, messages).map((step) => (
        <Step key={step.key} step={step} />
      ))}
    </ol>
  );
}

/** Reloads the other queries of the page when the state of a version changes. */
function useReloadOnChange(path: string, state: string | undefined): void {
  const queries = useQueryClient();
  const before = useRef(state);
  useEffect(() => {
    if (before.current !== undefined && before.current !== state) {
      void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== path });
    }
    before.current = state;
  }, [queries, path, state]);
}

function Waiting({ detail: { reasons, review } }: { detail: OwnVersionDetail }) {
  return (
    <>
      {reasons.length > 0 ? (
        <>
          <h3>Why a moderator reviews it</h3>
          <ul>
            {reasons.map((reason) => (
              <li key={reason}>{reviewReasonText(reason)}</li>
            ))}
          </ul>
        </>
      ) : null}
      {review ? (
        <p>
          {`Number ${review.position} of ${review.of} in the queue. Review due by ${moment(review.dueAt)}.`}{' '}
          {likelyText(review.expectedAt, Date.now())}{' '}
          <a href={apiRequest('GET /api/review-clock').path}>Review times</a>
        </p>
      ) : null}
      <p className="soft">This page updates automatically.</p>
    </>
  );
}

/** Follows a version through checks and review. */
export function Follow({ slug, appId, version }: { slug: string; appId: string; version: string }) {
  const request = apiRequest('GET /api/publishers/:slug/apps/:appId/versions/:version', {
    params: { slug, appId, version },
  });
  const detail = useLive(request, ({ status }) => isMoving(status));
  const conversation = useConversation('publisher', appId, version);
  useReloadOnChange(request.path, detail.data?.status);
  return (
    <Loaded query={detail}>
      {(data) => (
        <>
          <p role="status" className="unseen">
            {version}: {STATE_WORDS[data.status]}
          </p>
          <Steps detail={data} messages={conversation.data?.messages} />
          {isMoving(data.status) ? <Waiting detail={data} /> : null}
          <Conversation side="publisher" appId={appId} version={version} />
        </>
      )}
    </Loaded>
  );
}
