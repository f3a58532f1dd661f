import type { Extension } from '../../core/access/extension.ts';
import { type CliDeps, cliRoutes } from './routes.ts';

/** The command line as a package that a store serves, and the page about it. */
export const cli: Extension<CliDeps> = {
  name: 'cli',
  open: (parts) => ({ routes: cliRoutes(parts) }),
};
