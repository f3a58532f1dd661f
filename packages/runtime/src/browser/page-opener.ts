import { spawn } from 'node:child_process';
import path from 'node:path';

type Env = Readonly<Record<string, string | undefined>>;

/** A program that opens a URL, and its arguments before the URL. */
type Opener = readonly [program: string, ...before: string[]];

/**
 * The program that opens a URL in the user's browser. Undefined over SSH and without a display, where the browser would not be visible
 * to the user.
 */
export function openerOf(platform: NodeJS.Platform, env: Env): Opener | undefined {
  if (env.SSH_CONNECTION || env.SSH_TTY) return undefined;
  if (platform === 'darwin') return ['/usr/bin/open'];
  // Not `start`, which is a shell builtin. By its full path, as Windows searches the current folder first.
  if (platform === 'win32') {
    const system = path.win32.join(env.SystemRoot || 'C:\\Windows', 'System32');
    return [path.win32.join(system, 'rundll32.exe'), 'url.dll,FileProtocolHandler'];
  }
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : undefined;
}

/**
 * Starts a detached program with a URL, without a shell and without SVC_TOKEN in its environment.
 * @returns whether it started
 */
export function openWith([program, ...before]: Opener, address: string, env: Env): Promise<boolean> {
  const { SVC_TOKEN: _token, ...rest } = env;
  return new Promise((resolve) => {
    const child = spawn(program, [...before, address], { stdio: 'ignore', detached: true, env: rest });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

/** Returns a function that opens a URL in the user's browser; undefined where there is none. */
export function pageOpener(
  platform: NodeJS.Platform,
  env: Env,
): ((address: string) => Promise<boolean>) | undefined {
  const opener = openerOf(platform, env);
  return opener && ((address) => openWith(opener, address, env));
}
