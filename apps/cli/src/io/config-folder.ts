import { homedir } from 'node:os';
import path from 'node:path';

/** The user's configuration folder. A relative XDG_CONFIG_HOME is ignored (XDG Base Directory Specification). */
export function configFolder(env: Readonly<Record<string, string | undefined>>): string {
  const base = env.XDG_CONFIG_HOME;
  return path.join(base && path.isAbsolute(base) ? base : path.join(env.HOME || homedir(), '.config'), 'svc');
}
