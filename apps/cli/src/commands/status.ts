import type { CommandContext } from '../command-context.ts';
import { defineCommand, JSON_OPTION, STORE_OPTION } from '../command-record.ts';
import { connect, type StoreOption } from '../connect.ts';
import { codeFor, followVersion } from '../follow-version.ts';
import { jsonLine } from '../present/escape.ts';
import { statusText } from '../present/status.ts';
import type { VersionRef } from '../store-client.ts';

type StatusOptions = StoreOption & { json?: boolean; watch?: boolean };

/**
 * `svc status`: shows the state of an uploaded version.
 * @returns 0 whatever the state, since the question was answered; with --watch 0 when it was published, else 1
 */
async function status(context: CommandContext, ref: VersionRef, options: StatusOptions): Promise<number> {
  const { terminal } = context;
  const { client } = connect(context, options);
  const show = (record: Awaited<ReturnType<typeof client.status>>) =>
    terminal.out(options.json ? jsonLine(record) : statusText(terminal, record));
  if (options.watch) return codeFor(await followVersion(context, client, ref, show));
  show(await client.status(ref));
  return 0;
}

/** How the command line reads it. */
export const command = defineCommand<[string, string], StatusOptions>({
  arguments: [
    { name: '<app>', help: 'id of the app' },
    { name: '<version>', help: 'an uploaded version' },
  ],
  options: [
    { flags: '--watch', help: 'show every new state, until it is published or rejected' },
    STORE_OPTION,
    JSON_OPTION,
  ],
  examples: ['status com.example.notes 1.2.0', 'status com.example.notes 1.2.0 --watch'],
  run: (context, [appId, version], options) => status(context, { appId, version }, options),
});
