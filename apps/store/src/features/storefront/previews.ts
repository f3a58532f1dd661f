import type { VersionRecord } from '../../domain/versions/version-store.ts';
import type { LinkPreview, Previews } from '../pictures/previews.ts';

/** Characters of the hash in the address of a preview. */
const SHOWN = 12;

/**
 * The address of a page's preview. It contains the hash, so that caches load a changed preview again.
 * @param page the path of the page; that of the preview is below it
 */
export const addressOfPreview = (page: string, { hash }: LinkPreview): string =>
  `${page === '/' ? '' : page}/preview.png?v=${hash.slice(0, SHOWN)}`;

export function previewOfApp(
  previews: Pick<Previews, 'ofApp'>,
  { appId, manifest, files }: VersionRecord,
  publisher: { name: string; slug: string },
): LinkPreview {
  const icon = files.find(({ path }) => path === manifest.branding.icon);
  if (!icon) throw new Error('The icon of a listed version is missing.');
  return previews.ofApp({ appId, name: manifest.name, icon }, publisher);
}
