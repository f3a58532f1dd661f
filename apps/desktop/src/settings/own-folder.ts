import { realpath, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { isWithin } from '../folders/is-within.ts';
import { invalid } from '../http/exchange.ts';

async function realFolder(folder: string): Promise<string> {
  try {
    const real = await realpath(folder);
    if ((await stat(real)).isDirectory()) return real;
  } catch {
    // Said below: why it cannot be looked at is the same to the person.
  }
  throw invalid('There is no such folder on this machine.');
}

/**
 * The real path of a folder that files may be handed out of.
 * @param own folder in which the desktop keeps its own things
 * @throws HttpError for what is no folder by its full path, and for one that would open up the desktop's own things
 */
export async function shareableFolder(folder: string, own: string): Promise<string> {
  if (!isAbsolute(folder)) throw invalid('Give the full path of the folder.');
  const real = await realFolder(folder);
  const ours = await realFolder(own);
  if (isWithin(real, ours) || isWithin(ours, real))
    throw invalid('That folder holds the accounts of this desktop. Choose one further down.');
  return real;
}
