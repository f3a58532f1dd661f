import type { VersionRecord } from '../domain/versions/version-store.ts';
import type { LinkPreview, Previews } from '../pictures/previews.ts';

/** Characters of a hash that tell one preview from another in its address. */
const SHOWN = 12;

/**
 * Where the preview of a page is. Who keeps pictures for long asks again once it shows something else.
 * @param page path of the page; that of the preview stands below it
 */
export const addressOfPreview = (page: string, { hash }: LinkPreview): string =>
  `${page === '/' ? '' : page}/preview.png?v=${hash.slice(0, SHOWN)}`;

/** The preview of an app as its listed version has it. */
export function previewOfApp(
  previews: Pick<Previews, 'ofApp'>,
  { appId, manifest, files }: VersionRecord,
  publisher: { name: string; slug: string },
): LinkPreview {
  const icon = files.find(({ path }) => path === manifest.branding.icon);
  if (!icon) throw new Error('A listed version has lost its icon.');
  return previews.ofApp({ appId, name: manifest.name, icon }, publisher);
}
