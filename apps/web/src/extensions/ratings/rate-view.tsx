import type { MyReview, NewReview } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { LIMITS } from '@svc/contracts/vocabulary';
import { visible } from '@svc/text';
import { ButtonLink, ConfirmButton, Field, Form, Loaded, TextArea } from '@svc/ui';
import { useEffect, useState } from 'react';
import { Card } from '../../account/parts.tsx';
import { useChange, useDraft, useRead, useSignedIn } from '../../account/use-store.ts';
import { useParams } from '../../address.ts';
import { hasPage } from '../store-link.tsx';
import { Flag } from './flag.tsx';
import { takeInstallId } from './install-id.ts';
import { ReportReview } from './report-review.tsx';
import { Reply, ReviewList, Written } from './review-list.tsx';

const GRADES = Array.from({ length: LIMITS.ratings.stars }, (_, index) => index + 1);

/** A choice of stars. Radio buttons provide arrow keys and labels for screen readers. */
function StarsField({ value, choose }: { value: number; choose(stars: number): void }) {
  return (
    <fieldset>
      <legend>Stars</legend>
      <div className="cluster given">
        {GRADES.map((grade) => (
          <label key={grade} className="star">
            <input
              type="radio"
              className="unseen"
              name="rating"
              required
              value={grade}
              checked={grade === value}
              onChange={() => choose(grade)}
            />
            <span aria-hidden="true">{grade <= value ? '★' : '☆'}</span>
            <span className="unseen">{`${grade} of 5 stars`}</span>
          </label>
        ))}
        <span className="soft" aria-hidden="true">
          {value === 0 ? 'Not rated yet' : `${value} of 5 stars`}
        </span>
      </div>
    </fieldset>
  );
}

type Draft = { rating: number; title: string; body: string };

const EMPTY: Draft = { rating: 0, title: '', body: '' };

const draftOf = (review: MyReview['review']): Draft =>
  review ? { rating: review.rating, title: review.title, body: review.body } : EMPTY;

type FormProps = {
  appId: string;
  mine: MyReview;
  /** The installation that a client opened the page with; null when there is none. */
  install: string | null;
};

/** Hands over to the client, which opens this page again with its installation. */
function ByClient({ appId }: { appId: string }) {
  const link = `svc://rate/${encodeURIComponent(appId)}?store=${encodeURIComponent(window.location.origin)}`;
  return (
    <>
      <p>
        Only users who installed the app can rate it. Your chat client proves that: open it, and it leads you
        back here.
      </p>
      <p className="buttons">
        <ButtonLink label="Rate in your client" className="main" href={link} />
        {hasPage('/cli') && <a href="/cli#client">No client yet?</a>}
      </p>
    </>
  );
}

function TextFields({ draft, change }: { draft: Draft; change(part: Partial<Draft>): void }) {
  return (
    <>
      <Field
        label="Title"
        hint="Optional, one line."
        maxLength={LIMITS.ratings.title}
        value={draft.title}
        onChange={({ target }) => change({ title: target.value })}
      />
      <TextArea
        label="Review"
        hint="Optional. Public, with your name and the version you have."
        rows={6}
        maxLength={LIMITS.ratings.body}
        value={draft.body}
        onChange={({ target }) => change({ body: target.value })}
      />
    </>
  );
}

/** The moderation of a review, and the reply of the publisher. */
function ReviewStatus({ review }: { review: NonNullable<MyReview['review']> }) {
  const { hidden, note, reply } = review;
  return (
    <>
      {hidden ? (
        <div className="fault">
          {note === undefined || note === '' ? (
            <p>
              Your review waits for a moderator, as many new accounts have reviewed this app: until then only
              you see it, and its stars do not count.
            </p>
          ) : (
            <>
              <p>
                A moderator has hidden your review: only you see it, and its stars do not count. Edit it to
                have a moderator check it again. Deleting it and writing it again does not make it public.
              </p>
              <p>Note from the moderator:</p>
              <blockquote>
                <Written text={note} />
              </blockquote>
            </>
          )}
        </div>
      ) : null}
      <Reply reply={reply} />
    </>
  );
}

