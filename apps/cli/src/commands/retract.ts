import { defineCommand, JSON_OPTION, STORE_OPTION } from '../command-record.ts';
import { connectAsDeveloper, type StoreOption } from '../connect.ts';
import { statusText } from '../present/status.ts';
import { jsonLine } from '../present/text.ts';

/** `svc retract`: takes back a version in review. Its number stays used. */
export const command = defineCommand<[string, string], StoreOption & { json?: boolean }>({
  arguments: [
    { name: '<app>', help: 'id of the app' },
    { name: '<version>', help: 'a version in review' },
  ],
  options: [STORE_OPTION, JSON_OPTION],
  details: 'No moderator looks at the version any more, and its number cannot be used again.',
  examples: ['retract com.example.notes 1.2.0'],
  async run(context, [appId, version], options) {
    const params = { appId, version };
    const client = await connectAsDeveloper(context, options);
    const record = await client.call('POST /api/apps/:appId/versions/:version/withdraw', { params });
    context.terminal.out(options.json ? jsonLine(record) : statusText(context.terminal, record));
    return 0;
  },
});
