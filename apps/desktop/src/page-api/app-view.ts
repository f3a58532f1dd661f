import { type InstalledApp, type Runtime, RuntimeError } from '@svc/runtime';
import type { AppView } from '../wire/views.ts';

type Library = Pick<Runtime['library'], 'get' | 'requireUsable' | 'requirementsOf'>;

/** Returns an app. @throws RuntimeError `not-installed` */
export function requireApp(library: Library, appId: string, project?: string): InstalledApp {
  const app = library.get(appId, project);
  if (!app) throw new RuntimeError('not-installed');
  return app;
}

/** Why an app that is on cannot be used; null if it can, or if it is off. */
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

/** The view of an app in a project; in all projects if none is given. */
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
