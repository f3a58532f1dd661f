import type { Change, Manifest } from '@svc/contracts';
import { changesOf, footprintOf } from '@svc/permissions';
import { hasErrors } from '@svc/validator';
import { asManifest } from '@svc/validator/as-manifest';
import { checkBundle } from './check-app.ts';
import { failed, StoreError } from './failure.ts';
import type { StoreClient } from './store-client.ts';

/** The permission changes of publishing, computed locally. Only the store compares images. */
export type Preview = { baseVersion: string | null; changes: readonly Change[] };

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
  const baseVersion = await latestVersion(client, manifest.id);
  const after = footprintOf(manifest);
  if (baseVersion === null) return { baseVersion, changes: changesOf(null, after) };
  const { bytes } = await client.download({ appId: manifest.id, version: baseVersion });
  const published = await checkBundle(bytes, { mode: 'store', localhost: 'warn' });
  if (hasErrors(published.issues)) {
    throw failed(`The published version ${baseVersion} has errors, so the changes cannot be shown.`);
  }
  return { baseVersion, changes: changesOf(footprintOf(asManifest(published.manifest, 'warn')), after) };
}
