import type { CommandContext } from '../command-context.ts';
import { defineCommand, JSON_OPTION, STORE_OPTION } from '../command-record.ts';
import { connectAsDeveloper, type StoreOption } from '../connect.ts';
import { jsonLine } from '../present/escape.ts';
import { statusText } from '../present/status.ts';
import type { VersionRef } from '../store-client.ts';

type RetractOptions = StoreOption & { json?: boolean };

/** `svc retract`: takes back a version in review. Its number stays used. */
async function retract(
  context: CommandContext,
  params: VersionRef,
  options: RetractOptions,
): Promise<number> {
  const client = await connectAsDeveloper(context, options);
  const record = await client.call('POST /api/apps/:appId/versions/:version/withdraw', { params });
  context.terminal.out(options.json ? jsonLine(record) : statusText(context.terminal, record));
  return 0;
}

export const command = defineCommand<[string, string], RetractOptions>({
  arguments: [
    { name: '<app>', help: 'id of the app' },
    { name: '<version>', help: 'a version in review' },
  ],
  options: [STORE_OPTION, JSON_OPTION],
  details: 'No moderator looks at the version any more, and its number cannot be used again.',
  examples: ['retract com.example.notes 1.2.0'],
  run: (context, [appId, version], options) => retract(context, { appId, version }, options),
});
