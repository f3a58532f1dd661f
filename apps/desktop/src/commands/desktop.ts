import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import path from 'node:path';
import { openerOf, openWith, type PagePlace } from '@svc/runtime/page-opener';
import { menuEntry } from '../links/menu-entry.ts';
import { type Command, type CommandContext, UsageError } from './command.ts';
import { defaultFolder, menuCommand, readOptions, type StartOptions } from './options.ts';
import { openPageOf, PAGE, startIn, untilIdle, untilStopped } from './start.ts';

type Place = PagePlace & Pick<CommandContext, 'home'>;

/** Commands of browsers that support app windows (`--app`). */
const COMMANDS = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'microsoft-edge',
  'brave-browser',
];
const MAC_APPS = ['Chromium', 'Google Chrome', 'Microsoft Edge', 'Brave Browser'];
const WINDOWS_APPS = [
  'Chromium\\Application\\chrome.exe',
  'Google\\Chrome\\Application\\chrome.exe',
  'Microsoft\\Edge\\Application\\msedge.exe',
  'BraveSoftware\\Brave-Browser\\Application\\brave.exe',
];

function places({ env, platform, home }: Omit<Place, 'folder'>): string[] {
  if (platform === 'darwin')
    return ['/Applications', path.posix.join(home, 'Applications')].flatMap((folder) =>
      MAC_APPS.map((name) => `${folder}/${name}.app/Contents/MacOS/${name}`),
    );
  if (platform === 'win32')
    return [env.LOCALAPPDATA, env.ProgramFiles, env['ProgramFiles(x86)']].flatMap((folder) =>
      folder ? WINDOWS_APPS.map((name) => path.win32.join(folder, name)) : [],
    );
  // Relative PATH entries are skipped: they would run programs from the current folder.
  const folders = (env.PATH ?? '').split(':').filter((folder) => path.isAbsolute(folder));
  return COMMANDS.flatMap((name) => folders.map((folder) => path.join(folder, name)));
}

/** The first Chromium on this computer that can be started; undefined if there is none. */
export async function findChromium(place: Omit<Place, 'folder'>): Promise<string | undefined> {
  for (const program of places(place)) {
    const isExecutable = await access(program, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isExecutable) return program;
  }
  return undefined;
}

/** Opens a link in an app window, without tabs and address bar. @returns whether it succeeded */
export async function openAppWindow(place: Place, link: string): Promise<boolean> {
  if (!openerOf(place)) return false;
  const program = await findChromium(place);
  return program !== undefined && openWith([program], link, place, (url) => `--app=${url}`);
}

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
  'Usage: svc desktop [--store URL] [--folder DIR] [--port N] [--no-open] [--app] [--page PATH] [--local-apps] [--local-connectors] [--key-file] [--approvals agent|page] [--install | --uninstall]';

/** Writes or removes the entry of the system's menu. */
async function changeMenu(context: CommandContext, folder: string, options: StartOptions): Promise<number> {
  const store = URL.parse(options.store);
  if (store === null || store.username !== '' || store.password !== '')
    throw new UsageError('--store must be an address without a password.');
  const command = menuCommand(context, folder, options);
  const entry = menuEntry({ ...context, folder, command, pageFolder: PAGE });
  if (options.menu === 'uninstall') {
    await entry.remove();
    context.say(`Removed from the menu: ${entry.file}`);
    return 0;
  }
  await entry.install();
  context.say(`Added to the menu: ${entry.file}`);
  return 0;
}

/** How long the link works (`KEY_MS` of the sessions), and how to get another from the desktop that runs. */
const LINK_HINT =
  'The link opens one page, within 5 minutes. For another one, run the command again: it finds this desktop.';

/** `desktop`: starts the desktop, or opens the page of the running one, and prints the link. */
export const run: Command = async (context, words) => {
  const { options, rest } = readOptions(context, words);
  if (rest.length > 0) throw new UsageError(usage);
  const folder = options.folder ?? defaultFolder(context, 'desktop');
  if (options.menu !== undefined) return changeMenu(context, folder, options);
  const started = await startIn(context, folder, options);
  const key = 'running' in started ? await started.running.newLink() : started.opened.newLink();
  const link = options.page === undefined ? key : `${key}&to=${options.page}`;
  // What a program of the menu says is kept in the journal of the system, where a link would be for others to read.
  if (!options.fromMenu) context.say(`Desktop: ${link}\n${LINK_HINT}`);
  if (options.open && !(await show(context, folder, { app: options.app, link })))
    context.warn(
      options.fromMenu ? 'Cannot open a browser.' : 'Cannot open a browser. Open the link yourself.',
    );
  if ('opened' in started) await (options.untilIdle ? untilIdle : untilStopped)(context, started.opened);
  return 0;
};
