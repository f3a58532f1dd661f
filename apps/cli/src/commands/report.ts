import type { Report, ReportCategory } from '@svc/contracts';
import { defineCommand, JSON_OPTION, STORE_OPTION } from '../command-record.ts';
import { connectAsDeveloper, type StoreOption } from '../connect.ts';
import { usageError } from '../failure.ts';
import { escapeLines, escapeText, jsonLine } from '../present/text.ts';

type ReportOptions = StoreOption & {
  category?: ReportCategory;
  evidence?: string;
  appVersion?: string;
  json?: boolean;
};

const CATEGORIES = ['malware', 'impersonation', 'rights', 'excessive', 'broken', 'spam'] as const;

const reportText = ({ appId, version, category, state, note }: Report): string =>
  `${state}  ${escapeText(appId)} ${escapeText(version)}  ${category}\n${note === null ? '' : `${escapeLines(note, '  ')}\n`}`;

/** `svc report`: reports an app to the moderators of a store; without a category it shows your reports of the app. */
export const command = defineCommand<[string], ReportOptions>({
  arguments: [{ name: '<app>', help: 'id of the app' }],
  options: [
    { flags: '--category <category>', help: 'what is wrong', choices: CATEGORIES },
    { flags: '--evidence <text>', help: 'what happened, and how a moderator can see it' },
    { flags: '--app-version <version>', help: 'the version; the listed one by default' },
    STORE_OPTION,
    JSON_OPTION,
  ],
  details:
    'Moderators of the store see the report; the publisher does not see who reports. Without --category and --evidence it shows the state of your reports.',
  examples: [
    'report com.example.notes --category malware --evidence "It sends notes to another server"',
    'report com.example.notes',
  ],
  async run(context, [appId], options) {
    const { category, evidence, appVersion: version } = options;
    if ((category === undefined) !== (evidence === undefined))
      throw usageError('Give both --category and --evidence to report, or none of them to see your reports.');
    const client = await connectAsDeveloper(context, options);
    const reports =
      category !== undefined && evidence !== undefined
        ? [
            await client.call('POST /api/apps/:appId/reports', {
              params: { appId },
              json: { category, evidence, ...(version !== undefined && { version }) },
            }),
          ]
        : (await client.call('GET /api/people/me/reports')).reports.filter((one) => one.appId === appId);
    const text =
      reports.length === 0 ? 'You have not reported this app.\n' : reports.map(reportText).join('');
    context.terminal.out(options.json ? jsonLine({ reports }) : text);
    return 0;
  },
});
