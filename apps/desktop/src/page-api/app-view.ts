import { type InstalledApp, type Runtime, RuntimeError } from '@svc/runtime';
import type { AppView } from '../wire/views.ts';

type Library = Pick<Runtime['library'], 'get' | 'requireUsable' | 'requirementsOf'>;

/** The app. @throws RuntimeError `not-installed` */
export function requireApp(library: Library, appId: string, project?: string): InstalledApp {
  const app = library.get(appId, project);
  if (!app) throw new RuntimeError('not-installed');
  return app;
}

/** Why an app that is on cannot be used, in words; null when it can, and when it is off. */
function obstacleOf(library: Library, { appId, on }: InstalledApp, project?: string): string | null {
  if (!on) return null;
  try {
    library.requireUsable(appId, project);
    return null;
  } catch (error) {
    if (error instanceof RuntimeError) return error.message;
    throw error;
  }
}

/** An app as the page shows it in a project; everywhere when none is given. */
export function viewOf(library: Library, app: InstalledApp, project?: string): AppView {
  const { appId, version, manifest, source, on, withdrawn } = app;
  return {
    appId,
    version,
    manifest,
    source,
    on,
    withdrawn,
    obstacle: obstacleOf(library, app, project),
    requirements: library.requirementsOf(app, project),
  };
}
