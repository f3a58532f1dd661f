import type { InstalledApp, Runtime } from '@svc/runtime';
import { typeOfFile } from '@svc/runtime/parts';
import { LRUCache } from 'lru-cache';
import { notFound } from './exchange.ts';

/** Most cached images, because reading one reads a whole bundle. */
const MAX_CACHED = 64;

/** Allowed image types. */
const TYPES = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/svg+xml']);

export type Picture = { type: string; bytes: Uint8Array };

/** SVG is text and is detected by its name. `sendBytes` disables its scripts. */
const typeOf = async (path: string, bytes: Uint8Array): Promise<string> =>
  /\.svg$/i.test(path) ? 'image/svg+xml' : typeOfFile(bytes, path);

const noPicture = () => notFound('Image not found.');

/** @throws HttpError 404 for anything but an image */
async function asPicture(path: string, bytes: Uint8Array | null | undefined): Promise<Picture> {
  const type = bytes && (await typeOf(path, bytes));
  if (!bytes || !type || !TYPES.has(type)) throw noPicture();
  return { type, bytes };
}

/** Reads images of installed apps, and of verified bundles that a consent card shows. */
export function createPictures(library: Pick<Runtime['library'], 'get' | 'files' | 'bundleFile'>) {
  const cache = new LRUCache<string, Picture>({ max: MAX_CACHED });

  async function cached(key: string, read: () => Promise<Picture>): Promise<Picture> {
    const picture = cache.get(key) ?? (await read());
    cache.set(key, picture);
    return picture;
  }

  async function brandingIn({ appId, manifest }: InstalledApp, which: 'icon' | 'mark'): Promise<Picture> {
    const path = manifest.branding?.[which];
    if (path === undefined) throw noPicture();
    return asPicture(path, (await library.files(appId)).get(path));
  }

  return {
    /** The icon or the mark of an installed app. */
    async brandingOf(appId: string, which: 'icon' | 'mark'): Promise<Picture> {
      const app = library.get(appId);
      if (!app) throw notFound('App not found.');
      const read = () => brandingIn(app, which);
      // A folder under development changes without a new version.
      return app.source.kind === 'store' ? cached(`${app.source.sha256} ${which}`, read) : read();
    },
    /** An image in a bundle, by the bundle's hash and path. */
    pictureIn: (sha256: string, path: string): Promise<Picture> =>
      cached(`${sha256}/${path}`, async () => asPicture(path, await library.bundleFile(sha256, path))),
  };
}
