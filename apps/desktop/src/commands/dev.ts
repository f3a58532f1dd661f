import path from 'node:path';
import type { Issue } from '@svc/contracts';
import { cleanLine } from '@svc/text';
import { HttpError } from '../http/exchange.ts';
import type { DesktopEvent } from '../wire/events.ts';
import type { FolderView } from '../wire/views.ts';
import { type Command, UsageError } from './command.ts';
import { readOptions, usualFolder } from './options.ts';
import { openPageOf, startIn, untilStopped } from './start.ts';

export const usage =
  'Usage: dev DIR [--store URL] [--folder DIR] [--port N] [--no-open] [--local-apps] [--local-connectors]';

const MAX_MESSAGE = 500;

const lineOfIssue = ({ level, code, path: where, message }: Issue): string =>
  `  ${level} ${code} ${cleanLine(where, MAX_MESSAGE)}: ${cleanLine(message, MAX_MESSAGE)}`;

/** What is wrong with a folder, a line for each finding. */
export function findingsOf({ issues, fault }: FolderView): string[] {
  const found = issues.map(lineOfIssue);
  if (fault !== null) found.push(`  ${cleanLine(fault, MAX_MESSAGE)}`);
  return found.length === 0 ? ['clean'] : [`${found.length} found:`, ...found];
}

/** One call as a line. */
export const lineOfCall = ({
  appId,
  tool,
  asker,
  ms,
  outcome,
  detail,
}: Extract<DesktopEvent, { type: 'call-log' }>): string =>
  `call ${appId} ${cleanLine(tool, 200)} by ${cleanLine(asker, 100)}: ${outcome}${ms === null ? '' : ` in ${ms} ms`} ${detail}`;

/** `dev DIR`: the desktop with a developer's folder open, in a state folder of its own; it says what it finds and what is called. */
export const run: Command = async (world, words) => {
  const { options, rest } = readOptions(world, words);
  const [given, ...more] = rest;
  if (given === undefined || more.length > 0) throw new UsageError(usage);
  const folder = options.folder ?? usualFolder(world, 'dev');
  const started = await startIn(world, folder, options);
  if ('running' in started)
    throw new UsageError(
      `A desktop runs in ${folder} already: end it, or choose another folder with --folder.`,
    );
  const { opened } = started;
  try {
    opened.events.listen(null, (event) => {
      if (event.type === 'folder') for (const line of findingsOf(event.folder)) world.say(line);
      if (event.type === 'call-log') world.say(lineOfCall(event));
    });
    const { appId } = await opened.folders.open(path.resolve(given));
    const at = appId === null ? '/dev' : `/dev/${encodeURIComponent(appId)}`;
    const link = `${opened.newLink()}&to=${at}`;
    world.say(`Desktop: ${link}`);
    if (options.open) await openPageOf(world)(link);
  } catch (error) {
    await opened.close();
    throw error instanceof HttpError ? new UsageError(error.message) : error;
  }
  await untilStopped(world, opened);
  return 0;
};
