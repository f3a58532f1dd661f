import { LIMITS } from '@svc/contracts/vocabulary';
import type { CommandContext } from '../command-context.ts';
import { defineCommand, JSON_OPTION, STORE_OPTION } from '../command-record.ts';
import { connectAsDeveloper, type StoreOption } from '../connect.ts';
import { usageError } from '../failure.ts';
import { jsonLine } from '../present/escape.ts';
import { statusText } from '../present/status.ts';
import type { VersionRef } from '../store-client.ts';

type YankOptions = StoreOption & { reason: string; json?: boolean };

/** `svc yank`: yanks a published version. Only an administrator of the store can undo it. */
async function yank(context: CommandContext, ref: VersionRef, options: YankOptions): Promise<number> {
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
}

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
  run: (context, [appId, version], options) => yank(context, { appId, version }, options),
});
