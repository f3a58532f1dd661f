import { createHmac, randomBytes } from 'node:crypto';
import type { LogEntry, SignedFacts, StoreKey } from '@svc/contracts';
import { encodeEntry, publishedEntry, reasonHashOf, toolsHashOf } from '@svc/log';
import { signedFootprintOf } from '@svc/permissions';
import { factsOf } from '@svc/signing';
import { sql } from 'kysely';
import type { Database } from '../../../platform/database/schema.ts';
import { storeSecret } from '../../../platform/database/store-secret.ts';

/** The key under which the log names people, in `store_secrets`. */
const PEOPLE = 'people in the log';

/** Entries that one statement inserts: a statement has a limited number of parameters. */
const AT_ONCE = 100;

/** Hex digits of the hash of a person. */
const HASH_DIGITS = 32;

const subjectOf = (entry: LogEntry) => ({
  kind: entry.kind,
  app_id: 'appId' in entry ? entry.appId : null,
  version: 'version' in entry ? entry.version : null,
  publisher: 'publisher' in entry ? entry.publisher : null,
});

/** The row of an entry. */
export const rowOfEntry = (entry: LogEntry, idx: number) => ({
  idx,
  ...subjectOf(entry),
  entry: Buffer.from(encodeEntry(entry)).toString('utf8'),
});

/** The index of the next entry. Within a transaction no other process takes it: transactions run one at a time. */
export async function nextIndex(db: Database): Promise<number> {
  const last = await db
    .selectFrom('log_entries')
    .select(({ fn }) => fn.max('idx').as('idx'))
    .executeTakeFirst();
  return Number(last?.idx ?? -1) + 1;
}

/**
 * Appends entries to the log. Call it in the transaction of the act: then neither exists without the other, and entries have the order of
 * commits.
 */
export async function appendToLog(db: Database, entries: readonly LogEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const first = await nextIndex(db);
  const rows = entries.map((entry, at) => rowOfEntry(entry, first + at));
  for (let n = 0; n < rows.length; n += AT_ONCE)
    await db
      .insertInto('log_entries')
      .values(rows.slice(n, n + AT_ONCE))
      .execute();
}

/** The keyed hashes of users; jobs of the store are none. */
async function hashesOf(db: Database, names: readonly string[]): Promise<string[]> {
  const people = [...new Set(names)].filter((name) => name.startsWith('person:'));
  if (people.length === 0) return [];
  const secret = await storeSecret(db, PEOPLE, randomBytes(32).toString('hex'));
  return people.map((name) => createHmac('sha256', secret).update(name).digest('hex').slice(0, HASH_DIGITS));
}

type Ref = { appId: string; version: string };
type Moved = { by: string; at: string; note: string; first?: string | null | undefined };

/** The persons who decided, the first of two before the second. */
const decidersOf = ({ by, first }: Pick<Moved, 'by' | 'first'>): string[] => (first ? [first, by] : [by]);

