import type { CommandContext } from '../command-context.ts';
import { defineCommand, JSON_OPTION, STORE_OPTION } from '../command-record.ts';
import { connectAsDeveloper, type StoreOption } from '../connect.ts';
import { storeUrl } from '../io/store-settings.ts';
import { jsonLine } from '../present/escape.ts';
import { fieldLines, headline } from '../present/fields.ts';
import { identityFields } from '../present/identity.ts';

type WhoAmIOptions = StoreOption & { json?: boolean };

/** `svc whoami`: says whom the store takes the token for, and what it may do. */
async function whoami(world: CommandContext, options: WhoAmIOptions): Promise<number> {
  const { terminal, env } = world;
  const client = await connectAsDeveloper(world, options);
  const who = await client.whoAmI();
  if (options.json) {
    terminal.out(jsonLine(who));
    return 0;
  }
  terminal.out(headline(terminal, 'good', 'logged in', storeUrl(options.store, env)));
  const source = env.SVC_TOKEN ? 'SVC_TOKEN' : undefined;
  terminal.out(fieldLines(terminal, [...identityFields(who), ['taken from', source]]));
  return 0;
}

/** How the command line reads it. */
export const command = defineCommand<[], WhoAmIOptions>({
  options: [STORE_OPTION, JSON_OPTION],
  examples: ['whoami'],
  run: (context, _args, options) => whoami(context, options),
});
