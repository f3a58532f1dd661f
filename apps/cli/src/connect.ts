import type { CommandContext } from './command-context.ts';
import { usageError } from './failure.ts';
import { storedToken } from './io/credentials.ts';
import { requireSecureTransport, storeUrl, tokenOfEnvironment } from './io/store-settings.ts';
import { StoreClient } from './store-client.ts';

/** Options of every command that contacts a store. */
export type StoreOption = { store?: string };

/** A client for the public endpoints of the store. */
export function connect(
  context: CommandContext,
  { store }: StoreOption,
): { client: StoreClient; baseUrl: string } {
  const { env, fetch } = context;
  const baseUrl = storeUrl(store, env);
  const readToken = () => tokenFor(context, baseUrl);
  return { client: new StoreClient({ baseUrl, fetch, readToken }), baseUrl };
}

/**
 * The developer token for a store: from the environment, else the one that `svc login` saved; null when there is none.
 * @throws CommandError with exit code 2 when the connection is not encrypted
 */
async function tokenFor(context: CommandContext, store: string): Promise<string | null> {
  const token = tokenOfEnvironment(context.env) ?? (await storedToken(context, store));
  if (token !== null) requireSecureTransport(context.env, store);
  return token;
}

/** @throws CommandError with exit code 2 when there is no token */
async function requireToken(context: CommandContext, store: string): Promise<string> {
  const token = await tokenFor(context, store);
  if (token === null) {
    throw usageError(
      `You are not logged in to ${store}. Run svc login, or set SVC_TOKEN to a developer token.`,
    );
  }
  return token;
}

/**
 * A client with a developer token.
 * @throws CommandError with exit code 2 when there is no token
 */
export async function connectAsDeveloper(
  context: CommandContext,
  { store }: StoreOption,
): Promise<StoreClient> {
  const baseUrl = storeUrl(store, context.env);
  return new StoreClient({ baseUrl, fetch: context.fetch, token: await requireToken(context, baseUrl) });
}
