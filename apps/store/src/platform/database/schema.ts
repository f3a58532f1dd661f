import type { Kysely } from 'kysely';
import type { AppTables } from './tables/apps.ts';
import type { OperationTables } from './tables/operation.ts';
import type { PeopleTables } from './tables/people.ts';

/** The tables. Text holds JSON where a name ends in `_json`; times are ISO 8601 in UTC, so that text order is time order. */
export type Tables = AppTables & OperationTables & PeopleTables;

export type Database = Kysely<Tables>;
