import { defineCommand, JSON_OPTION, STORE_OPTION } from '../command-record.ts';
import { connectAsDeveloper, type StoreOption } from '../connect.ts';
import { storeUrl } from '../io/store-settings.ts';
import { identityFields } from '../present/identity.ts';
import { fieldLines, headline, jsonLine } from '../present/text.ts';

/** `svc whoami`: shows the account of the token, and its scopes. */
export const command = defineCommand<[], StoreOption & { json?: boolean }>({
  options: [STORE_OPTION, JSON_OPTION],
  examples: ['whoami'],
  async run(context, _args, options) {
    const { terminal, env } = context;
    const client = await connectAsDeveloper(context, options);
    const who = await client.call('GET /api/developer/whoami');
    if (options.json) {
      terminal.out(jsonLine(who));
      return 0;
    }
    terminal.out(headline(terminal, 'good', 'logged in', storeUrl(options.store, env)));
    const source = env.SVC_TOKEN ? 'SVC_TOKEN' : undefined;
    terminal.out(fieldLines(terminal, [...identityFields(who), ['token from', source]]));
    return 0;
  },
});
