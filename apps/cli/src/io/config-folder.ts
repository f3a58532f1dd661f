import { homedir } from 'node:os';
import path from 'node:path';
import { openPrivateFolder, PrivateFolderError } from '@svc/bundle/private-files';
import { failed } from '../failure.ts';

/** The user's configuration folder. A relative XDG_CONFIG_HOME is ignored (XDG Base Directory Specification). */
export function configFolder(env: Readonly<Record<string, string | undefined>>): string {
  const base = env.XDG_CONFIG_HOME;
  return path.join(base && path.isAbsolute(base) ? base : path.join(env.HOME || homedir(), '.config'), 'svc');
}

/**
 * Creates the configuration folder, or makes it private, before a file is written in it.
 * @throws CommandError when other users can change what is in it
 */
export function openConfigFolder(env: Readonly<Record<string, string | undefined>>): void {
  try {
    openPrivateFolder(configFolder(env));
  } catch (error) {
    throw error instanceof PrivateFolderError ? failed(error.message) : error;
  }
}
