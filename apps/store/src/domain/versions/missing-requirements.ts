import { BUILT_IN_APPS, type Issue, type Manifest } from '@svc/contracts';
import type { AppStore } from './app-store.ts';
import type { VersionStore } from './version-store.ts';

/** The stores that the check of required apps uses. */
export type RequirementStores = {
  apps: Pick<AppStore, 'find'>;
  versions: Pick<VersionStore, 'latestPublished'>;
};

/** Code of the warning. A version with it is always reviewed. */
export const MISSING_REQUIREMENT = 'requires.id';

const BUILT_IN: ReadonlySet<string> = new Set(BUILT_IN_APPS);

async function isPublished({ apps, versions }: RequirementStores, appId: string): Promise<boolean> {
  const app = await apps.find(appId);
  return app !== null && !app.suspended && (await versions.latestPublished(appId)) !== null;
}

/** A warning for each required app that is neither built in nor published in this store. */
export async function missingRequirements(
  stores: RequirementStores,
  { requires }: Manifest,
): Promise<Issue[]> {
  const issues: Issue[] = [];
  for (const [index, { id }] of (requires?.apps ?? []).entries()) {
    if (BUILT_IN.has(id) || (await isPublished(stores, id))) continue;
    issues.push({
      code: MISSING_REQUIREMENT,
      level: 'warning',
      path: `/requires/apps/${index}/id`,
      message: `The required app ${id} is not published in this store. This version cannot be approved until it is.`,
    });
  }
  return issues;
}
