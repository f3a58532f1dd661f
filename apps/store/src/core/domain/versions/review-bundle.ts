import { readBundle } from '@svc/bundle';
import { DEFAULT_PANEL_ENTRY } from '@svc/contracts/vocabulary';
import { ApiError } from '../../../platform/api-error.ts';
import { type BlobStore, openStored } from '../../../platform/blob-store.ts';
import type { VersionRef } from './version-record.ts';
import { requireVersion } from './version-status.ts';
import type { VersionStore } from './version-store.ts';

/**
 * Opens the zip of an uploaded version in any state, for the moderator who reviews it.
 * @throws ApiError not_found
 */
export async function openForReview(deps: { versions: VersionStore; blobs: BlobStore }, ref: VersionRef) {
  const record = await requireVersion(deps.versions, ref);
  return { record, blob: await openStored(deps.blobs, record.sha256) };
}

/** Scripts of a panel up to this size in bytes are put into one page: more would delay the requests of others. */
const MAX_SCRIPTS = 1024 * 1024;

const isScript = (path: string): boolean => /\.m?js$/i.test(path);

/**
 * Writes a panel of an uploaded version, in any state, into one page that connects to nothing: its publisher does not learn that it is
 * being reviewed, and by whom.
 * @throws ApiError not_found, bundle_too_large
 */
export async function panelForReview(
  deps: { versions: VersionStore; blobs: BlobStore },
  ref: VersionRef,
  id: string,
): Promise<string> {
  const { record, blob } = await openForReview(deps, ref);
  const panel = record.manifest.contributes.panels?.find((one) => one.id === id);
  if (!panel) throw new ApiError('not_found', 'This version has no panel with this id.');
  const bundle = readBundle(new Uint8Array(await new Response(blob.stream()).arrayBuffer()));
  if (!bundle.ok) throw new Error('The bundle of an uploaded version cannot be read.');
  const files = new Map([...bundle.entries].filter(([path]) => /^(?:ui|assets)\//.test(path)));
  const bytes = [...files].reduce((sum, [path, file]) => sum + (isScript(path) ? file.byteLength : 0), 0);
  if (bytes > MAX_SCRIPTS)
    throw new ApiError(
      'bundle_too_large',
      'The scripts of this panel are too large to run here: install the app.',
    );
  const entry = panel.config?.entry ?? DEFAULT_PANEL_ENTRY;
  // Loaded on demand: it parses scripts.
  const { closedPolicy, oneDocument } = await import('@svc/runtime/panel-document');
  try {
    return oneDocument({ app: record, entry, files }, { tool: 'review', key: '' }, closedPolicy);
  } catch (error) {
    throw new ApiError('not_found', `This panel cannot run here: ${(error as Error).message}`);
  }
}

/**
 * Opens a picture that the branding of an uploaded version names, in any state.
 * @throws ApiError not_found
 */
export async function openPictureForReview(
  deps: { versions: VersionStore; blobs: BlobStore },
  ref: VersionRef,
  path: string,
) {
  const { files } = await requireVersion(deps.versions, ref);
  const file = files.find((candidate) => candidate.path === path);
  const blob = file && (await deps.blobs.open(file.sha256));
  if (!blob) {
    throw new ApiError('not_found', 'Only the icon, the mark and the screenshots of a version are served.');
  }
  return { file, blob };
}
