import {
  compareVersions,
  type Issue,
  type ManagedSettings,
  refusedByAddress,
  refusedById,
} from '@svc/contracts';
import type { Parts } from '../../core/domain/parts/parts.ts';

export type CheckDeps = Pick<Parts, 'listings' | 'versions' | 'accessRules'>;

const issue = (path: string, message: string): Issue => ({
  code: 'invalid_request',
  level: 'error',
  path: `/settings/${path}`,
  message,
});

/** What contradicts itself within the settings, without a look at the store. */
function contradictions(settings: ManagedSettings): Issue[] {
  const { requiredApps = [], requiredConnectors = [] } = settings;
  return [
    ...requiredApps.flatMap((appId, n) =>
      refusedById(settings, appId)
        ? [issue(`requiredApps/${n}`, `${appId} is required, and refused by refusedApps: remove one.`)]
        : [],
    ),
    ...requiredConnectors.flatMap((address, n) =>
      refusedByAddress(settings, address)
        ? [
            issue(
              `requiredConnectors/${n}`,
              `${address} is required, and refused by refusedConnectors: remove one.`,
            ),
          ]
        : [],
    ),
  ];
}

/**
 * Checks settings against the store that would serve them: what would stop an app on every desktop although no administrator meant it is an error,
 * what has no effect yet a warning.
 */
export async function checkSettings(
  { listings, versions, accessRules }: CheckDeps,
  settings: ManagedSettings,
): Promise<{ issues: Issue[]; warnings: string[] }> {
  const {
    requiredApps = [],
    minimumVersions = {},
    refusedPermissions = [],
    installUpdates,
    updateHours,
  } = settings;
  const issues = contradictions(settings);
  const warnings: string[] = [];
  const named = [...new Set([...requiredApps, ...Object.keys(minimumVersions)])];
  const listed = new Map((await listings.findAll(named)).map((app) => [app.appId, app]));
  for (const appId of named.filter((id) => !listed.has(id)))
    warnings.push(`This store lists no app ${appId}: desktops install it once it is published.`);
  for (const [appId, oldest] of Object.entries(minimumVersions)) {
    const newest = listed.get(appId)?.version;
    if (newest !== undefined && compareVersions(newest, oldest) < 0)
      issues.push(
        issue(
          `minimumVersions/${appId}`,
          `The newest published version of ${appId} is ${newest}: no desktop could use the app. To stop it, name it in refusedApps.`,
        ),
      );
  }
  const required = requiredApps.flatMap((appId) => listed.get(appId) ?? []);
  for (const { appId, manifest } of await versions.findAll(required)) {
    const refused = (manifest.grants ?? []).find((grant) => refusedPermissions.includes(grant));
    if (refused)
      issues.push(
        issue(
          `requiredApps/${requiredApps.indexOf(appId)}`,
          `${appId} needs ${refused}, which refusedPermissions refuses.`,
        ),
      );
  }
  if (settings.memberHours !== undefined && accessRules.now().read !== 'members')
    issues.push(
      issue(
        'memberHours',
        'This store is public: only a store that members alone may read can tell who has left.',
      ),
    );
  if (installUpdates === false && updateHours)
    warnings.push('updateHours has no effect: installUpdates leaves updates to a button.');
  return { issues, warnings };
}
