import { homedir } from 'node:os';
import path from 'node:path';

/** Where the user's settings are kept. The base directory specification says to ignore a relative XDG_CONFIG_HOME. */
export function configFolder(env: Readonly<Record<string, string | undefined>>): string {
  const base = env.XDG_CONFIG_HOME;
  return path.join(base && path.isAbsolute(base) ? base : path.join(env.HOME || homedir(), '.config'), 'svc');
}
