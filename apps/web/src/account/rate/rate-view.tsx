import { apiRequest } from '@svc/contracts/client';
import { Loaded } from '@svc/ui';
import { useEffect, useState } from 'react';
import { visible } from '../../check/words.ts';
import { Flag } from '../../reviews/flag.tsx';
import { ReviewList } from '../../reviews/review-list.tsx';
import { WORDS } from '../../reviews/words.ts';
import { Card } from '../parts.tsx';
import { useRead } from '../use-store.ts';
import { takeInstallId } from './install-id.ts';
import { RateForm } from './rate-form.tsx';

const { rate: words } = WORDS;

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
        <a href={`/apps/${appId}`}>← {words.publicPage}</a>
      </p>
      <h1>{words.heading(visible(app.data?.name ?? appId))}</h1>
      <Card title={words.own}>
        <div className="rate">
          <Loaded query={mine}>{(data) => <RateForm appId={appId} mine={data} install={install} />}</Loaded>
        </div>
      </Card>
      {app.data === undefined || mine.data === undefined ? null : (
        <Card title={words.others}>
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
