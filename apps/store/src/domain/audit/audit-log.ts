import { type AuditAction, type AuditDetail, type AuditEntry, type AuditQuery, LIMITS } from '@svc/contracts';
import type { Selectable } from 'kysely';
import type { Database, Tables } from '../../platform/database/schema.ts';

/** Where something came from: the address of the client and the id of its request; null when no request asked for it. */
export type Origin = { address: string | null; requestId: string | null };

/** Who does something. The name goes on record. */
export type Actor = {
  name: string;
  from: Origin;
  /** The developer token that was shown, by its id. */
  tokenId?: string;
};

/** What the store and its operator do by themselves comes from no request. */
export const systemActor = (name: 'signer' | 'store' | 'operator'): Actor => ({
  name,
  from: { address: null, requestId: null },
});

/** What was done, and to what. Nothing in it may be a secret. */
export type AuditEvent = {
  action: AuditAction;
  appId?: string;
  version?: string;
  publisher?: string;
  tokenId?: string;
  detail?: AuditDetail;
};

/** What to look for; `after` is the id that the page before ended with. */
export type AuditSearch = Omit<AuditQuery, 'cursor'> & { after: number | null };

/** A text that a client chose the length of, cut where notes end too. JSON keeps any character of it as data. */
const bounded = (value: AuditDetail[string]): AuditDetail[string] => {
  if (Array.isArray(value)) return value.map((item) => bounded(item) as string);
  return typeof value === 'string' ? value.slice(0, LIMITS.note).toWellFormed() : value;
};

const boundedDetail = (detail: AuditDetail): AuditDetail =>
  Object.fromEntries(Object.entries(detail).map(([name, value]) => [name, bounded(value)]));

const entryOf = (row: Selectable<Tables['audit_log']>): AuditEntry => ({
  id: row.id,
  at: row.at,
  actor: row.actor,
  action: row.action as AuditAction,
  appId: row.app_id,
  version: row.version,
  publisher: row.publisher,
  tokenId: row.token_id,
  address: row.address,
  requestId: row.request_id,
  detail: JSON.parse(row.detail_json),
});

/** A time as the rows have it, whatever precision it came in. */
const timeOf = (text: string): string => new Date(text).toISOString();

/** The audit log, in the database. */
export const createAuditLog = (db: Database) => ({
  /**
   * Keeps what a person did. Run it in the transaction of the deed, so that neither is there without the other; ids
   * then grow in the order in which deeds became true, as transactions run one at a time.
   * @param at when, ISO 8601 in UTC
   */
  async add({ name, from, tokenId }: Actor, at: string, deed: AuditEvent): Promise<void> {
    await db
      .insertInto('audit_log')
      .values({
        at,
        actor: name,
        action: deed.action,
        app_id: deed.appId ?? null,
        version: deed.version ?? null,
        publisher: deed.publisher ?? null,
        token_id: deed.tokenId ?? tokenId ?? null,
        address: from.address,
        request_id: from.requestId,
        detail_json: JSON.stringify(boundedDetail(deed.detail ?? {})),
      })
      .execute();
  },
  /** Entries in the order in which they were added, or the newest first: as many as `limit` says, and one more when there are more. */
  async find({
    actor,
    action,
    appId,
    publisher,
    from,
    to,
    direction,
    after,
    limit,
  }: AuditSearch): Promise<AuditEntry[]> {
    let query = db.selectFrom('audit_log').selectAll();
    const equal = { actor, action, app_id: appId, publisher };
    for (const [column, value] of Object.entries(equal)) {
      if (value !== undefined) query = query.where(column as keyof typeof equal, '=', value);
    }
    if (from !== undefined) query = query.where('at', '>=', timeOf(from));
    if (to !== undefined) query = query.where('at', '<', timeOf(to));
    if (after !== null) query = query.where('id', direction === 'asc' ? '>' : '<', after);
    const rows = await query
      .orderBy('id', direction)
      .limit(limit + 1)
      .execute();
    return rows.map(entryOf);
  },
});

export type AuditLog = ReturnType<typeof createAuditLog>;
