import type { Account } from '@svc/contracts';
import { expect } from 'vitest';
import type { AccountsDeps } from '../../src/accounts/accounts.ts';
import type { Requests } from '../../src/accounts/requests.ts';
import { type Answer, fakeWeb, json } from './fake-web.ts';
import { testAccounts, USE } from './open-accounts.ts';
import { realSystem } from './real-system.ts';
import { relayServer } from './relay-server.ts';
import { appWith, fromStore } from './sample-apps.ts';

/** The authorization server. */
export const AS = 'https://as.example.com';
/** The MCP server that requires tokens. */
export const MCP = 'https://mcp.example.com/mcp';
/** The metadata of the whole MCP server as a resource (RFC 9728 section 3). */
export const PRM = 'https://mcp.example.com/.well-known/oauth-protected-resource';
/** A correct answer of the token endpoint. */
export const TOKENS = { access_token: 'at-1', token_type: 'Bearer', expires_in: 3600, refresh_token: 'rt-1' };

/** Correct metadata of the authorization server (RFC 8414 section 2). */
export const METADATA = {
  issuer: AS,
  authorization_endpoint: `${AS}/authorize`,
  token_endpoint: `${AS}/token`,
  registration_endpoint: `${AS}/register`,
  revocation_endpoint: `${AS}/revoke`,
  code_challenge_methods_supported: ['S256'],
};

/** An account whose OAuth endpoints are in the manifest. */
export const DECLARED: Account = {
  id: 'main',
  label: 'Notes',
  authorizeUrl: `${AS}/authorize`,
  tokenUrl: `${AS}/token`,
  clientId: 'public-client',
  scopes: ['read'],
};
/** An account whose authorization server is discovered. */
export const DISCOVERED: Account = { id: 'main', label: 'Notes', auth: 'mcp', scopes: [] };

/** A server that responds with 401 and this challenge. */
export const challenge =
  (text: string): Answer =>
  () =>
    new Response('', { status: 401, headers: { 'www-authenticate': text } });

/** A server that requires a token. @param onAsked called for each request */
export const closed =
  (onAsked: () => void = () => undefined): Requests['server'] =>
  (url) => ({
    ...{ url, system: realSystem, signal: AbortSignal.any([]) },
    async fetch() {
      onAsked();
      return new Response('', { status: 401 });
    },
  });

/** Correct servers for both kinds of account, with the changes of a test. */
export const honest = (pages: Record<string, Answer> = {}): Record<string, Answer> => ({
  [MCP]: challenge('Bearer'),
  [`${PRM}/mcp`]: () => json({ resource: MCP, authorization_servers: [AS] }),
  [`${AS}/.well-known/oauth-authorization-server`]: () => json(METADATA),
  [`${AS}/register`]: () => json({ client_id: 'registered' }, 201),
  [`${AS}/token`]: () => json(TOKENS),
  ...pages,
});

type Brought = Record<string, string> | null;

/**
 * Accounts, and an app with one account, at the servers of a test.
 * @param brought the query of the callback, besides the state; null when the browser never returns
 */
export async function trying(
  account: Account,
  pages: Record<string, Answer> = {},
  brought: Brought = { code: 'the-code-0123456789' },
  deps: Partial<AccountsDeps> = {},
) {
  const [relay, web] = [await relayServer(), fakeWeb(honest(pages))];
  const accounts = await testAccounts({
    store: relay.url,
    guard: web.guard,
    openBrowser: async (url) => {
      if (brought) relay.park({ state: new URL(url).searchParams.get('state'), ...brought });
    },
    ...deps,
  });
  const app = appWith([account], { source: fromStore(relay.url) });
  return { accounts, app, web, relay };
}

/** The error message of a failed sign-in, which leaves no token. */
export async function failing(...args: Parameters<typeof trying>): Promise<string> {
  const { accounts, app } = await trying(...args);
  const error = await accounts.connect(app, 'main').catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'connect-failed', cause: undefined });
  expect(await accounts.token(app, 'main', USE)).toBeNull();
  return (error as Error).message;
}
