import type { AppReview, AppReviews } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { LIMITS } from '@svc/contracts/vocabulary';
import { ConfirmButton, count, ErrorMessage } from '@svc/ui';
import { Card, Fields, OpenForm, textOf } from '../account/parts.tsx';
import { useChange } from '../account/use-store.ts';
import { Flag } from '../reviews/flag.tsx';
import { Stars } from '../reviews/review-item.tsx';
import { ReviewList } from '../reviews/review-list.tsx';

const STARS = [5, 4, 3, 2, 1] as const;

function Histogram({ rating: { average, count: all, histogram } }: { rating: AppReviews['rating'] }) {
  if (all === 0) return null;
  return (
    <>
      <p>
        <strong>{`${average.toFixed(1)} of 5 (${count(all, 'rating')})`}</strong>
      </p>
      <table className="histogram" aria-label="Ratings by number of stars">
        <tbody>
          {STARS.map((stars) => (
            <tr key={stars}>
              <th scope="row">
                <Stars given={stars} />
              </th>
              <td>
                <meter min={0} max={all} value={histogram[stars]} aria-label={`${stars} of 5 stars`} />
              </td>
              <td>{histogram[stars]}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function Reply({ appId, review }: { appId: string; review: AppReview }) {
  const params = { appId, id: review.id };
  const send = useChange((body: string) =>
    apiRequest('PUT /api/apps/:appId/reviews/:id/reply', { params, json: { body } }),
  );
  const remove = useChange(() => apiRequest('DELETE /api/apps/:appId/reviews/:id/reply', { params }));
  const written = review.reply?.body;
  return (
    <>
      <OpenForm label={written === undefined ? 'Reply' : 'Edit reply'}>
        {(close) => (
          <section aria-label="Your reply">
            <Fields
              action="Publish reply"
              busy={send.isPending}
              submit={(data) => send.mutateAsync(textOf(data, 'body')).then(close)}
            >
              <label>
                Your reply
                <small>Public, shown below the review.</small>
                <textarea
                  name="body"
                  required
                  rows={3}
                  maxLength={LIMITS.ratings.reply}
                  defaultValue={written}
                  // biome-ignore lint/a11y/noAutofocus: the form replaces the button that was pressed
                  autoFocus
                />
              </label>
            </Fields>
            <button type="button" onClick={close}>
              Cancel
            </button>
          </section>
        )}
      </OpenForm>
      {written === undefined ? null : (
        <ConfirmButton label="Delete reply" sure="Delete this reply?" act={() => remove.mutate()} />
      )}
      <ErrorMessage error={send.error ?? remove.error} />
    </>
  );
}

/** The ratings of an app. Its publisher can reply to a review or report it to the moderators. */
export const Ratings = ({ appId }: { appId: string }) => (
  <Card title="Ratings and reviews">
    <ReviewList
      appId={appId}
      head={(rating) => <Histogram rating={rating} />}
      actions={(review) => (
        <div className="buttons review-actions">
          <Reply appId={appId} review={review} />
          <Flag appId={appId} id={review.id} />
        </div>
      )}
    />
  </Card>
);
