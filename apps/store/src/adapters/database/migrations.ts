import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import * as third from './migrations-from-0027.ts';
import * as first from './migrations-to-0012.ts';
import * as second from './migrations-to-0026.ts';
import { people } from './people-migration.ts';
import { search } from './search-migration.ts';

/** All migrations by name, in the order in which they run. A released migration is never edited. */
const MIGRATIONS: Record<string, Migration> = {
  '0001-foundation': first.foundation,
  '0002-revocations': first.revocations,
  '0003-upload-marks': first.uploadMarks,
  '0004-leases': first.leases,
  '0005-review-queue': first.reviewQueue,
  '0006-audit-log': first.auditLog,
  '0007-people': people,
  '0008-relay': first.relay,
  '0009-search': search,
  '0010-ratings': first.ratings,
  '0011-changes': first.changes,
  '0012-retractions': first.retractions,
  '0013-names': second.names,
  '0014-key-chain': second.keyChain,
  '0015-access-rules': second.accessRules,
  '0016-plans': second.plans,
  '0017-conversation': second.conversation,
  '0018-assignment': second.assignment,
  '0019-featured': second.featured,
  '0020-newest-uploads': second.newestUploads,
  '0021-publisher-orders': second.publisherOrders,
  '0022-safety': second.safety,
  '0023-relay-binding': second.relayBinding,
  '0024-emergencies': second.emergencies,
  '0025-reports': second.reports,
  '0026-tools': second.tools,
  '0027-member-adders': third.memberAdders,
  '0028-registry-indexes': third.registryIndexes,
  '0029-trusted-publishing': third.trustedPublishing,
  '0030-webhooks': third.webhooks,
  '0031-confirmations': third.confirmations,
  '0032-decisions': third.decisions,
  '0033-looks': third.looks,
  '0034-lives': third.lives,
  '0035-mail-choices': third.mailChoices,
  '0036-attestations': third.attestations,
  '0037-scim': third.scim,
  '0038-roles': third.roles,
  '0039-reviewer-accounts': third.reviewerAccounts,
  '0040-review-orders': third.reviewOrders,
  '0041-brand': third.brand,
  '0042-reviewed-tools': third.reviewedTools,
  '0043-all-looks': third.allLooks,
  '0045-shares': third.shares,
  '0046-owners': third.owners,
  '0047-managed': third.managed,
  '0048-trust-log': third.trustLog,
  '0049-provider-checks': third.providerChecks,
  '0050-audit-delivery': third.auditDelivery,
  '0051-two-persons': third.twoPersons,
  '0052-upstreams': third.upstreams,
  '0053-upstream-files': third.upstreamFiles,
  '0054-upstream-leaders': third.upstreamLeaders,
  '0055-publisher-storage': third.publisherStorage,
  '0056-purge-events': third.purgeEvents,
  '0057-case-assignments': third.caseAssignments,
};

/** The schema versions of the store, oldest first. A database has the last one that ran on it. */
export const MIGRATION_NAMES: readonly string[] = Object.keys(MIGRATIONS);

/**
 * The migrations that have run on a database, in the order of their names.
 * @throws when a newer program has changed the tables: this program could misread or lose its data
 */
async function executedMigrations<T>(db: Kysely<T>): Promise<string[]> {
  const executed = sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  // A new database has no such table.
  const { rows } = await executed.catch(() => ({ rows: [] }));
  const names = rows.map(({ name }) => name);
  const newer = names.filter((name) => !(name in MIGRATIONS));
  if (newer.length === 0) return names;
  throw new Error(
    `A newer version of the store has changed this database (${newer.join(', ')}). Use that version or a later one, or restore the backup that was taken before the upgrade.`,
  );
}

/**
 * Brings the tables up to date.
 * @param last name of the last migration to run, for the database of an earlier store
 * @throws when a newer program has changed the tables, or when a migration fails, which is then rolled back
 */
export async function migrate<T>(db: Kysely<T>, last?: string): Promise<void> {
  const executed = await executedMigrations(db);
  // The usual start: the migrator would look at every table, and lock the database, only to find nothing to do.
  if (last === undefined && executed.length === MIGRATION_NAMES.length) return;
  const migrator = new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } });
  const { error } = await (last === undefined ? migrator.migrateToLatest() : migrator.migrateTo(last));
  if (error) throw error;
}
