import type { AppRecord } from '@svc/contracts';
import { Refusal } from '../platform/refusal.ts';
import type { AppStore } from '../publishing/version-store.ts';

/**
 * Suspends an app, which hides it and refuses uploads, or lets it back.
 * @throws Refusal not_found
 */
export async function suspendApp(
  deps: { apps: AppStore },
  appId: string,
  suspended: boolean,
): Promise<AppRecord> {
  const app = await deps.apps.suspend(appId, suspended);
  if (app) return app;
  throw new Refusal('not_found', `There is no app ${appId}.`);
}
