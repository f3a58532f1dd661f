import { createStores, type Stores } from '../../../src/adapters/database/stores.ts';
import type { Database } from '../../../src/platform/database/schema.ts';
import { eventsAndWebhooks, identity, left, publishers } from './exercise-accounts.ts';
import { catalogue, decided, emergencies, lives, registry, reported, versions } from './exercise-apps.ts';

/** Wraps stores: each method calls `sentBy` with its name before it runs. */
function reportCalls(stores: Stores, sentBy: (name: string) => void): Stores {
  const wrapped = Object.entries(stores).map(([name, store]) => [
    name,
    Object.fromEntries(
      Object.entries(store).map(([method, call]) => [
        method,
        (...args: unknown[]) => {
          sentBy(`${name}.${method}`);
          return (call as (...args: unknown[]) => unknown)(...args);
        },
      ]),
    ),
  ]);
  return Object.fromEntries(wrapped);
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
  await registry(stores);
  await eventsAndWebhooks(stores);
  await catalogue(stores, db, sentBy);
  await reported(stores);
  await emergencies(stores);
  await decided(stores);
  await left(stores);
  await lives(stores);
}
