import type { AppReview, AppReviews, OwnApp } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { LIMITS } from '@svc/contracts/vocabulary';
import { visible } from '@svc/text';
import { ConfirmButton, count, ErrorMessage, Loaded } from '@svc/ui';
import { Card, Fields, OpenForm, textOf } from '../account/parts.tsx';
import { TrustedPublishing } from '../account/trusted-publishing.tsx';
import { useChange, useRead } from '../account/use-store.ts';
import { Flag } from '../reviews/flag.tsx';
import { ReviewList, Stars } from '../reviews/review-list.tsx';
import { Follow } from './follow.tsx';
import { Icon } from './icon.tsx';
import { InstallStats } from './install-stats.tsx';
import { Life } from './life.tsx';
import { PublishCard } from './publish-card.tsx';
import { STATE_WORDS } from './state-badge.tsx';
import { isMoving, useLive } from './use-live.ts';
import { Versions } from './versions.tsx';

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
const Ratings = ({ appId }: { appId: string }) => (
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

function Heading({ slug, app }: { slug: string; app: OwnApp }) {
  const { appId, name, iconUrl, listed, suspended } = app;
  return (
    <>
      <p>
        <a href={`/account/publishers/${slug}`}>← {slug}</a>
      </p>
      <div className="app">
        <Icon url={iconUrl} name={visible(name)} side={64} />
        <div>
          <h1>{visible(name)}</h1>
          <p>
            <code>{appId}</code>
          </p>
          <p className="soft">
            {listed ? `${listed.version} is in the catalogue` : 'Not published yet'}
            {listed && !suspended ? (
              <>
                {' · '}
                <a href={`/apps/${appId}`}>View in the catalogue</a>
              </>
            ) : null}
          </p>
        </div>
      </div>
      {suspended ? (
        <p className="fault">This app is suspended: it is not listed, and you cannot publish new versions.</p>
      ) : null}
    </>
  );
}

/** The page of an app for its publisher: the newest version, publishing, statistics, reviews and all versions. */
export function AppView({ slug, appId }: { slug: string; appId: string }) {
  const own = { slug, appId };
  const request = apiRequest('GET /api/publishers/:slug/apps/:appId', { params: own });
  const query = useLive(request, ({ newest }) => isMoving(newest.status));
  const publisher = useRead(apiRequest('GET /api/publishers/:slug', { params: { slug } }));
  return (
    <Loaded query={query} page={appId}>
      {(app) => (
        <>
          <Heading slug={slug} app={app} />
          <Card title={`${app.newest.version}: ${STATE_WORDS[app.newest.status]}`}>
            <Follow slug={slug} appId={appId} version={app.newest.version} />
          </Card>
          {app.suspended || publisher.data?.suspended !== false ? null : (
            <PublishCard target={{ slug, appId, apps: [app] }} />
          )}
          <InstallStats own={own} app={app} />
          {app.listed && !app.suspended ? <Ratings appId={appId} /> : null}
          {publisher.data?.role === 'owner' ? <TrustedPublishing slug={slug} appId={appId} /> : null}
          <Versions own={own} app={app} />
          {publisher.data?.role === 'owner' ? <Life slug={slug} appId={appId} /> : null}
        </>
      )}
    </Loaded>
  );
}
