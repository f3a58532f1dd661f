import { openAppWindow } from './app-window.ts';
import { type Command, type CommandContext, UsageError } from './command.ts';
import { defaultFolder, readOptions } from './options.ts';
import { openPageOf, startIn, untilIdle, untilStopped } from './start.ts';

/** Opens the page: in an app window if requested and a Chromium is found, else in the default browser. */
async function show(
  context: CommandContext,
  folder: string,
  { app, link }: { app: boolean; link: string },
): Promise<boolean> {
  if (app) {
    if (await openAppWindow({ ...context, folder }, link)) return true;
    context.warn('No Chromium found for an app window. Opening the default browser.');
  }
  return openPageOf({ ...context, folder })(link);
}

export const usage =
  'Usage: desktop [--store URL] [--folder DIR] [--port N] [--no-open] [--app] [--page PATH] [--local-apps] [--local-connectors] [--key-file] [--approvals agent|page]';

/** `desktop`: starts the desktop, or opens the page of the running one, and prints the link. */
export const run: Command = async (context, words) => {
  const { options, rest } = readOptions(context, words);
  if (rest.length > 0) throw new UsageError(usage);
  const folder = options.folder ?? defaultFolder(context, 'desktop');
  const started = await startIn(context, folder, options);
  const key = 'running' in started ? await started.running.newLink() : started.opened.newLink();
  const link = options.page === undefined ? key : `${key}&to=${options.page}`;
  context.say(`Desktop: ${link}`);
  if (options.open && !(await show(context, folder, { app: options.app, link })))
    context.warn('Cannot open a browser. Open the link yourself.');
  if ('opened' in started) await (options.untilIdle ? untilIdle : untilStopped)(context, started.opened);
  return 0;
};
