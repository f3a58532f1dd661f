import { cleanLine } from '@svc/text';
import { z } from 'zod';
import { invalid } from '../http/exchange.ts';
import { call, FolderPath, Id, Nothing, OneFolder, type PageParts } from './page-call.ts';

const MAX_NAME = 80;

/** Projects, and the folders that agents may pass files from. */
export function projectCalls({ desktop: { settings } }: PageParts) {
  const allowed = () => ({ folders: settings.allowedFolders() });
  return {
    'projects.add': call(
      z.strictObject({ name: z.string().max(1_000), folder: FolderPath.nullable() }),
      async ({ name, folder }) => {
        const plain = cleanLine(name, MAX_NAME);
        if (plain === '') throw invalid('A project needs a name.');
        return { project: await settings.addProject(plain, folder) };
      },
    ),
    'projects.remove': call(z.strictObject({ project: Id }), ({ project }) =>
      settings.removeProject(project),
    ),
    /** Folders, in addition to those of projects, that agents may pass files from. */
    'projects.allowed': call(Nothing, allowed),
    'projects.allow': call(OneFolder, async ({ folder }) => {
      await settings.allowFolder(folder);
      return allowed();
    }),
    'projects.disallow': call(OneFolder, async ({ folder }) => {
      await settings.disallowFolder(folder);
      return allowed();
    }),
  };
}
