import { realpath, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { isWithin } from '../folders/is-within.ts';
import { isPrivateFolder } from '../folders/private-folder.ts';
import { invalid } from '../http/exchange.ts';

async function realFolder(folder: string): Promise<string> {
  try {
    const real = await realpath(folder);
    if ((await stat(real)).isDirectory()) return real;
  } catch {
    // Reported below: the exact reason does not matter to the user.
  }
  throw invalid('This folder does not exist on this computer.');
}

/**
 * The real path of a folder that files may be passed from.
 * @param own data folder of the desktop
 * @throws HttpError if it is not the full path of a folder, or if it would expose the desktop's data folder
 */
export async function shareableFolder(folder: string, own: string): Promise<string> {
  if (!isAbsolute(folder)) throw invalid('Enter the full path of the folder.');
  const real = await realFolder(folder);
  const ours = await realFolder(own);
  if (isWithin(real, ours) || isWithin(ours, real))
    throw invalid('This folder contains the data of svc desktop. Choose another folder.');
  if (isPrivateFolder(real))
    throw invalid('This folder contains more than one project’s files. Choose the folder of the project.');
  return real;
}