/** Who approved a version last: empty when it needed no review. */
async function approversOf(db: Database, { appId, version }: Ref): Promise<string[]> {
  const row = await db
    .selectFrom('version_moves')
    .select(['moved_by', 'first_by'])
    .where('app_id', '=', appId)
    .where('version', '=', version)
    .where('to_state', '=', 'approved')
    .where('from_state', '=', 'in_review')
    .orderBy('moved_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ? decidersOf({ by: row.moved_by, first: row.first_by }) : [];
}

/** The signed facts of a version, its signature and its publisher. @throws for a version that is not signed */
async function signedVersion(db: Database, { appId, version }: Ref) {
  const row = await db
    .selectFrom('versions')
    .select(['manifest_json', 'publisher', 'sha256', 'signature', 'key_id', 'published_at'])
    .where('app_id', '=', appId)
    .where('version', '=', version)
    .executeTakeFirstOrThrow();
  const { sha256, signature, key_id: keyId, published_at: publishedAt, publisher } = row;
  if (signature === null || keyId === null || publishedAt === null)
    throw new Error(`${appId} ${version} has no signature.`);
  const facts: SignedFacts = factsOf(
    { appId, version, sha256, publishedAt },
    signedFootprintOf(JSON.parse(row.manifest_json)),
  );
  return { facts, signed: { signature, keyId }, publisher };
}

/** The entry of a published version. */
export async function entryOfPublished(db: Database, ref: Ref): Promise<LogEntry> {
  const { facts, signed, publisher } = await signedVersion(db, ref);
  const by = await hashesOf(db, await approversOf(db, ref));
  return publishedEntry(facts, signed, { publisher, by });
}

/** The entry of a yanked version, or of a yank that was undone. */
const entryOfYank = async (
  db: Database,
  kind: 'yanked' | 'undone',
  { appId, version }: Ref,
  { at, note, ...who }: Moved,
): Promise<LogEntry> => {
  const act = { appId, version, at, by: await hashesOf(db, decidersOf(who)) };
  return kind === 'yanked' ? { kind, ...act, reasonSha256: reasonHashOf(note) } : { kind, ...act };
};

/** Appends what a transition of versions means for clients: nothing for those that only the store sees. */
export async function logMoves(
  db: Database,
  refs: readonly Ref[],
  { from, to }: { from: string; to: string },
  moved: Moved,
): Promise<void> {
  const entryOf = (ref: Ref): Promise<LogEntry> | null => {
    if (to === 'yanked') return entryOfYank(db, 'yanked', ref, moved);
    if (to !== 'published') return null;
    return from === 'yanked' ? entryOfYank(db, 'undone', ref, moved) : entryOfPublished(db, ref);
  };
  const entries: LogEntry[] = [];
  for (const ref of refs) {
    const entry = await entryOf(ref);
    if (entry) entries.push(entry);
  }
  await appendToLog(db, entries);
}

/** Appends that the record of the tools of a version was accepted. */
export const logTools = (
  db: Database,
  { appId, version }: Ref,
  { recordedAt, tools }: { recordedAt: string; tools: readonly unknown[] },
): Promise<void> =>
  appendToLog(db, [{ kind: 'tools-recorded', appId, version, recordedAt, toolsSha256: toolsHashOf(tools) }]);

/** Whether the last entry about a publisher says that it is verified. */
async function isLoggedAsVerified(db: Database, publisher: string): Promise<string | null> {
  const row = await db
    .selectFrom('log_entries')
    .select('entry')
    .where('publisher', '=', publisher)
    .where('kind', 'in', ['publisher-verified', 'publisher-unverified'])
    .orderBy('idx', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.entry ?? null;
}

/** Appends that a publisher is verified, or no longer, if the log does not say so already. */
export async function logVerification(
  db: Database,
  publisher: string,
  { verified, host }: { verified: boolean; host?: string | null | undefined },
): Promise<void> {
  const entry: LogEntry = verified
    ? { kind: 'publisher-verified', publisher, ...(host && { host }) }
    : { kind: 'publisher-unverified', publisher };
  const last = await isLoggedAsVerified(db, publisher);
  if (last === null && !verified) return;
  if (last === rowOfEntry(entry, 0).entry) return;
  await appendToLog(db, [entry]);
}

/** The keys that the log has: all, and those that it says are retired. */
async function loggedKeys(db: Database): Promise<{ added: Set<string>; retired: Set<string> }> {
  const rows = await db
    .selectFrom('log_entries')
    .select('entry')
    .where(sql<boolean>`kind in ('key-added', 'key-retired')`)
    .orderBy('idx')
    .execute();
  const entries = rows.map(({ entry }) => JSON.parse(entry) as LogEntry);
  return {
    added: new Set(entries.flatMap((entry) => (entry.kind === 'key-added' ? [entry.key.keyId] : []))),
    retired: new Set(entries.flatMap((entry) => (entry.kind === 'key-retired' ? [entry.keyId] : []))),
  };
}

/** Appends the keys of a chain that the log does not have, and those that are no longer the current one. */
export async function logKeys(db: Database, keys: readonly StoreKey[]): Promise<void> {
  const { added, retired } = await loggedKeys(db);
  const at = keys.at(-1)?.createdAt ?? '';
  // A chain starts again when a key was lost.
  const lost = [...added].filter((keyId) => !retired.has(keyId) && !keys.some((key) => key.keyId === keyId));
  const entries: LogEntry[] = lost.map((keyId) => ({ kind: 'key-retired', keyId, at }));
  for (const { retiredAt, ...key } of keys) {
    if (!added.has(key.keyId)) entries.push({ kind: 'key-added', key });
    if (retiredAt !== undefined && !retired.has(key.keyId))
      entries.push({ kind: 'key-retired', keyId: key.keyId, at: retiredAt });
  }
  await appendToLog(db, entries);
}
