import type { BundleEntries } from '@svc/bundle';
import type { Issue, Manifest } from '@svc/contracts';
import { hasErrors, type Localhost } from '@svc/validator';
import { asManifest } from '@svc/validator/as-manifest';
import { type CheckedApp, checkApp } from './check-app.ts';
import { usageError } from './failure.ts';
import type { LeftOut, OpenedApp } from './io/opened-app.ts';
import { isLocalStore } from './io/store-settings.ts';
import type { Terminal } from './io/terminal.ts';
import { findingsText } from './present/findings.ts';
import type { StoreClient } from './store-client.ts';

/**
 * The store's rule for apps whose servers are on localhost. Only a store on this machine is asked; any other store refuses such apps.
 * A store that does not answer counts as refusing.
 */
async function localhostRule(client: Pick<StoreClient, 'baseUrl' | 'call'>): Promise<Localhost> {
  if (!isLocalStore(client.baseUrl)) return 'refuse';
  const { localApps } = await client.call('GET /api/store').catch(() => ({ localApps: false }));
  return localApps ? 'warn' : 'refuse';
}

/**
 * Checks an app as the store will. The store is contacted only when the app uses servers on localhost.
 * @param client null when the app is not meant for a particular store
 * @returns the result, and the rule that applied to servers on localhost
 */
export async function checkForStore(
  client: Pick<StoreClient, 'baseUrl' | 'call'> | null,
  check: (localhost: Localhost) => Promise<CheckedApp>,
): Promise<{ checked: CheckedApp; localhost: Localhost }> {
  const checked = await check('warn');
  const isLocal = checked.issues.some(({ code }) => code.endsWith('.localhost'));
  if (!isLocal) return { checked, localhost: 'refuse' };
  const localhost = client ? await localhostRule(client) : 'refuse';
  return { checked: localhost === 'warn' ? checked : await check(localhost), localhost };
}

/** An app without errors in the store's checks. */
export type ValidApp = {
  manifest: Manifest;
  bytes: Uint8Array;
  entries: BundleEntries;
  leftOut: LeftOut[];
  /** Warnings, already shown. */
  issues: Issue[];
};

/**
 * Checks an app as the store will, and shows the findings.
 * @param shown the PATH as the user wrote it
 * @param client client of the target store; null for no particular store
 * @returns the app, or null when there are errors
 * @throws CommandError with exit code 2 for a manifest alone
 */
export async function requireValidApp(
  terminal: Terminal,
  shown: string,
  opened: OpenedApp,
  client: StoreClient | null,
): Promise<ValidApp | null> {
  if (opened.kind === 'manifest')
    throw usageError(`${shown} is only a manifest. Name the folder of the app, or a bundle.`);
  const { checked, localhost } = await checkForStore(client, (rule) =>
    checkApp(opened, { mode: 'store', localhost: rule }),
  );
  const { issues, manifest, entries } = checked;
  if (issues.length > 0) terminal.out(findingsText(terminal, { shown, isManifest: false }, checked));
  if (!('bytes' in opened) || entries === undefined || hasErrors(issues)) return null;
  return {
    manifest: asManifest(manifest, localhost),
    bytes: opened.bytes,
    entries,
    leftOut: opened.leftOut,
    issues,
  };
}
