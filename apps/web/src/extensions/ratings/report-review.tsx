import { apiRequest } from '@svc/contracts/client';
import { Loaded } from '@svc/ui';
import { useState } from 'react';
import { Card, NotFound } from '../../account/parts.tsx';
import { useRead } from '../../account/use-store.ts';
import { StoreLink } from '../store-link.tsx';
import { FlagForm, Reported } from './flag.tsx';
import { ReviewItem } from './review-list.tsx';

/** The page on which a user reports one review, from the page of its app. @param id of the review */
export function ReportReview({ appId, id }: { appId: string; id: string }) {
  const params = { appId };
  const found = useRead(apiRequest('GET /api/apps/:appId/reviews', { params, query: { id } }));
  const [isSent, setSent] = useState(false);
  const back = `/apps/${encodeURIComponent(appId)}#reviews`;
  return (
    <Loaded query={found} page="Report a review">
      {({ reviews: [review] }) =>
        review === undefined ? (
          <NotFound isGone href={back} label="The page of the app" />
        ) : (
          <>
            <h1>Report a review</h1>
            <Card>
              <ReviewItem review={review} />
              <Reported isSent={isSent} />
              {isSent ? null : <FlagForm appId={appId} id={id} done={() => setSent(true)} />}
              <p>
                <StoreLink href={back}>Back to the app</StoreLink>
              </p>
            </Card>
          </>
        )
      }
    </Loaded>
  );
}
