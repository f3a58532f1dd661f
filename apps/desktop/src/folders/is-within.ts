import { isAbsolute, relative, sep } from 'node:path';

/** Whether a path is a folder or inside it. Both must be real paths, without symbolic links. */
export function isWithin(path: string, folder: string): boolean {
  const relativePath = relative(folder, path);
  return (
    relativePath === '' ||
    (relativePath !== '..' && !relativePath.startsWith(`..${sep}`) && !isAbsolute(relativePath))
  );
}
