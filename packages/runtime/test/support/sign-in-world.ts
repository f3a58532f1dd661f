import { guardedMcp } from './mcp-guard.ts';
import { oidcServer } from './oidc-server.ts';
import { testAccounts } from './open-accounts.ts';
import { relayServer } from './relay-server.ts';
import { appWith } from './sample-apps.ts';

/** A real authorization server, an MCP server that trusts it, a relay, and an app with an account at that server. */
export async function signInWorld({ scopes = [] as string[], scope = 'notes:read' } = {}) {
  const [oidc, relay] = await Promise.all([oidcServer(), relayServer()]);
  const mcpUrl = await guardedMcp(oidc.issuer, { scope });
  const app = appWith([{ id: 'main', label: 'Notes', auth: 'mcp', scopes }], { mcpUrl });
  const accounts = await testAccounts({ store: relay.url });
  return { oidc, relay, mcpUrl, app, accounts };
}

/** The grant types of token requests. */
export const grantsOf = (requests: Record<string, string>[]) => requests.map(({ grant_type }) => grant_type);
