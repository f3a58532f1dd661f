import { type CommandContext, defineCommand, STORE_OPTION } from '../command-record.ts';
import type { StoreOption } from '../connect.ts';
import { CommandError, StoreError } from '../failure.ts';
import { deleteToken, storedToken, storesWithToken } from '../io/credentials.ts';
import { requireSecureTransport, storeUrl } from '../io/store-settings.ts';
import { escapeText, headline } from '../present/text.ts';
import { StoreClient } from '../store-client.ts';

type LogoutOptions = StoreOption & { all?: boolean; local?: boolean };

/** State of a token at the store after logging out. */
type TokenEnd = 'revoked' | 'already invalid' | 'not revoked';

const MESSAGES: Readonly<Record<TokenEnd, string>> = {
  revoked: 'The token is revoked and deleted.',
  'already invalid': 'The token was already invalid; it is deleted.',
  'not revoked': 'The token is deleted here but still valid. Revoke it on your account page in the store.',
};

async function revoke(context: CommandContext, baseUrl: string): Promise<TokenEnd> {
  const token = await storedToken(context, baseUrl);
  if (token === null) return 'already invalid';
  requireSecureTransport(context.env, baseUrl);
  try {
    await new StoreClient({ baseUrl, fetch: context.fetch, token }).revokeToken();
    return 'revoked';
  } catch (error) {
    if (error instanceof StoreError && error.envelope.code === 'unauthorized') return 'already invalid';
    throw error;
  }
}

/** Logs out of one store. Returns whether the token is deleted. */
async function logoutOf(context: CommandContext, store: string, { local }: LogoutOptions): Promise<boolean> {
  const { terminal } = context;
  try {
    const end = local ? 'not revoked' : await revoke(context, store);
    const isDeleted = await deleteToken(context, store);
    terminal.out(headline(terminal, 'good', 'logged out', store));
    terminal.out(`  ${MESSAGES[end]}\n`);
    if (!isDeleted) terminal.err('The system keyring is not available and may still hold the token.\n');
    return true;
  } catch (error) {
    if (!(error instanceof CommandError || error instanceof StoreError)) throw error;
    terminal.err(`svc: ${escapeText(error.message)}\n`);
    terminal.err(
      `  The token for ${escapeText(store)} is not deleted. To delete it without revoking it, run svc logout --local.\n`,
    );
    return false;
  }
}

/**
 * `svc logout`: revokes and deletes the saved token of the store, or of every store.
 * @returns 0 when no token remains, 1 when one could not be revoked and is therefore not deleted
 */
export const command = defineCommand<[], LogoutOptions>({
  options: [
    STORE_OPTION,
    { flags: '--all', help: 'log out of all stores' },
    { flags: '--local', help: 'delete the token without revoking it' },
  ],
  examples: ['logout', 'logout --all'],
  async run(context, _args, options) {
    const { terminal, env } = context;
    const only = options.all ? null : storeUrl(options.store, env);
    const saved = await storesWithToken(context);
    const stores = only === null ? saved : saved.filter((store) => store === only);
    if (stores.length === 0)
      terminal.out(`Not logged in${only === null ? '' : ` to ${escapeText(only)}`}.\n`);
    let done = true;
    for (const store of stores) done = (await logoutOf(context, store, options)) && done;
    if (env.SVC_TOKEN) terminal.err('SVC_TOKEN is still set and still in use.\n');
    return done ? 0 : 1;
  },
});
