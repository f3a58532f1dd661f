import type { StoreKey } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { Copyable, count, Loaded, moment, Rows } from '@svc/ui';
import { Card } from '../account/parts.tsx';
import { useRead } from '../account/use-store.ts';
import { hasPage } from '../extensions/store-link.tsx';

/** The store signs the list at least once an hour. */
const STALE_MS = 60 * 60_000;

const DAY_MS = 24 * 60 * 60_000;

/** How long a key has signed, or how long it did. */
function ageOf({ createdAt, retiredAt }: StoreKey): string {
  const end = retiredAt === undefined ? Date.now() : Date.parse(retiredAt);
  const days = Math.max(0, Math.floor((end - Date.parse(createdAt)) / DAY_MS));
  const age = days === 0 ? 'less than a day' : count(days, 'day');
  return retiredAt === undefined ? `in use for ${age}` : `was in use for ${age}`;
}

function Key(key: StoreKey) {
  const { keyId, createdAt, retiredAt, successorOf, publicKeyPem } = key;
  return (
    <li>
      <div>
        <Copyable name="key id" text={keyId} />{' '}
        {retiredAt === undefined ? (
          <span className="badge good">current</span>
        ) : (
          <span className="badge">retired</span>
        )}
        <p className="soft">
          {`${ageOf(key)}, created ${moment(createdAt)}`},{' '}
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
        <p className="soft">
          A key does not expire. Rotate it with <code>svc-store keys rotate</code>, for example once a year.{' '}
          {hasPage('/docs') && (
            <a href="/docs/backup#keys">Rotate a key, and what to do when one is lost or stolen</a>
          )}
        </p>
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
