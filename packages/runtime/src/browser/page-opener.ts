import { spawn } from 'node:child_process';
import path from 'node:path';

type Env = Readonly<Record<string, string | undefined>>;

/** What opens an address, and what stands before the address. */
type Opener = readonly [program: string, ...before: string[]];

/**
 * The program that opens an address in the user's browser. Undefined where the browser would not be where the user is:
 * at the other end of an SSH connection, or without a screen.
 */
export function openerOf(platform: NodeJS.Platform, env: Env): Opener | undefined {
  if (env.SSH_CONNECTION || env.SSH_TTY) return undefined;
  if (platform === 'darwin') return ['/usr/bin/open'];
  // Not `start`, which only a shell knows; and by its full path, as Windows looks into the current folder first.
  if (platform === 'win32') {
    const system = path.win32.join(env.SystemRoot || 'C:\\Windows', 'System32');
    return [path.win32.join(system, 'rundll32.exe'), 'url.dll,FileProtocolHandler'];
  }
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : undefined;
}

/**
 * Starts a program with an address, without a shell, and leaves it to itself. It does not get the token of the
 * environment.
 * @returns whether it was started
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

/** How this machine opens an address in the user's browser; undefined where it cannot. */
export function pageOpener(
  platform: NodeJS.Platform,
  env: Env,
): ((address: string) => Promise<boolean>) | undefined {
  const opener = openerOf(platform, env);
  return opener && ((address) => openWith(opener, address, env));
}
