import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { RuntimeError } from '@svc/runtime';
import { isWithin } from '../folders/private-folder.ts';
import type { Project } from '../wire/views.ts';

/** Where an agent works, as it reports: a project name, or folders. */
export type ClientLocation = { project?: string | undefined; folders: readonly string[] };

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

/** The innermost project that contains a folder. */
function projectOf(projects: readonly Project[], folder: string): Project | undefined {
  const real = realFolder(folder);
  return projects
    .filter((project) => project.folder !== null && isWithin(real, realFolder(project.folder)))
    .sort((a, b) => (b.folder?.length ?? 0) - (a.folder?.length ?? 0))[0];
}

/** The folder of an MCP root; null if it is not a local folder. */
export function folderOfRoot(uri: string): string | null {
  try {
    return fileURLToPath(uri);
  } catch {
    return null;
  }
}

/**
 * Chooses the project of a session: the named one, else the one that contains its folders, else the first.
 * @throws RuntimeError `invalid-arguments` if the named project does not exist
 */
export function chooseProject(projects: readonly Project[], { project, folders }: ClientLocation): Project {
  if (project !== undefined) {
    const named = projects.find(({ id, name }) => id === project || name === project);
    if (named) return named;
    const names = projects.map(({ name }) => name).join(', ');
    throw new RuntimeError('invalid-arguments', `Unknown project. Projects: ${names}.`);
  }
  const containing = folders
    .map((folder) => projectOf(projects, folder))
    .find((project) => project !== undefined);
  const chosen = containing ?? projects[0];
  if (!chosen)
    throw new RuntimeError('invalid-arguments', 'There is no project. Add one on the desktop page.');
  return chosen;
}
