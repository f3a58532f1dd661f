import type { Review } from '@svc/contracts';
import { verdictOf } from '@svc/permissions';
import { visible } from '@svc/text';
import { day, Verdict } from '@svc/ui';
import { Fragment, type ReactNode } from 'react';
import { Named } from '../../account/parts.tsx';
import { StoreLink } from '../../extensions/store-link.tsx';
import { iconOf } from '../version-path.ts';
import { dueWords, reasonBadge } from '../words.ts';
import { Was } from './seen.tsx';

/** The publisher, with what the store verified and how its versions fared. */
const PublisherLine = ({ review: { publisher, record } }: { review: Review }) => (
  <p className="soft">
    <StoreLink href={`/publishers/${publisher.slug}`}>
      <bdi>{visible(publisher.name)}</bdi>
    </StoreLink>{' '}
    <code>{publisher.slug}</code> <Verdict of={verdictOf({ publisher })} />{' '}
    {`since ${day(publisher.createdAt)}: ${record.approved} approved, ${record.rejected} rejected, ${record.yanked} yanked`}
  </p>
);

/** The record of the people behind the publisher, where it says more than that of the publisher: other publishers, and what was stopped. */
function PeopleLine({ review: { publisher, people } }: { review: Review }) {
  const others = people.publishers.filter((slug) => slug !== publisher.slug);
  if (others.length === 0 && people.stopped.length === 0) return null;
  return (
    <p className={people.stopped.length > 0 ? 'fault' : 'soft'}>
      {`Its people, under ${people.publishers.length === 1 ? 'this publisher' : `${people.publishers.length} publishers`}: ${people.approved} approved, ${people.rejected} rejected, ${people.yanked} yanked, ${people.stopped.length} stopped`}
      {[
        ...others.map((slug) => ({ publisher: slug, appId: null })),
        ...people.stopped.filter(({ appId }) => appId !== null),
      ].map(({ publisher: slug, appId }) => (
        <Fragment key={`${slug} ${appId}`}>
          {' '}
          <code>{visible(appId ?? slug)}</code>
          {people.stopped.some((one) => one.publisher === slug && one.appId === appId) ? ' (stopped)' : ''}
        </Fragment>
      ))}
    </p>
  );
}

/** Why it waits for a moderator, and until when. */
function Reasons({ review: { reasons, review } }: { review: Review }) {
  if (reasons.length === 0 && !review) return null;
  return (
    <p className="cluster reasons">
      {reasons.map((reason) => {
        const { key, look, text } = reasonBadge(reason);
        return (
          <span key={key} className={`badge ${look}`.trim()}>
            {text}
          </span>
        );
      })}
      {review ? <span className="soft">{dueWords(review.dueAt, Date.now())}</span> : null}
    </p>
  );
}

type HeadProps = {
  review: Review;
  /** The name of the published version. */
  was: string | undefined;
  /** Buttons beside the name. */
  children: ReactNode;
};

/** What a version is, whose, and why it waits: above every tab of its evidence. */
export const Head = ({ review, was, children }: HeadProps) => (
  <header className="review-head">
    <Named picture={<img className="app-icon" src={iconOf(review)} alt="Icon" width={64} height={64} />}>
      <h1>
        <bdi>{visible(review.manifest.name)}</bdi> {visible(review.version)}{' '}
        <span className="soft">
          <code>{visible(review.appId)}</code>
        </span>
      </h1>
      <Was is={review.manifest.name} was={was} />
      <PublisherLine review={review} />
      <PeopleLine review={review} />
    </Named>
    <span className="buttons">{children}</span>
    <Reasons review={review} />
  </header>
);
