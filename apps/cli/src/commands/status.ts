import type { Conversation, VersionStatus } from '@svc/contracts';
import type { CommandContext } from '../command-context.ts';
import { defineCommand, JSON_OPTION, STORE_OPTION } from '../command-record.ts';
import { connect, type StoreOption } from '../connect.ts';
import { CommandError, StoreError } from '../failure.ts';
import { codeFor, followVersion } from '../follow-version.ts';
import { jsonLine } from '../present/escape.ts';
import { statusText } from '../present/status.ts';
import type { StoreClient, VersionRef } from '../store-client.ts';

type StatusOptions = StoreOption & { json?: boolean; watch?: boolean };

/** Refusals that say that this user may not read the conversation, or that the store has none. */
const NOT_FOR_US: ReadonlySet<string> = new Set(['unauthorized', 'forbidden', 'not_a_member', 'not_found']);

/** What was said about a version; null for those who do not act for its publisher. */
async function conversationOf(client: StoreClient, ref: VersionRef): Promise<Conversation | null> {
  try {
    return await client.conversation(ref);
  } catch (error) {
    if (error instanceof StoreError && NOT_FOR_US.has(error.envelope.code)) return null;
    // A token that must not travel over this connection: the state is public, and has been shown without it.
    if (error instanceof CommandError && error.exitCode === 2) return null;
    throw error;
  }
}

/**
 * `svc status`: shows the state of an uploaded version, and to members of its publisher the conversation with moderators.
 * @returns 0 whatever the state, since the question was answered; with --watch 0 when it was published, else 1
 */
async function status(context: CommandContext, ref: VersionRef, options: StatusOptions): Promise<number> {
  const { terminal } = context;
  const { client } = connect(context, options);
  const show = async (record: VersionStatus) => {
    const talk = record.status === 'in_review' ? await conversationOf(client, ref) : null;
    const whole = talk ? { ...record, messages: talk.messages } : record;
    terminal.out(options.json ? jsonLine(whole) : statusText(terminal, record, talk));
  };
  if (options.watch) return codeFor(await followVersion(context, client, ref, show));
  await show(await client.status(ref));
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
