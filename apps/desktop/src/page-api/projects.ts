import { cleanLine } from '@svc/text';
import { z } from 'zod';
import { invalid } from '../http/exchange.ts';
import { type CallsOf, FolderPath, Id, Nothing, type PageParts } from './page-call.ts';

const MAX_NAME = 80;

const OneFolder = z.strictObject({ folder: FolderPath });

/** Projects, and the folders that agents may pass files from. */
export function projectCalls({ desktop: { settings } }: PageParts): CallsOf<'projects'> {
  const allowed = () => ({ folders: settings.allowedFolders() });
  return {
    'projects.add': {
      input: z.strictObject({ name: z.string().max(1_000), folder: FolderPath.nullable() }),
      async answer({ name, folder }) {
        const plain = cleanLine(name, MAX_NAME);
        if (plain === '') throw invalid('A project needs a name.');
        return { project: await settings.addProject(plain, folder) };
      },
    },
    'projects.remove': {
      input: z.strictObject({ project: Id }),
      answer: ({ project }) => settings.removeProject(project),
    },
    'projects.allowed': { input: Nothing, answer: allowed },
    'projects.allow': {
      input: OneFolder,
      async answer({ folder }) {
        await settings.allowFolder(folder);
        return allowed();
      },
    },
    'projects.disallow': {
      input: OneFolder,
      async answer({ folder }) {
        await settings.disallowFolder(folder);
        return allowed();
      },
    },
  };
}
