import { globSync } from 'node:fs';
import { join } from 'node:path';
import { programStarters } from './test-rings.ts';

export const ROOT = join(import.meta.dirname, '..');
const STORE = 'apps/store/test';

/** The tag of tests that are left to `npm run test:deep`. */
export const DEEP_TAG = 'deep';

/** The tag of tests that `npm run test:servers` runs on PostgreSQL too, in the files of `JOURNEYS`. */
export const BOTH_DATABASES_TAG = 'both-databases';

/** The tag of tests with servers of others: `npx vitest run --tags-filter wild` runs them alone. */
export const WILD_TAG = 'wild';

/** Why a test of these files without the tag is skipped in `npm run test:servers`: the report counts it with the deep tests. */
export const LEFT_TO_DEEP = 'on PostgreSQL in `npm run test:deep`';

/** The project that only `npm run test:deep` runs: all tests of the database that `POSTGRES` leaves out. */
export const DEEP_PROJECT = 'postgres-rest';

/** Tests that need PostgreSQL and never run on SQLite. */
const POSTGRES_ALONE = [
  'packages/runtime/test/postgres.test.ts',
  `${STORE}/adapters/postgres/**/*.test.ts`,
  `${STORE}/composition/commands/migrate/**/*.test.ts`,
  `${STORE}/composition/commands/backup/restore-into.test.ts`,
  'test/many-processes.test.ts',
  'test/torture/postgres.test.ts',
];

/** Features that use the database: on PostgreSQL `npm run test:deep` runs all their tests. */
export const FEATURES = [
  'core/domain',
  'core/policy',
  'core/audit',
  'core/people',
  'core/catalog',
  'core/mail',
  'core/moderation',
  'core/publishers',
  'core/publishing',
  'core/tokens',
  'core/revocations',
  'core/operations',
  'core/relay',
  'core/installs',
  'extensions',
];

/** Files whose tests all run on PostgreSQL in `npm run test:servers`, with the reason: the two databases can differ in each of them. */
export const SQL_DIFFERS: Readonly<Record<string, string>> = {
  'apps/store/test/adapters/database/**/*.test.ts': 'the SQL itself: types, order of text, migrations',
  'apps/store/test/platform/database/**/*.test.ts': 'the SQL itself: what text a database can hold',
  'apps/store/test/core/domain/listings/l*.test.ts': 'the SQL itself: order of text, pages',
  'apps/store/test/core/domain/listings/search/**/*.test.ts': 'the SQL itself: the tables of search',
  'apps/store/test/core/domain/audit/audit-log.test.ts': 'triggers are written for each database',
  'apps/store/test/core/publishing/blob-ledger.test.ts': 'the SQL itself: rows that conflict',
  'apps/store/test/core/publishing/resume.test.ts': 'race: ten processes claim one lease',
  'apps/store/test/core/operations/purge-expired.test.ts': 'deletes by time in every table',
  'test/relay.test.ts': 'a process dies between the callback and the read',
  'test/query-plans.test.ts': 'each database plans every query in its own way',
};

