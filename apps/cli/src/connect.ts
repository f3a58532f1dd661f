import type { CommandContext } from './command-context.ts';
import { usageError } from './failure.ts';
import { storedToken } from './io/credentials.ts';
import { requirePrivateWay, storeUrl, tokenOfEnvironment } from './io/store-settings.ts';
import { StoreClient } from './store-client.ts';

/** Options of every command that talks to a store. */
export type StoreOption = { store?: string };

/** A client for what anybody may ask of the store. */
export function connect(
  world: CommandContext,
  { store }: StoreOption,
): { client: StoreClient; baseUrl: string } {
  const { env, fetch } = world;
  const baseUrl = storeUrl(store, env);
  const readToken = () => tokenFor(world, baseUrl);
  return { client: new StoreClient({ baseUrl, fetch, readToken }), baseUrl };
}

/**
 * The developer token for a store: that of the environment, else the one that `svc login` has kept; null when there is none.
 * @throws CommandError of wrong use when the connection would carry it for all to read
 */
async function tokenFor(world: CommandContext, store: string): Promise<string | null> {
  const token = tokenOfEnvironment(world.env) ?? (await storedToken(world, store));
  if (token !== null) requirePrivateWay(world.env, store);
  return token;
}

/** @throws CommandError of wrong use when there is no token */
async function requireToken(world: CommandContext, store: string): Promise<string> {
  const token = await tokenFor(world, store);
  if (token === null) {
    throw usageError(
      `This needs a developer token for ${store}: get one with svc login, or put one into the environment as SVC_TOKEN.`,
    );
  }
  return token;
}

/**
 * A client that acts for a developer.
 * @throws CommandError of wrong use without a token
 */
export async function connectAsDeveloper(
  world: CommandContext,
  { store }: StoreOption,
): Promise<StoreClient> {
  const baseUrl = storeUrl(store, world.env);
  return new StoreClient({ baseUrl, fetch: world.fetch, token: await requireToken(world, baseUrl) });
}
