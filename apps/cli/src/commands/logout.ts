import type { CommandContext } from '../command-context.ts';
import { defineCommand, STORE_OPTION } from '../command-record.ts';
import type { StoreOption } from '../connect.ts';
import { CommandError, StoreError } from '../failure.ts';
import { forgetToken, storedToken, storesWithToken } from '../io/credentials.ts';
import { requirePrivateWay, storeUrl } from '../io/store-settings.ts';
import { escapeText } from '../present/escape.ts';
import { headline } from '../present/fields.ts';
import { StoreClient } from '../store-client.ts';

type LogoutOptions = StoreOption & { all?: boolean; local?: boolean };

/** What became of a token at the store. */
type End = 'revoked' | 'worthless before' | 'not revoked';

const MEANING: Readonly<Record<End, string>> = {
  revoked: 'The token is revoked and forgotten.',
  'worthless before': 'The store knew the token no more; it is forgotten.',
  'not revoked':
    'The token is forgotten here, but the store still takes it: revoke it in the pages of the store.',
};

async function revoke(world: CommandContext, baseUrl: string): Promise<End> {
  const token = await storedToken(world, baseUrl);
  if (token === null) return 'worthless before';
  requirePrivateWay(world.env, baseUrl);
  try {
    await new StoreClient({ baseUrl, fetch: world.fetch, token }).revokeToken();
    return 'revoked';
  } catch (error) {
    if (error instanceof StoreError && error.envelope.code === 'unauthorized') return 'worthless before';
    throw error;
  }
}

/** Logs out of one store. Returns whether the token is gone. */
async function leave(world: CommandContext, store: string, { local }: LogoutOptions): Promise<boolean> {
  const { terminal } = world;
  try {
    const end = local ? 'not revoked' : await revoke(world, store);
    const isGone = await forgetToken(world, store);
    terminal.out(headline(terminal, 'good', 'logged out', store));
    terminal.out(`  ${MEANING[end]}\n`);
    if (!isGone) terminal.err('The system keyring cannot be used just now, and may still hold it.\n');
    return true;
  } catch (error) {
    if (!(error instanceof CommandError || error instanceof StoreError)) throw error;
    terminal.err(`svc: ${escapeText(error.message)}\n`);
    terminal.err(
      `  The token for ${escapeText(store)} is still kept. svc logout --local forgets it without revoking it.\n`,
    );
    return false;
  }
}

/**
 * `svc logout`: revokes the token that is kept for the store, or for every store, and forgets it.
 * @returns 0 when none is left, 1 when one could not be revoked and is kept for that
 */
async function logout(world: CommandContext, options: LogoutOptions): Promise<number> {
  const { terminal, env } = world;
  const wanted = options.all ? null : storeUrl(options.store, env);
  const kept = await storesWithToken(world);
  const stores = wanted === null ? kept : kept.filter((store) => store === wanted);
  if (stores.length === 0)
    terminal.out(`No token is kept${wanted === null ? '' : ` for ${escapeText(wanted)}`}.\n`);
  let done = true;
  for (const store of stores) done = (await leave(world, store, options)) && done;
  if (env.SVC_TOKEN) terminal.err('SVC_TOKEN is still set, and is still used.\n');
  return done ? 0 : 1;
}

/** How the command line reads it. */
export const command = defineCommand<[], LogoutOptions>({
  options: [
    STORE_OPTION,
    { flags: '--all', help: 'the tokens for all stores' },
    { flags: '--local', help: 'delete it here without revoking it' },
  ],
  examples: ['logout', 'logout --all'],
  run: (context, _args, options) => logout(context, options),
});
