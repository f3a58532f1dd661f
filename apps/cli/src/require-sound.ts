import type { BundleEntries } from '@svc/bundle';
import type { Issue, Manifest } from '@svc/contracts';
import { hasErrors } from '@svc/validator';
import { asManifest } from '@svc/validator/as-manifest';
import { checkApp } from './check-app.ts';
import { checkForStore } from './check-for-store.ts';
import { usageError } from './failure.ts';
import type { LeftOut, OpenedApp } from './io/opened-app.ts';
import type { Terminal } from './io/terminal.ts';
import { findingsText } from './present/findings.ts';
import type { StoreClient } from './store-client.ts';

/** A bundle in which the store's checks find no error. */
export type SoundApp = {
  manifest: Manifest;
  bytes: Uint8Array;
  entries: BundleEntries;
  leftOut: LeftOut[];
  /** Warnings, shown already. */
  issues: Issue[];
};

/**
 * Checks an app as the store will, and shows what was found.
 * @param shown the PATH as the user wrote it
 * @param client of the store that it is for; null when that is any
 * @returns the app, or null when there are errors
 * @throws CommandError of wrong use for a manifest alone
 */
export async function requireSound(
  terminal: Terminal,
  shown: string,
  opened: OpenedApp,
  client: StoreClient | null,
): Promise<SoundApp | null> {
  if (opened.kind === 'manifest')
    throw usageError(`${shown} is a manifest alone: name the folder or the bundle.`);
  const { checked, localhost } = await checkForStore(client, (said) =>
    checkApp(opened, { mode: 'store', localhost: said }),
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
