import { LIMITS } from '@svc/contracts/vocabulary';
import { defineCommand, JSON_OPTION, STORE_OPTION } from '../command-record.ts';
import { connectAsDeveloper, type StoreOption } from '../connect.ts';
import { usageError } from '../failure.ts';
import { statusText } from '../present/status.ts';
import { jsonLine } from '../present/text.ts';

type YankOptions = StoreOption & { reason: string; json?: boolean };

/** `svc yank`: yanks a published version. Only an administrator of the store can undo it. */
export const command = defineCommand<[string, string], YankOptions>({
  arguments: [
    { name: '<app>', help: 'id of the app' },
    { name: '<version>', help: 'a published version' },
  ],
  options: [
    { flags: '--reason <text>', help: 'reason, shown to users of the app', required: true },
    STORE_OPTION,
    JSON_OPTION,
  ],
  details: 'Clients disable a yanked version. Only an administrator of the store can undo it.',
  examples: ['yank com.example.notes 1.2.0 --reason "Loses notes when offline"'],
  async run(context, [appId, version], options) {
    const ref = { appId, version };
    const reason = options.reason.trim();
    if (reason === '' || reason.length > LIMITS.note) {
      throw usageError(`--reason must be 1 to ${LIMITS.note} characters. Users of the app see it.`);
    }
    const client = await connectAsDeveloper(context, options);
    const record = await client.call('POST /api/apps/:appId/versions/:version/yank', {
      params: ref,
      json: { reason },
    });
    context.terminal.out(options.json ? jsonLine(record) : statusText(context.terminal, record));
    return 0;
  },
});
