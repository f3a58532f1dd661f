import type { CommandContext } from './command-record.ts';
import { failed, usageError } from './failure.ts';
import { storedToken } from './io/credentials.ts';
import { mirroredFetch } from './io/mirrors.ts';
import { readBounded } from './io/read-bounded.ts';
import { requireSecureTransport, storeUrl, tokenOfEnvironment } from './io/store-settings.ts';
import { StoreClient } from './store-client.ts';

/** Options of every command that contacts a store. */
export type StoreOption = { store?: string };

/** A client for the public endpoints of the store. */
export function connect(
  context: CommandContext,
  { store }: StoreOption,
): { client: StoreClient; baseUrl: string } {
  const baseUrl = storeUrl(store, context.env);
  const fetch = mirroredFetch(context, baseUrl);
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

/** Whether this is a CI job that gets ID tokens: GitHub's variables, or the one that a GitLab job names under `id_tokens`. */
export const isTrustedJob = ({ env }: Pick<CommandContext, 'env'>): boolean =>
  !env.SVC_TOKEN &&
  Boolean(env.SVC_ID_TOKEN || (env.ACTIONS_ID_TOKEN_REQUEST_URL && env.ACTIONS_ID_TOKEN_REQUEST_TOKEN));

const MAX_ID_TOKEN = 64 * 1024;
const ID_TOKEN_MS = 30_000;

/** The ID token of the job: GitHub returns one for an audience (docs.github.com, "OpenID Connect reference"). */
async function idTokenFor({ env, fetch }: CommandContext, audience: string): Promise<string> {
  if (env.SVC_ID_TOKEN) return env.SVC_ID_TOKEN;
  const url = new URL(env.ACTIONS_ID_TOKEN_REQUEST_URL ?? '');
  url.searchParams.set('audience', audience);
  const headers = {
    Authorization: `Bearer ${env.ACTIONS_ID_TOKEN_REQUEST_TOKEN}`,
    Accept: 'application/json',
  };
  try {
    const response = await fetch(url, {
      headers,
      redirect: 'error',
      signal: AbortSignal.timeout(ID_TOKEN_MS),
    });
    const body = response.ok ? await readBounded(response, MAX_ID_TOKEN) : null;
    const { value } = JSON.parse(new TextDecoder().decode(body ?? undefined)) as { value?: unknown };
    if (typeof value === 'string') return value;
  } catch {
    // The error may name the address, which only this job should know.
  }
  throw failed('GitHub gave this job no ID token: let the workflow have the permission id-token: write.');
}

/**
 * A client that may publish an app: with the token in `SVC_TOKEN`; in a CI job without one, with a token for this app alone that the
 * store gives for the ID token of the job; else with the saved token.
 * @throws CommandError when there is no token; StoreError when the store does not trust the job
 */
export async function connectToPublish(
  context: CommandContext,
  options: StoreOption,
  { publisher, id: appId }: { publisher: string; id: string },
): Promise<StoreClient> {
  if (!isTrustedJob(context)) return connectAsDeveloper(context, options);
  const { client, baseUrl } = connect(context, options);
  requireSecureTransport(context.env, baseUrl);
  const idToken = await idTokenFor(context, baseUrl);
  const { token } = await client.call('POST /api/developer/ci/token', {
    json: { idToken, publisher, appId },
  });
  return new StoreClient({ baseUrl, fetch: context.fetch, token });
}
