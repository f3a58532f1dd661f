import type { AppReview, AppReviews } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { LIMITS } from '@svc/contracts/vocabulary';
import { ConfirmButton, ErrorMessage } from '@svc/ui';
import { Card, Fields, OpenForm, textOf } from '../account/parts.tsx';
import { useChange } from '../account/use-store.ts';
import { Flag } from '../reviews/flag.tsx';
import { Stars } from '../reviews/review-item.tsx';
import { ReviewList } from '../reviews/review-list.tsx';
import { WORDS } from '../reviews/words.ts';

const { reply: words } = WORDS;
const STARS = [5, 4, 3, 2, 1] as const;

function Histogram({ rating: { average, count, histogram } }: { rating: AppReviews['rating'] }) {
  if (count === 0) return null;
  return (
    <>
      <p>
        <strong>{WORDS.average(average.toFixed(1), count)}</strong>
      </p>
      <table className="histogram" aria-label={WORDS.histogram}>
        <tbody>
          {STARS.map((stars) => (
            <tr key={stars}>
              <th scope="row">
                <Stars given={stars} />
              </th>
              <td>
                <meter min={0} max={count} value={histogram[stars]} aria-label={WORDS.stars(stars)} />
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
      <OpenForm label={written === undefined ? words.open : words.edit}>
        {(close) => (
          <section aria-label={words.label}>
            <Fields
              action={words.action}
              busy={send.isPending}
              submit={(data) => send.mutateAsync(textOf(data, 'body')).then(close)}
            >
              <label>
                {words.label}
                <small>{words.hint}</small>
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
              {WORDS.cancel}
            </button>
          </section>
        )}
      </OpenForm>
      {written === undefined ? null : (
        <ConfirmButton label={words.remove} sure={words.removeSure} act={() => remove.mutate()} />
      )}
      <ErrorMessage error={send.error ?? remove.error} />
    </>
  );
}

/** The ratings of an app. Its publisher can reply to a review or report it to the moderators. */
export const Ratings = ({ appId }: { appId: string }) => (
  <Card title={WORDS.title}>
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