/** Writes, edits or deletes the user's review of an app. */
function RateForm({ appId, mine: { review, installed }, install }: FormProps) {
  const me = useSignedIn();
  const params = { appId };
  const { draft, change, clear } = useDraft<Draft>(`review ${me.id} ${appId}`, draftOf(review));
  const save = useChange((json: NewReview) =>
    apiRequest('PUT /api/apps/:appId/reviews/mine', { params, json }),
  );
  const remove = useChange(() => apiRequest('DELETE /api/apps/:appId/reviews/mine', { params }));
  const { rating, title, body } = draft;
  const submit = () => {
    remove.reset();
    const named = installed || install === null ? {} : { installId: install };
    save.mutate({ rating, title, body, ...named }, { onSuccess: (now) => clear(draftOf(now.review)) });
  };
  const deleteReview = () => {
    save.reset();
    remove.mutate(undefined, { onSuccess: () => clear(EMPTY) });
  };
  if (!installed && install === null) return <ByClient appId={appId} />;
  const message = save.data?.review?.hidden
    ? 'Saved. The review stays hidden until a moderator checks it.'
    : 'Saved. The review is public within a minute.';
  return (
    <>
      {review ? <ReviewStatus review={review} /> : null}
      <Form
        action={review ? 'Save changes' : 'Publish review'}
        busy={save.isPending}
        submit={submit}
        more={
          review ? (
            <ConfirmButton
              label="Delete review"
              sure="Delete your review? Its stars no longer count."
              act={deleteReview}
            />
          ) : null
        }
        status={save.isSuccess ? message : remove.isSuccess ? 'Deleted.' : ''}
        error={save.error ?? remove.error}
      >
        <StarsField value={rating} choose={(stars) => change({ rating: stars })} />
        <TextFields draft={draft} change={change} />
        {installed ? null : <p className="soft">Your chat client has identified your installation.</p>}
      </Form>
    </>
  );
}

/** The installation that the user rates with: named by a client when the page opened or later. */
function useInstall(named: string | null) {
  const [install, set] = useState(named);
  useEffect(() => {
    // When the page is open already, a client that opens it changes only the fragment.
    const readInstallId = () => {
      const id = takeInstallId(window);
      if (id !== null) set(id);
    };
    window.addEventListener('hashchange', readInstallId);
    return () => window.removeEventListener('hashchange', readInstallId);
  }, []);
  return install;
}

type RateProps = {
  appId: string;
  /** The installation that a client opened the page with. */
  named: string | null;
};

function Rate({ appId, named }: RateProps) {
  const app = useRead(apiRequest('GET /api/apps/:appId', { params: { appId } }));
  const mine = useRead(apiRequest('GET /api/apps/:appId/reviews/mine', { params: { appId } }));
  const install = useInstall(named);
  return (
    <>
      <h1>{`Rate ${visible(app.data?.name ?? appId)}`}</h1>
      <Card title="Your review">
        <div className="rate">
          <Loaded query={mine}>{(data) => <RateForm appId={appId} mine={data} install={install} />}</Loaded>
        </div>
      </Card>
      {app.data === undefined || mine.data === undefined ? null : (
        <Card title="Other reviews">
          <ReviewList
            appId={appId}
            without={mine.data.review?.id}
            actions={({ id }) => (
              <div className="buttons review-actions">
                <Flag appId={appId} id={id} />
              </div>
            )}
          />
        </Card>
      )}
    </>
  );
}

/** The page on which a user rates an app, and reads and reports the reviews of others; or reports the one that the URL names. */
export function RateView(props: RateProps) {
  const { report } = useParams(['report']);
  return report === '' ? <Rate {...props} /> : <ReportReview appId={props.appId} id={report} />;
}
