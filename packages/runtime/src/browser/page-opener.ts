import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { makePrivateFolder, newPrivateFile } from '@svc/bundle/private-files';
import { guarded } from '@svc/contracts/guarded';

type Env = Readonly<Record<string, string | undefined>>;

/** A program that opens a URL, and its arguments before the URL. */
type Opener = readonly [program: string, ...before: string[]];

/** The machine on which pages are opened, and a folder that only the user can read. */
export type PagePlace = { platform: NodeJS.Platform; env: Env; folder: string };

/**
 * The program that opens a URL in the user's browser. Undefined over SSH and without a display, where the browser would not be visible
 * to the user.
 */
export function openerOf({ platform, env }: Pick<PagePlace, 'platform' | 'env'>): Opener | undefined {
  if (env.SSH_CONNECTION || env.SSH_TTY) return undefined;
  if (platform === 'darwin') return ['/usr/bin/open'];
  // Not `start`, which is a shell builtin. By its full path, as Windows searches the current folder first.
  if (platform === 'win32') {
    const system = path.win32.join(env.SystemRoot || 'C:\\Windows', 'System32');
    return [path.win32.join(system, 'rundll32.exe'), 'url.dll,FileProtocolHandler'];
  }
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : undefined;
}

/** How long a browser has to read its page, in milliseconds. The first start of a packaged browser takes up to half a minute. */
export const PAGE_MS = 60_000;

const NAME = /^svc-open-[0-9a-f]{32}\.html$/;

/**
 * The folder of the pages that open URLs. Browsers that are snaps can only read files in the home folder that are not hidden, and have
 * their own `/tmp`.
 */
const folderOf = ({ env, folder }: PagePlace): string =>
  env.HOME && existsSync(path.join(env.HOME, 'snap')) ? env.HOME : folder;

/**
 * Whether a URL needs no page. On Windows other users cannot read the arguments of a process; in WSL the browser runs on Windows, and
 * cannot read the files of Linux.
 */
const isArgumentPrivate = ({ platform, env }: PagePlace): boolean =>
  platform === 'win32' || Boolean(env.WSL_DISTRO_NAME);

const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

const pageTo = (address: string): string =>
  `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0;url=${escaped(address)}"><title>svc</title><a href="${escaped(address)}">Continue</a>\n`;

/**
 * Removes the pages that browsers have read.
 * @param olderThanMs only pages of that age
 */
export function removePages(place: PagePlace, olderThanMs = 0): void {
  const folder = folderOf(place);
  const before = Date.now() - olderThanMs;
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const file = path.join(folder, name);
    const found = NAME.test(name) ? statSync(file, { throwIfNoEntry: false }) : undefined;
    if (found && found.mtimeMs <= before) rmSync(file, { force: true });
  }
}

/** Writes a page that only the user can read and that leads to a URL. @returns its own URL */
async function writePage(place: PagePlace, address: string): Promise<string> {
  removePages(place, PAGE_MS);
  makePrivateFolder(place.folder);
  const file = path.join(folderOf(place), `svc-open-${randomBytes(16).toString('hex')}.html`);
  const handle = await newPrivateFile(file);
  await handle.writeFile(pageTo(address)).finally(() => handle.close());
  const remove = guarded(() => rmSync(file, { force: true }));
  setTimeout(remove, PAGE_MS).unref();
  return pathToFileURL(file).href;
}

/**
 * Opens a URL in a program, which is started detached, without a shell and without SVC_TOKEN in its environment. URLs contain one-time
 * keys and the `state` of sign-ins, and all users of a machine can read the arguments of a process: the program gets the URL of a
 * private page that leads there.
 * @param argument of the program
 * @returns whether it started
 */
export async function openWith(
  [program, ...before]: Opener,
  address: string,
  place: PagePlace,
  argument: (url: string) => string = (url) => url,
): Promise<boolean> {
  if (!/^https?:$/.test(new URL(address).protocol)) return false;
  const url = isArgumentPrivate(place) ? address : await writePage(place, new URL(address).href);
  const { SVC_TOKEN: _token, ...env } = place.env;
  return new Promise((resolve) => {
    const child = spawn(program, [...before, argument(url)], { stdio: 'ignore', detached: true, env });
    child.on('error', () => resolve(false));
    const started = () => {
      child.unref();
      resolve(true);
    };
    child.once('spawn', guarded(started));
  });
}

/** Returns a function that opens a URL in the user's browser; undefined where there is none. */
export function pageOpener(place: PagePlace): ((address: string) => Promise<boolean>) | undefined {
  const opener = openerOf(place);
  return opener && ((address) => openWith(opener, address, place));
}
