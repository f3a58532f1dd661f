import type { AppReview, AppReviews } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { LIMITS } from '@svc/contracts/vocabulary';
import { Button, count, TextArea, textOf } from '@svc/ui';
import { Card, ChangeButton, ChangeForm, OpenForm } from '../../account/parts.tsx';
import { Flag } from './flag.tsx';
import { ReviewList } from './review-list.tsx';

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
                <span aria-hidden="true">{`${stars} ★`}</span>
                <span className="sr">{`${stars} of 5 stars`}</span>
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
  const request = (data: FormData) =>
    apiRequest('PUT /api/apps/:appId/reviews/:id/reply', { params, json: { body: textOf(data, 'body') } });
  const written = review.reply?.body;
  return (
    <>
      <OpenForm label={written === undefined ? 'Reply' : 'Edit reply'}>
        {(close) => (
          <section aria-label="Your reply">
            <ChangeForm action="Publish reply" request={request} done={close}>
              <TextArea
                label="Your reply"
                hint="Public, shown below the review."
                name="body"
                required
                rows={3}
                maxLength={LIMITS.ratings.reply}
                defaultValue={written}
                autoFocus
              />
            </ChangeForm>
            <Button label="Cancel" onClick={close} />
          </section>
        )}
      </OpenForm>
      {written === undefined ? null : (
        <ChangeButton
          label="Delete reply"
          sure="Delete this reply?"
          request={() => apiRequest('DELETE /api/apps/:appId/reviews/:id/reply', { params })}
        />
      )}
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
