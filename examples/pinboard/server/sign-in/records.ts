import { createHash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { isThisMachine } from '@svc/contracts/this-machine';
import { type Adapter, type AdapterFactory, type AdapterPayload, errors } from 'oidc-provider';

/** Maximum number of registered clients, and of characters in the metadata of a client. */
const MAX_CLIENTS = 500;
const MAX_METADATA = 4_000;

/** How long a client without a user is kept when space is needed. */
const GRACE_SECONDS = 3600;

/** The id of a token is the token itself, so only its hash is stored: a copy of the file contains no valid token. */
const keyOf = (id: string): string => createHash('sha256').update(id).digest('hex');

const seconds = (): number => Math.floor(Date.now() / 1000);

/** Whether a redirect URI is allowed: https, or a program on the user's machine. */
function isRedirect(uri: unknown): boolean {
  const url = URL.parse(String(uri));
  if (url?.protocol === 'https:') return true;
  return url?.protocol === 'http:' && isThisMachine(url.hostname);
}

/**
 * Refuses a registration that is too large, or exceeds the number of clients. Anyone may register, so both are limited. Clients
 * without a sign-in for an hour are removed when space is needed.
 */
function admitClient(database: DatabaseSync, payload: AdapterPayload): void {
  if (JSON.stringify(payload).length > MAX_METADATA) {
    throw new errors.InvalidClientMetadata(`client metadata may have ${MAX_METADATA} characters`);
  }
  const redirects = (payload as { redirect_uris?: unknown[] }).redirect_uris ?? [];
  if (!redirects.every(isRedirect)) {
    throw new errors.InvalidClientMetadata('redirect_uris are https, or http of this machine');
  }
  const count = database.prepare("select count(*) as n from records where model = 'Client'");
  if (Number(count.get()?.n) < MAX_CLIENTS) return;
  database
    .prepare(
      `delete from records where model = 'Client' and made_at < ? and client_id not in
         (select client_id from records where model = 'Grant' and client_id is not null)`,
    )
    .run(seconds() - GRACE_SECONDS);
  if (Number(count.get()?.n) < MAX_CLIENTS) return;
  throw new errors.OIDCProviderError(503, 'temporarily_unavailable');
}

/**
 * The storage of the authorization server for clients, grants, tokens and sessions.
 * @throws OIDCProviderError for refused clients
 */
export function recordsIn(database: DatabaseSync): AdapterFactory {
  const insert = database.prepare(
    `insert into records (model, key, payload, grant_id, client_id, uid, made_at, expires_at) values (?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (model, key) do update set payload = excluded.payload, grant_id = excluded.grant_id,
       uid = excluded.uid, expires_at = excluded.expires_at`,
  );
  const forget = database.prepare('delete from records where expires_at <= ?');
  const byKey = database.prepare(
    'select payload from records where model = ? and key = ? and (expires_at is null or expires_at > ?)',
  );
  const byUid = database.prepare(
    'select payload from records where model = ? and uid = ? and (expires_at is null or expires_at > ?)',
  );
  const remove = database.prepare('delete from records where model = ? and key = ?');
  const removeGrant = database.prepare('delete from records where model = ? and grant_id = ?');
  const consume = database.prepare(
    "update records set payload = json_set(payload, '$.consumed', ?) where model = ? and key = ?",
  );
  const read = (row: Record<string, unknown> | undefined, id?: string): AdapterPayload | undefined =>
    row && { ...JSON.parse(String(row.payload)), ...(id !== undefined && { jti: id }) };

  return (model: string): Adapter => ({
    async upsert(id, payload, expiresIn) {
      const now = seconds();
      forget.run(now);
      if (model === 'Client') admitClient(database, payload);
      // A session is found by its cookie, which is signed: the id alone is useless.
      const { jti, ...rest } = payload;
      const kept = JSON.stringify(model === 'Session' ? payload : rest);
      const clientId = model === 'Client' ? id : (payload.clientId ?? null);
      const end = expiresIn ? now + expiresIn : null;
      insert.run(model, keyOf(id), kept, payload.grantId ?? null, clientId, payload.uid ?? null, now, end);
    },
    find: async (id) => read(byKey.get(model, keyOf(id), seconds()), model === 'Client' ? undefined : id),
    findByUid: async (uid) => read(byUid.get(model, uid, seconds())),
    findByUserCode: async () => undefined,
    consume: async (id) => void consume.run(seconds(), model, keyOf(id)),
    destroy: async (id) => void remove.run(model, keyOf(id)),
    revokeByGrantId: async (grantId) => void removeGrant.run(model, grantId),
  });
}
