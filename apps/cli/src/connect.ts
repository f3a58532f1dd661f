import { requireToken, storeUrl } from './io/store-settings.ts';
import { StoreClient } from './store-client.ts';
import type { World } from './world.ts';

/** Options of every command that talks to a store. */
export type StoreOption = { store?: string };

/** A client for what anybody may ask of the store. */
export function connect(
  { env, fetch }: World,
  { store }: StoreOption,
): { client: StoreClient; baseUrl: string } {
  const baseUrl = storeUrl(store, env);
  return { client: new StoreClient({ baseUrl, fetch }), baseUrl };
}

/**
 * A client that acts for a developer.
 * @throws Failure of wrong use without a token
 */
export function connectAsDeveloper({ env, fetch }: World, { store }: StoreOption): StoreClient {
  const baseUrl = storeUrl(store, env);
  return new StoreClient({ baseUrl, fetch, token: requireToken(env, baseUrl) });
}
