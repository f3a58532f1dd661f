import type { Conversation, VersionStatus } from '@svc/contracts';
import { defineCommand, JSON_OPTION, STORE_OPTION } from '../command-record.ts';
import { connect, type StoreOption } from '../connect.ts';
import { CommandError, StoreError } from '../failure.ts';
import { codeFor, followVersion } from '../follow-version.ts';
import { statusText } from '../present/status.ts';
import { jsonLine } from '../present/text.ts';
import type { StoreClient, VersionRef } from '../store-client.ts';

type StatusOptions = StoreOption & { json?: boolean; watch?: boolean };

/** Error codes for a conversation that this user may not read, or that does not exist. */
const NOT_READABLE: ReadonlySet<string> = new Set(['unauthorized', 'forbidden', 'not_a_member', 'not_found']);

/** The review conversation of a version; null when this user may not read it. */
async function conversationOf(client: StoreClient, ref: VersionRef): Promise<Conversation | null> {
  try {
    return await client.call('GET /api/apps/:appId/versions/:version/messages', { params: ref });
  } catch (error) {
    if (error instanceof StoreError && NOT_READABLE.has(error.envelope.code)) return null;
    // The token must not be sent over this connection. The state is public and is shown without it.
    if (error instanceof CommandError && error.exitCode === 2) return null;
    throw error;
  }
}

/**
 * `svc status`: shows the state of an uploaded version, and to members of its publisher the conversation with moderators.
 * @returns 0; with --watch 0 when the version was published, else 1
 */
export const command = defineCommand<[string, string], StatusOptions>({
  arguments: [
    { name: '<app>', help: 'id of the app' },
    { name: '<version>', help: 'an uploaded version' },
  ],
  options: [
    { flags: '--watch', help: 'show every state until the version is published or rejected' },
    STORE_OPTION,
    JSON_OPTION,
  ],
  examples: ['status com.example.notes 1.2.0', 'status com.example.notes 1.2.0 --watch'],
  async run(context, [appId, version], options) {
    const ref = { appId, version };
    const { terminal } = context;
    const { client } = connect(context, options);
    const show = async (record: VersionStatus) => {
      const talk = record.status === 'in_review' ? await conversationOf(client, ref) : null;
      const full = talk ? { ...record, messages: talk.messages } : record;
      terminal.out(options.json ? jsonLine(full) : statusText(terminal, record, talk));
    };
    if (options.watch) return codeFor(await followVersion(context, client, ref, show));
    await show(await client.call('GET /api/apps/:appId/versions/:version/status', { params: ref }));
    return 0;
  },
});
