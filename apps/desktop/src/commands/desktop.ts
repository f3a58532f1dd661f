import { openAppWindow } from './app-window.ts';
import { type Command, UsageError, type World } from './command.ts';
import { readOptions, usualFolder } from './options.ts';
import { openPageOf, startIn, untilIdle, untilStopped } from './start.ts';

/** Shows the page: in a window of its own where that is asked for and a Chromium is found, else in the user's browser. */
async function show(world: World, inWindow: boolean, link: string): Promise<boolean> {
  if (inWindow) {
    if (await openAppWindow(world, link)) return true;
    world.warn('No Chromium could be opened for a window of its own.');
  }
  return openPageOf(world)(link);
}

export const usage =
  'Usage: desktop [--store URL] [--folder DIR] [--port N] [--no-open] [--app] [--page PATH] [--local-apps] [--local-connectors] [--key-file] [--approvals agent|page]';

/** `desktop`: opens the desktop, or the page of the one that runs, and says by which link. */
export const run: Command = async (world, words) => {
  const { options, rest } = readOptions(world, words);
  if (rest.length > 0) throw new UsageError(usage);
  const started = await startIn(world, options.folder ?? usualFolder(world, 'desktop'), options);
  const key = 'running' in started ? await started.running.newLink() : started.opened.newLink();
  const link = options.page === undefined ? key : `${key}&to=${options.page}`;
  world.say(`Desktop: ${link}`);
  if (options.open && !(await show(world, options.app, link)))
    world.warn('No browser could be opened here: open the link yourself.');
  if ('opened' in started) await (options.untilIdle ? untilIdle : untilStopped)(world, started.opened);
  return 0;
};
