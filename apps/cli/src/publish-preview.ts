import type { Change, Manifest } from '@svc/contracts';
import { changesOf, footprintOf } from '@svc/permissions';
import { hasErrors } from '@svc/validator';
import { asManifest } from '@svc/validator/as-manifest';
import { checkBundle } from './check-app.ts';
import { failed, StoreError } from './failure.ts';
import type { StoreClient } from './store-client.ts';

/** The permission changes of publishing, computed locally. Only the store compares images. */
export type Preview = {
  baseVersion: string | null;
  changes: readonly Change[];
  /** Whether the store shows its apps only to members, and this caller is none: what is published is not known then. */
  unread: boolean;
};

/** The latest published version of an app, or null when none is published. */
async function latestVersion(client: StoreClient, appId: string): Promise<string | null> {
  try {
    return (await client.call('GET /api/apps/:appId', { params: { appId } })).version;
  } catch (error) {
    if (error instanceof StoreError && error.envelope.code === 'not_found') return null;
    throw error;
  }
}

/**
 * Compares an app with its latest published version, as the store will.
 * @throws CommandError when the published version cannot be read
 */
export async function previewOf(client: StoreClient, manifest: Manifest): Promise<Preview> {
  const after = footprintOf(manifest);
  let unread = false;
  const baseVersion = await latestVersion(client, manifest.id).catch((error: unknown) => {
    // A merge request from a fork has no token, and its check must not need one.
    if (!(error instanceof StoreError) || error.envelope.code !== 'unauthorized') throw error;
    unread = true;
    return null;
  });
  if (baseVersion === null) return { baseVersion, changes: changesOf(null, after), unread };
  const { bytes } = await client.download({ appId: manifest.id, version: baseVersion });
  const published = await checkBundle(bytes, { mode: 'store', localhost: 'warn' });
  if (hasErrors(published.issues)) {
    throw failed(`The published version ${baseVersion} has errors, so the changes cannot be shown.`);
  }
  return {
    baseVersion,
    changes: changesOf(footprintOf(asManifest(published.manifest, 'warn')), after),
    unread,
  };
}
