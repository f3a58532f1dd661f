import type { PublicKeys, RevocationList, StoreKey } from '@svc/contracts';
import { Card, Loaded, moment } from '../account/parts.tsx';
import { useRead } from '../account/use-store.ts';
import { WORDS } from './words.ts';

const SAY = WORDS.keys;
/** The store promises to sign the list at least once an hour. */
const STALE_MS = 60 * 60_000;

function Key({ keyId, createdAt, retiredAt, successorOf, publicKeyPem }: StoreKey) {
  return (
    <li>
      <div>
        <code>{keyId}</code>{' '}
        {retiredAt === undefined ? (
          <span className="badge good">{SAY.current}</span>
        ) : (
          <span className="badge">{SAY.retired}</span>
        )}
        <p className="soft">
          {SAY.created(moment(createdAt))}, {successorOf === undefined ? SAY.first : SAY.follows(successorOf)}
          {retiredAt === undefined ? '' : `, ${SAY.retiredAt(moment(retiredAt))}`}
        </p>
        <details>
          <summary>{SAY.show}</summary>
          <pre className="said">{publicKeyPem}</pre>
        </details>
      </div>
    </li>
  );
}

/** With what the store signs, and when it last signed the list of what is withdrawn. */
export function Keys() {
  const keys = useRead<PublicKeys>('/api/apps/public-keys');
  const list = useRead<RevocationList>('/api/apps/revocations');
  return (
    <>
      <h1>{SAY.title}</h1>
      <Card title={SAY.keys}>
        <p className="soft">{SAY.rotate}</p>
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
      <Card title={SAY.list}>
        <Loaded query={list}>
          {({ entries, signedAt }) => (
            <>
              <p>
                {SAY.entries(entries.length)} <a href="/admin/apps">{WORDS.apps.yanked}</a>
              </p>
              <p className={Date.now() - Date.parse(signedAt) > STALE_MS ? 'fault' : 'good'}>
                {SAY.signed(moment(signedAt))} {Date.now() - Date.parse(signedAt) > STALE_MS ? SAY.stale : ''}
              </p>
            </>
          )}
        </Loaded>
      </Card>
    </>
  );
}
