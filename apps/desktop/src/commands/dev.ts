import path from 'node:path';
import type { Issue } from '@svc/contracts';
import { cleanLine } from '@svc/text';
import { HttpError } from '../http/exchange.ts';
import type { DesktopEvent } from '../wire/events.ts';
import type { FolderView } from '../wire/views.ts';
import { type Command, UsageError } from './command.ts';
import { defaultFolder, readOptions } from './options.ts';
import { openPageOf, startIn, untilStopped } from './start.ts';

export const usage =
  'Usage: svc dev DIR [--store URL] [--folder DIR] [--port N] [--no-open] [--local-apps] [--local-connectors]';

const MAX_MESSAGE = 500;

const lineOfIssue = ({ level, code, path: where, message }: Issue): string =>
  `  ${level} ${code} ${cleanLine(where, MAX_MESSAGE)}: ${cleanLine(message, MAX_MESSAGE)}`;

export function findingsOf({ issues, fault }: FolderView): string[] {
  const lines = issues.map(lineOfIssue);
  if (fault !== null) lines.push(`  ${cleanLine(fault, MAX_MESSAGE)}`);
  return lines.length === 0 ? ['clean'] : [`${lines.length} found:`, ...lines];
}

export const lineOfCall = ({
  appId,
  tool,
  asker,
  ms,
  outcome,
  detail,
}: Extract<DesktopEvent, { type: 'call-log' }>): string =>
  `call ${appId} ${cleanLine(tool, 200)} by ${cleanLine(asker, 100)}: ${outcome}${ms === null ? '' : ` in ${ms} ms`} ${detail}`;

/** Formats what was dropped or repaired of a server's answer as one line. */
export const lineOfRepair = ({ appId, what }: { appId: string; what: string }): string =>
  `server ${appId}: ${cleanLine(what, MAX_MESSAGE)}`;

/** `dev DIR`: starts a desktop with its own data folder and opens an app folder. It prints findings and calls. */
export const run: Command = async (context, words) => {
  const { options, rest } = readOptions(context, words);
  const [given, ...more] = rest;
  if (given === undefined || more.length > 0) throw new UsageError(usage);
  const folder = options.folder ?? defaultFolder(context, 'dev');
  const started = await startIn(context, folder, options);
  if ('running' in started)
    throw new UsageError(
      `A desktop is already running in ${folder}. Stop it, or choose another folder with --folder.`,
    );
  const { opened } = started;
  try {
    opened.events.subscribe(null, (event) => {
      if (event.type === 'folder') for (const line of findingsOf(event.folder)) context.say(line);
      if (event.type === 'runtime' && event.event.type === 'server-repaired')
        context.say(lineOfRepair(event.event));
      if (event.type === 'call-log') context.say(lineOfCall(event));
    });
    const { appId } = await opened.folders.open(path.resolve(given));
    const at = appId === null ? '/dev' : `/dev/${encodeURIComponent(appId)}`;
    const link = `${opened.newLink()}&to=${at}`;
    context.say(`Desktop: ${link}`);
    if (options.open) await openPageOf({ ...context, folder })(link);
  } catch (error) {
    await opened.close();
    throw error instanceof HttpError ? new UsageError(error.message) : error;
  }
  await untilStopped(context, opened);
  return 0;
};
