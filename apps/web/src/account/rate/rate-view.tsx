import { apiRequest } from '@svc/contracts/client';
import { visible } from '@svc/text';
import { Loaded } from '@svc/ui';
import { useEffect, useState } from 'react';
import { Flag } from '../../reviews/flag.tsx';
import { ReviewList } from '../../reviews/review-list.tsx';
import { Card } from '../parts.tsx';
import { useRead } from '../use-store.ts';
import { takeInstallId } from './install-id.ts';
import { RateForm } from './rate-form.tsx';

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

/**
 * The page on which a user rates an app, and reads and reports the reviews of others.
 * @param named the installation that a client opened the page with
 */
export function RateView({ appId, named }: { appId: string; named: string | null }) {
  const app = useRead(apiRequest('GET /api/apps/:appId', { params: { appId } }));
  const mine = useRead(apiRequest('GET /api/apps/:appId/reviews/mine', { params: { appId } }));
  const install = useInstall(named);
  return (
    <>
      <p>
        <a href={`/apps/${appId}`}>← View in the catalogue</a>
      </p>
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
