import type { Extension } from '../../core/access/extension.ts';
import { DOWNLOADS_PATH, systemTitles } from './cli-page.ts';
import { createSystems } from './downloads.ts';
import { type CliDeps, cliRoutes } from './routes.ts';

/** The command line as a package that a store serves, and the page about it. */
export const cli: Extension<CliDeps> = {
  name: 'cli',
  open: (parts) => {
    const systems = createSystems(parts);
    return {
      routes: cliRoutes(parts),
      additions: {
        clientDownload: async () => {
          const titles = systemTitles(await systems());
          return titles.length === 0 ? null : { path: DOWNLOADS_PATH, systems: titles };
        },
      },
    };
  },
};
