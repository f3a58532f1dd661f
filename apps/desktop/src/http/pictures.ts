import type { AppPicture, Runtime } from '@svc/runtime';
import { LRUCache } from 'lru-cache';
import { notFound } from './exchange.ts';

/** Most cached images, because reading one reads a whole bundle. */
const MAX_CACHED = 64;

/** Reads images of installed apps, and of verified bundles that a consent card shows. All are bitmaps; pages show a letter for a 404. */
export function createPictures({ library, pictures }: Pick<Runtime, 'library' | 'pictures'>) {
  const cache = new LRUCache<string, AppPicture>({ max: MAX_CACHED });

  async function read(key: string | null, picture: () => Promise<AppPicture | null>): Promise<AppPicture> {
    const found = (key !== null && cache.get(key)) || (await picture());
    if (!found) throw notFound('Image not found.');
    if (key !== null) cache.set(key, found);
    return found;
  }

  return {
    /** The icon or the mark of an installed app. */
    brandingOf(appId: string, which: 'icon' | 'mark'): Promise<AppPicture> {
      const source = library.get(appId)?.source;
      // A folder under development changes without a new version.
      const key = source?.kind === 'store' ? `${source.sha256} ${which}` : null;
      return read(key, () => pictures.branding(appId, which));
    },
    /** An image in a bundle, by the bundle's hash and path. */
    pictureIn: (sha256: string, path: string): Promise<AppPicture> =>
      read(`${sha256}/${path}`, () => pictures.inBundle(sha256, path)),
  };
}
