import { globSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createStores, type Stores } from '../../../src/adapters/database/stores.ts';
import type { Database } from '../../../src/platform/database/schema.ts';
import { identity, left, publishers } from './exercise-accounts.ts';
import { catalogue, decided, lives, versions } from './exercise-apps.ts';

/** Wraps stores: each method calls `sentBy` with its name before it runs. The database is not one of them. */
function reportCalls<Of extends object>(stores: Of, sentBy: (name: string) => void): Of {
  const wrapped = Object.entries(stores).map(([name, store]) => [
    name,
    name === 'db'
      ? store
      : Object.fromEntries(
          Object.entries(store).map(([method, call]) => [
            method,
            (...args: unknown[]) => {
              sentBy(`${name}.${method}`);
              return (call as (...args: unknown[]) => unknown)(...args);
            },
          ]),
        ),
  ]);
  return Object.fromEntries(wrapped) as Of;
}

/**
 * Calls every method of an extension that sends a query.
 * @param stores those of the core
 * @param report wraps the queries of the extension
 */
export type Exercise = (
  db: Database,
  stores: Stores,
  report: <Of extends object>(queries: Of) => Of,
) => Promise<void>;

/** The exercises of the extensions, each in the folder of its tests. */
async function exercisesOfExtensions(): Promise<Exercise[]> {
  const cwd = join(import.meta.dirname, '../../extensions');
  const modules = globSync('*/exercise.ts', { cwd }).map(
    (file) => import(pathToFileURL(join(cwd, file)).href),
  );
  return (await Promise.all(modules)).map(({ exercise }) => exercise);
}

/**
 * Calls every method that sends a query, once for each different query, on a database filled by `fill.ts`.
 * @param sentBy called with the sender of the following queries
 */
export async function exerciseQueries(db: Database, sentBy: (name: string) => void): Promise<void> {
  const stores = reportCalls(createStores(db), sentBy);
  await identity(stores);
  await publishers(stores);
  await versions(stores);
  await catalogue(stores, db, sentBy);
  await decided(stores);
  await left(stores);
  await lives(stores);
  for (const exercise of await exercisesOfExtensions())
    await exercise(db, stores, (queries) => reportCalls(queries, sentBy));
}
