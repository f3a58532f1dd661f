import type { CommandContext } from '../command-context.ts';
import { connectAsDeveloper, type StoreOption } from '../connect.ts';
import { storeUrl } from '../io/store-settings.ts';
import { jsonLine } from '../present/escape.ts';
import { fieldLines, headline } from '../present/fields.ts';
import { identityFields } from '../present/identity.ts';

export type WhoAmIOptions = StoreOption & { json?: boolean };

/** `svc whoami`: says whom the store takes the token for, and what it may do. */
export async function whoami(world: CommandContext, options: WhoAmIOptions): Promise<number> {
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
