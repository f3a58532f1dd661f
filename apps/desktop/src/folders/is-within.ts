import { isAbsolute, relative, sep } from 'node:path';

/** Whether a path is a folder, or lies in it. Both are real paths: links would lead elsewhere. */
export function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
