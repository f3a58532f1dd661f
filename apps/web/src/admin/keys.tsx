import type { StoreKey } from '@svc/contracts';
import { apiRequest } from '@svc/contracts/client';
import { Loaded, moment } from '@svc/ui';
import { Card } from '../account/parts.tsx';
import { useRead } from '../account/use-store.ts';
import { WORDS } from './words.ts';

const MESSAGES = WORDS.keys;
/** The store signs the list at least once an hour. */
const STALE_MS = 60 * 60_000;

function Key({ keyId, createdAt, retiredAt, successorOf, publicKeyPem }: StoreKey) {
  return (
    <li>
      <div>
        <code>{keyId}</code>{' '}
        {retiredAt === undefined ? (
          <span className="badge good">{MESSAGES.current}</span>
        ) : (
          <span className="badge">{MESSAGES.retired}</span>
        )}
        <p className="soft">
          {MESSAGES.created(moment(createdAt))},{' '}
          {successorOf === undefined ? MESSAGES.first : MESSAGES.follows(successorOf)}
          {retiredAt === undefined ? '' : `, ${MESSAGES.retiredAt(moment(retiredAt))}`}
        </p>
        <details>
          <summary>{MESSAGES.show}</summary>
          <pre className="said">{publicKeyPem}</pre>
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
      <h1>{MESSAGES.title}</h1>
      <Card title={MESSAGES.keys}>
        <p className="soft">{MESSAGES.rotate}</p>
        <Loaded query={keys}>
          {({ keys: all }) => (
            <ul className="rows">
              {all.toReversed().map((key) => (
                <Key key={key.keyId} {...key} />
              ))}
            </ul>
          )}
        </Loaded>
      </Card>
      <Card title={MESSAGES.list}>
        <Loaded query={list}>
          {({ entries, signedAt }) => (
            <>
              <p>
                {MESSAGES.entries(entries.length)} <a href="/admin/apps">{WORDS.apps.yanked}</a>
              </p>
              <p className={Date.now() - Date.parse(signedAt) > STALE_MS ? 'fault' : 'good'}>
                {MESSAGES.signed(moment(signedAt))}{' '}
                {Date.now() - Date.parse(signedAt) > STALE_MS ? MESSAGES.stale : ''}
              </p>
            </>
          )}
        </Loaded>
      </Card>
    </>
  );
}