/** Files of which `npm run test:servers` runs the tests with `BOTH_DATABASES` on PostgreSQL, with what these are. */
export const JOURNEYS: Readonly<Record<string, string>> = {
  'apps/store/test/composition/data-checks.test.ts':
    'a failover to a lagging copy; its ids go on after those that were lost',
  'apps/store/test/composition/extensions.test.ts': 'journey, without each extension',
  'apps/store/test/extensions/cases/assign.test.ts': 'race: two moderators take one case',
  'apps/store/test/extensions/appeals/appeal.test.ts': 'journey; race: two decisions on one appeal',
  'apps/store/test/core/policy/routes.test.ts': 'journey; a version beyond the integers of PostgreSQL',
  'apps/store/test/core/audit/routes.test.ts': 'pages begin where the order of entries says',
  'apps/store/test/core/catalog/browse.test.ts': 'journey; pages begin where the order of text says',
  'apps/store/test/extensions/log/publish-log.test.ts':
    'journey; race: two processes publish one log, and transactions give entries their order',
  'apps/store/test/extensions/featured/routes.test.ts': 'journey; race: two changes of one row',
  'apps/store/test/extensions/upstreams/carry-app.test.ts':
    'journey; a list is applied with what it yanks, or not at all',
  'apps/store/test/extensions/upstreams/follow-list.test.ts':
    'race: a list replaces the last one in one statement; rows of an earlier upstream are added by one query',
  'apps/store/test/extensions/upstreams/read-events.test.ts':
    'journey; race: of two processes one follows an upstream, by a lease in one statement',
  'apps/store/test/extensions/upstreams/import-export.test.ts':
    'journey; an import replaces the last one in one statement',
  'apps/store/test/extensions/upstreams/sync.test.ts': 'journey of each hostile upstream',
  'apps/store/test/extensions/managed/routes.test.ts': 'journey; writes a row that may exist already',
  'apps/store/test/core/catalog/search/search.test.ts': 'journey; each database has its own text search',
  'apps/store/test/extensions/emergencies/act.test.ts': 'journey; race: two acts on one publisher',
  'apps/store/test/core/installs/download-recorder.test.ts': 'journey; race: two processes count one install',
  'apps/store/test/core/mail/send-mails.test.ts': 'journey; race: several processes look for due mails',
  'apps/store/test/core/domain/versions/publisher-storage.test.ts':
    'race: six uploads into the last room of a publisher; sums and shares',
  'apps/store/test/core/domain/decisions/two-persons.test.ts': 'race: two second approvals of one version',
  'apps/store/test/core/moderation/decide.test.ts': 'journey; race: two decisions on one version',
  'apps/store/test/core/moderation/suspend-app.test.ts': 'journey; pages begin where the order of text says',
  'apps/store/test/core/publishing/confirm-version.test.ts': 'race: two members confirm one version',
  'apps/store/test/core/people/administer.test.ts': 'journey; pages begin where the order of text says',
  'apps/store/test/core/people/change-address.test.ts':
    'journey; race: a change of address against what the account does meanwhile',
  'apps/store/test/core/people/reset-link.test.ts':
    'race: a recovery against what an attacker publishes and signs in with meanwhile',
  'apps/store/test/extensions/scim/provision.test.ts':
    'journey: a user is provisioned, loses all access, and comes back',
  'apps/store/test/core/people/sign-up.test.ts': 'journey; race: five forms with one email address',
  'apps/store/test/core/publishers/lives.test.ts':
    'races: a transfer against an upload, a deletion against one, a suspension against an approval',
  'apps/store/test/core/publishers/members.test.ts': 'journey; race: the last two owners leave',
  'apps/store/test/core/publishing/publish.test.ts': 'journey; race: twenty uploads of one version',
  'apps/store/test/extensions/ratings/moderate.test.ts': 'race: one person flags in two processes',
  'apps/store/test/extensions/emergencies/extension.test.ts': 'an appeal undoes what an extension did',
  'apps/store/test/extensions/webhooks/extension.test.ts': 'deletes by user, by publisher and by time; race',
  'apps/store/test/extensions/featured/extension.test.ts': 'deletes a row that another refers to',
  'apps/store/test/extensions/ratings/traces.test.ts': 'deletes by user and by time',
  'apps/store/test/extensions/reports/traces.test.ts': 'deletes by user and by time',
  'apps/store/test/extensions/ratings/write-review.test.ts': 'journey; race: many reviews change one average',
  'apps/store/test/extensions/reports/report.test.ts': 'journey; race: two decisions on one report',
  'apps/store/test/core/relay/park-code.test.ts': 'races: digits against digits, and against clients',
  'apps/store/test/core/relay/routes.test.ts': 'journey; race: many responses to one state',
  'apps/store/test/core/relay/relay-store.test.ts': 'rows found and counted by time and site',
  'apps/store/test/core/revocations/revocation-store.test.ts': 'yanks by state and time; one row is replaced',
  'apps/store/test/core/revocations/undo-yank.test.ts': 'journey; race: five requests undo one yank',
  'apps/store/test/core/tokens/routes.test.ts': 'journey; one list of tokens of several kinds',
  'apps/store/test/extensions/recovery/acts.test.ts': 'journey: an accomplice against the owner who recovers',
  'apps/store/test/extensions/registry/routes.test.ts': 'pages of changes begin where the order of text says',
  'apps/store/test/extensions/servers/probe-servers.test.ts': 'journey; race: two processes list one server',
  'apps/store/test/extensions/servers/routes.test.ts':
    'journey; changed servers, one of each publisher in turn',
  'apps/store/test/core/tokens/device-sign-in.test.ts': 'journey; race: a hundred polls for one token',
  'apps/store/test/extensions/ci/exchange-id-token.test.ts': 'race: two processes exchange one ID token',
  'apps/store/test/core/tokens/guess-lock.test.ts': 'race: two processes count the same guesses',
  'apps/store/test/extensions/webhooks/deliver.test.ts': 'race: two processes deliver one event',
  'apps/store/test/platform/invalidation.test.ts': 'an act in one process, the reads of another',
};

/** All that needs no PostgreSQL. */
const ON_SQLITE = [
  'packages/*/test/**/*.test.ts',
  'testkit/test/**/*.test.ts',
  'apps/*/test/**/*.test.ts',
  'examples/*/test/**/*.test.ts',
  'test/**/*.test.ts',
];

/** The test files that a list of patterns names. */
export const filesOf = (patterns: readonly string[]): string[] =>
  globSync([...patterns], { cwd: ROOT }).map((file) => file.replaceAll('\\', '/'));

/** Files with tests that start a program or a browser: `npm test` leaves them to `npm run test:servers`. */
export const STARTING_PROGRAMS: readonly string[] = filesOf(ON_SQLITE).filter(programStarters(ROOT));

export type TestProject = { name: string; include: string[]; exclude: string[]; onPostgres: boolean };

/** Every project of the tests: the fewer there are, the fewer workers load the same modules. `npm test` runs the first. */
export const PROJECTS: readonly TestProject[] = [
  {
    name: 'sqlite',
    include: ON_SQLITE,
    exclude: [...POSTGRES_ALONE, ...STARTING_PROGRAMS],
    onPostgres: false,
  },
  { name: 'programs', include: [...STARTING_PROGRAMS], exclude: POSTGRES_ALONE, onPostgres: false },
  {
    name: 'postgres',
    include: [...Object.keys(SQL_DIFFERS), ...Object.keys(JOURNEYS), ...POSTGRES_ALONE],
    exclude: [],
    onPostgres: true,
  },
  {
    name: DEEP_PROJECT,
    include: FEATURES.map((feature) => `${STORE}/${feature}/**/*.test.ts`),
    exclude: [...Object.keys(SQL_DIFFERS), ...Object.keys(JOURNEYS)],
    onPostgres: true,
  },
];
