import { type AuditAction, type AuditDetail, type AuditEntry, type AuditQuery, LIMITS } from '@svc/contracts';
import type { Insertable } from 'kysely';
import { fieldsOf } from '../../../platform/database/fields.ts';
import { allOf } from '../../../platform/database/queries.ts';
import type { Database, Tables } from '../../../platform/database/schema.ts';

/** The origin of an action: the address of the client and the id of its request; null for an action without a request. */
export type Origin = { address: string | null; requestId: string | null };

/** The actor of an action. The name is recorded in the audit log. */
export type Actor = {
  name: string;
  from: Origin;
  /** The id of the developer token that was used. */
  tokenId?: string;
};

/** The actor of actions of the store and its operator, which have no request. */
export const systemActor = (name: 'signer' | 'store' | 'operator' | 'upstream'): Actor => ({
  name,
  from: { address: null, requestId: null },
});

/** Actions that change how an account is accessed. `recordAccountChange` records them, and tells the user by mail. */
export type AccountAction = Extract<
  AuditAction,
  `${'passkey' | 'password' | 'identity'}.${string}` | 'token.issue'
>;

/**
 * Actions that change who owns a publisher, who acts for it, and what gives access to it. `recordPublisherChange` records them, and tells
 * its owners by mail.
 */
export type PublisherAction = Extract<
  AuditAction,
  | `${'member' | 'ci' | 'reviewer'}.${string}`
  | `webhook.${'add' | 'remove'}`
  | `publisher.${'change' | 'suspend' | 'unsuspend' | 'transfer' | 'verify' | 'unverify' | 'delete'}`
  | `app.${'offer' | 'transfer' | 'reassign' | 'publishing'}`
>;

/** An action and its target. It must not contain a secret. */
export type AuditEvent<Action extends AuditAction = Exclude<AuditAction, AccountAction | PublisherAction>> = {
  action: Action;
  appId?: string;
  version?: string;
  publisher?: string;
  tokenId?: string;
  detail?: AuditDetail;
};

/** The filters of a search; `after` is the last id of the previous page. */
export type AuditSearch = Omit<AuditQuery, 'cursor' | 'actor' | 'action'> & {
  /** One action, or several. */
  action?: AuditAction | readonly AuditAction[] | undefined;
  /** One actor, or several. */
  actor?: string | readonly string[] | undefined;
  after: number | null;
};

/** Cuts a text of a client to the maximum length of notes. JSON escapes every character of it. */
const bounded = (value: AuditDetail[string]): AuditDetail[string] => {
  if (Array.isArray(value)) return value.map((item) => bounded(item) as string);
  return typeof value === 'string' ? value.slice(0, LIMITS.note).toWellFormed() : value;
};

const boundedDetail = (detail: AuditDetail): AuditDetail =>
  Object.fromEntries(Object.entries(detail).map(([name, value]) => [name, bounded(value)]));

/** Entries that lose their addresses in one statement. */
const ERASED_AT_ONCE = 500;

/** Events that one statement records: a statement has a limited number of parameters. */
const EVENTS_AT_ONCE = 500;

const rowOf = (
  { name, from, tokenId }: Actor,
  at: string,
  event: AuditEvent<AuditAction>,
): Insertable<Tables['audit_log']> => ({
  at,
  actor: name,
  action: event.action,
  app_id: event.appId ?? null,
  version: event.version ?? null,
  publisher: event.publisher ?? null,
  token_id: event.tokenId ?? tokenId ?? null,
  address: from.address,
  request_id: from.requestId,
  detail_json: JSON.stringify(boundedDetail(event.detail ?? {})),
});

/** Normalises a time to the precision of the rows. */
const timeOf = (text: string): string => new Date(text).toISOString();

/** The audit log, in the database. */
export function createAuditLog(db: Database) {
  const record = async (actor: Actor, at: string, event: Parameters<typeof rowOf>[2]): Promise<void> => {
    await db
      .insertInto('audit_log')
      .values(rowOf(actor, at, event))
      .execute();
  };
  return {
    /**
     * Records an action. Run it in the transaction of the action, so that neither exists without the other; ids then grow in the order of
     * commits, as transactions run one at a time.
     * @param at the time, ISO 8601 in UTC
     */
    add: (actor: Actor, at: string, event: AuditEvent): Promise<void> => record(actor, at, event),
    /** Records a change of the access to an account: only for `recordAccountChange`. */
    addAccountChange: (actor: Actor, at: string, event: AuditEvent<AccountAction>): Promise<void> =>
      record(actor, at, event),
    /** Records a change of a publisher: only for `recordPublisherChange`. */
    addPublisherChange: (actor: Actor, at: string, event: AuditEvent<PublisherAction>): Promise<void> =>
      record(actor, at, event),
    /** Records many actions of one actor, in their order. */
    async addAll(actor: Actor, at: string, events: readonly AuditEvent[]): Promise<void> {
      for (let n = 0; n < events.length; n += EVENTS_AT_ONCE) {
        const rows = events.slice(n, n + EVENTS_AT_ONCE).map((event) => rowOf(actor, at, event));
        await db.insertInto('audit_log').values(rows).execute();
      }
    },
    /** Removes the addresses of entries from a time or before, some at a time, so that other changes do not wait for all of them. */
    async eraseAddresses(at: string): Promise<void> {
      const due = db
        .selectFrom('audit_log')
        .select('id')
        .where('address', 'is not', null)
        .where('at', '<=', at);
      for (;;) {
        const ids = (await due.orderBy('at').limit(ERASED_AT_ONCE).execute()).map(({ id }) => id);
        if (ids.length > 0)
          await db.updateTable('audit_log').set({ address: null }).where('id', 'in', ids).execute();
        if (ids.length < ERASED_AT_ONCE) return;
      }
    },
    /** The id of the last entry; 0 while there is none. */
    async lastId(): Promise<number> {
      const query = db.selectFrom('audit_log').select('id').orderBy('id', 'desc').limit(1);
      return (await query.executeTakeFirst())?.id ?? 0;
    },
    /** Finds entries, the oldest or the newest first: `limit` of them, and one more when there are more. */
    async find(search: AuditSearch): Promise<AuditEntry[]> {
      const { actor, action, publisher, from, to, direction, after, limit } = search;
      let query = db.selectFrom('audit_log').selectAll();
      const equal = { actor, action, app_id: search.appId, publisher };
      for (const [column, value] of Object.entries(equal)) {
        if (value !== undefined) query = query.where(column as keyof typeof equal, 'in', [value].flat());
      }
      if (from !== undefined) query = query.where('at', '>=', timeOf(from));
      if (to !== undefined) query = query.where('at', '<', timeOf(to));
      if (after !== null) query = query.where('id', direction === 'asc' ? '>' : '<', after);
      return allOf(query.orderBy('id', direction).limit(limit + 1), fieldsOf);
    },
  };
}

export type AuditLog = ReturnType<typeof createAuditLog>;
