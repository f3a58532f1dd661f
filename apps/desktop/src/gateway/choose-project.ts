import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { RuntimeError } from '@svc/runtime';
import { isWithin } from '../folders/is-within.ts';
import type { Project } from '../wire/views.ts';

/** Where an agent works, as far as it says so: the name of a project, or folders. */
export type ClientLocation = { project?: string | undefined; folders: readonly string[] };

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

/** The innermost project that a folder is in. */
function projectOf(projects: readonly Project[], folder: string): Project | undefined {
  const real = realFolder(folder);
  return projects
    .filter((one) => one.folder !== null && isWithin(real, realFolder(one.folder)))
    .sort((a, b) => (b.folder?.length ?? 0) - (a.folder?.length ?? 0))[0];
}

/** The folder that a root of MCP names; null for what is no folder of this machine. */
export function folderOfRoot(uri: string): string | null {
  try {
    return fileURLToPath(uri);
  } catch {
    return null;
  }
}

/**
 * The project a session works in: the one that is named, else the one its folders lie in, else the first.
 * @throws RuntimeError `invalid-arguments` when the named one is none
 */
export function chooseProject(projects: readonly Project[], { project, folders }: ClientLocation): Project {
  if (project !== undefined) {
    const named = projects.find(({ id, name }) => id === project || name === project);
    if (named) return named;
    const names = projects.map(({ name }) => name).join(', ');
    throw new RuntimeError('invalid-arguments', `There is no project of this name. There are: ${names}.`);
  }
  const found = folders.map((folder) => projectOf(projects, folder)).find((one) => one !== undefined);
  const chosen = found ?? projects[0];
  if (!chosen)
    throw new RuntimeError('invalid-arguments', 'There is no project: add one in the desktop page.');
  return chosen;
}
