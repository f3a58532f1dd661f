import { setImmediate as turn } from 'node:timers/promises';
import { type SqlBool, sql } from 'kysely';
import { allOf } from '../../platform/database/queries.ts';
import type { Database } from '../../platform/database/schema.ts';
import type { Person } from '../domain/identity/person-store.ts';

/** The name of a deleted account. The triggers of the audit log let an entry change only to one that has it. */
const DELETED = 'Deleted account';

/** Entries of the audit log that are read at a time. */
const PIECE = 1_000;

/** Names shorter than this are parts of other words. */
const MIN_NAME = 4;

const isOf = (text: string, name: string): boolean =>
  text === name || (name.length >= MIN_NAME && text.includes(name));

/** The value of a JSON text without the texts that contain the name or the email address of a user. */
function withoutPerson(value: unknown, { name, email }: Pick<Person, 'name' | 'email'>): unknown {
  if (typeof value === 'string')
    return isOf(value, name) || (email !== null && value.toLowerCase().includes(email)) ? DELETED : value;
  if (Array.isArray(value)) return value.map((item) => withoutPerson(item, { name, email }));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, withoutPerson(item, { name, email })]),
  );
}

type Entry = { id: number; detail_json: string };

const mentioning = ({ id, email }: Pick<Person, 'id' | 'email'>) => {
  const texts = [id, ...(email === null ? [] : [email])];
  return ({ detail_json }: Entry) => texts.some((text) => detail_json.toLowerCase().includes(text));
};

/** A row as an ordinary object. */
const plain = (row: object): Record<string, unknown> => ({ ...row });

/** Reads and deletes what the store has about a user. */
export function createLeavingStore(db: Database) {
  const recorded = (id: string) => `person:${id}`;

  /** Removes the name and the email address of a user from entries of the audit log. */
  async function scrub(entries: readonly Entry[], person: Pick<Person, 'name' | 'email'>): Promise<void> {
    for (const { id, detail_json } of entries) {
      const scrubbed = JSON.stringify(withoutPerson(JSON.parse(detail_json), person));
      if (scrubbed !== detail_json)
        await db.updateTable('audit_log').set({ detail_json: scrubbed }).where('id', '=', id).execute();
    }
  }

  return {
    /** What a user did in the store, for the export of their data. */
    async records(id: string) {
      const versions = db
        .selectFrom('versions')
        .select(['app_id', 'version', 'publisher', 'state', 'submitted_at']);
      const messages = db.selectFrom('review_messages').select(['app_id', 'version', 'sent_at', 'text']);
      const tokens = db
        .selectFrom('tokens')
        .select(['id', 'name', 'kind', 'publisher'])
        .select(['scopes_json', 'created_at', 'expires_at', 'last_used_at']);
      const events = db
        .selectFrom('audit_log')
        .select(['at', 'action', 'app_id', 'version', 'publisher', 'address', 'detail_json'])
        .orderBy('id');
      return {
        versions: await allOf(versions.where('submitted_by', '=', recorded(id)), plain),
        messages: await allOf(messages.where('author', '=', recorded(id)), plain),
        tokens: await allOf(tokens.where('person_id', '=', id), plain),
        events: await allOf(events.where('actor', '=', recorded(id)), ({ detail_json, ...event }) => ({
          ...event,
          detail: JSON.parse(detail_json),
        })),
      };
    },
    /**
     * The entries of the audit log of others that mention a user. Reads the log in pieces, in no transaction: other requests go on.
     * @returns their ids, and the last id that was read
     */
    async mentions({ id, email }: Pick<Person, 'id' | 'email'>): Promise<{ ids: number[]; until: number }> {
      const ids: number[] = [];
      let until = 0;
      for (;;) {
        const piece = await db
          .selectFrom('audit_log')
          .select(['id', 'detail_json'])
          .where('id', '>', until)
          .orderBy('id')
          .limit(PIECE)
          .execute();
        ids.push(...piece.filter(mentioning({ id, email })).map((entry) => entry.id));
        until = piece.at(-1)?.id ?? until;
        if (piece.length < PIECE) return { ids, until };
        await turn();
      }
    },
    /**
     * Deletes an account. Its row stays without a name and an address, as what it did stays: versions that it uploaded, decisions, and the
     * entries of the audit log, which have its random id and nothing else of it.
     * @param read the entries of others that mention it
     */
    async forget(
      { id, name, email }: Person,
      read: { ids: readonly number[]; until: number },
    ): Promise<void> {
      for (const table of [
        'sessions',
        'passwords',
        'passkeys',
        'identities',
        'tokens',
        'device_codes',
        'mail_choices',
      ] as const)
        await db.deleteFrom(table).where('person_id', '=', id).execute();
      await db.deleteFrom('invitations').where('invited_by', '=', id).execute();
      await db.deleteFrom('name_requests').where('asked_by', '=', id).execute();
      await db.deleteFrom('ceremonies').where('detail_json', 'like', `%${id}%`).execute();
      await db.updateTable('installs').set({ person_id: null }).where('person_id', '=', id).execute();
      if (email !== null) {
        await db.deleteFrom('invitations').where('email', '=', email).execute();
        await db.deleteFrom('mails').where('recipient', '=', email).execute();
      }
      await db.updateTable('audit_log').set({ address: null }).where('actor', '=', recorded(id)).execute();
      const entries = db
        .selectFrom('audit_log')
        .select(['id', 'detail_json'])
        .where(sql<SqlBool>`detail_json <> '{}'`);
      await scrub(await entries.where('actor', '=', recorded(id)).execute(), { name, email });
      const later = await entries.where('id', '>', read.until).execute();
      await scrub(later.filter(mentioning({ id, email })), { name, email });
      for (let at = 0; at < read.ids.length; at += PIECE) {
        const piece = read.ids.slice(at, at + PIECE);
        await scrub(await entries.where('id', 'in', piece).execute(), { name, email });
      }
      await db
        .updateTable('people')
        .set({ name: DELETED, email: null, email_verified: 0, role: 'person', recovered_at: null })
        .where('id', '=', id)
        .execute();
    },
  };
}

export type LeavingStore = ReturnType<typeof createLeavingStore>;
