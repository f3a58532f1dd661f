import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import path from 'node:path';
import { openerOf, openWith, type PagePlace } from '@svc/runtime/page-opener';
import type { CommandContext } from './command.ts';

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
