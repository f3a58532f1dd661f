import type { StoreKey } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { Loaded, moment, Rows } from '@svc/ui';
import { Card } from '../account/parts.tsx';
import { useRead } from '../account/use-store.ts';

/** The store signs the list at least once an hour. */
const STALE_MS = 60 * 60_000;

function Key({ keyId, createdAt, retiredAt, successorOf, publicKeyPem }: StoreKey) {
  return (
    <li>
      <div>
        <code>{keyId}</code>{' '}
        {retiredAt === undefined ? (
          <span className="badge good">current</span>
        ) : (
          <span className="badge">retired</span>
        )}
        <p className="soft">
          {`created ${moment(createdAt)}`},{' '}
          {successorOf === undefined ? 'the first key' : `signed by the previous key, ${successorOf}`}
          {retiredAt === undefined ? '' : `, retired ${moment(retiredAt)}`}
        </p>
        <details>
          <summary>Show the public key</summary>
          <pre className="plain">{publicKeyPem}</pre>
        </details>
      </div>
    </li>
  );
}

/** The signing keys of the store, and the state of its revocation list. */
export function Keys() {
  const keys = useRead(apiRequest('GET /api/apps/public-keys'));
  const list = useRead(apiRequest('GET /api/apps/revocations'));
  return (
    <>
      <h1>Keys and revocations</h1>
      <Card title="Signing keys">
        <p className="soft">To create a new key, run svc-store keys rotate.</p>
        <Loaded query={keys}>
          {({ keys: all }) => <Rows of={all.toReversed()}>{(key) => <Key key={key.keyId} {...key} />}</Rows>}
        </Loaded>
      </Card>
      <Card title="Revocation list">
        <Loaded query={list}>
          {({ entries, signedAt }) => (
            <>
              <p>
                {entries.length === 1 ? '1 version is yanked.' : `${entries.length} versions are yanked.`}{' '}
                <a href="/admin/apps">Yanked versions</a>
              </p>
              <p className={Date.now() - Date.parse(signedAt) > STALE_MS ? 'fault' : 'good'}>
                {`Signed ${moment(signedAt)}.`}{' '}
                {Date.now() - Date.parse(signedAt) > STALE_MS
                  ? 'Older than an hour: clients will soon report the list as stale. Check the log.'
                  : ''}
              </p>
            </>
          )}
        </Loaded>
      </Card>
    </>
  );
}
