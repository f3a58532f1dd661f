import { sharedStorage } from './storage/shared-storage.ts';
import type { OpenStorage } from './storage/storage.ts';

/** The database of `postgresStorage`. */
export type PostgresOptions = {
  /** As `pg` reads it, such as `postgres://bot@db.example/bots?sslmode=verify-full`. */
  connectionString: string;
  /** The schema with the tables, which is created if needed; those of another schema are another runtime's. Default: `svc_runtime`. */
  schema?: string;
  /** TLS, where the address does not say it: as `ssl` of `pg`. */
  ssl?:
    | boolean
    | { ca?: string; cert?: string; key?: string; rejectUnauthorized?: boolean; servername?: string };
};

/**
 * The storage of a runtime in PostgreSQL: several bots, on several machines, share one library, vault and files. It needs the package
 * `pg`, and a connection of its own for locks and notifications, so no pooler that shares connections between transactions.
 */
export const postgresStorage = (options: PostgresOptions): OpenStorage =>
  sharedStorage({ module: 'postgres-store', options });
