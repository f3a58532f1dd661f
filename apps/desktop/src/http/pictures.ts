import type { InstalledApp, Runtime } from '@svc/runtime';
import { typeOfFile } from '@svc/runtime/parts';
import { LRUCache } from 'lru-cache';
import { notFound } from './exchange.ts';

/** Pictures that are kept in memory, as finding one reads a whole bundle. */
const MAX_KEPT = 64;

/** What a picture may be. */
const TYPES = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/svg+xml']);

export type Picture = { type: string; bytes: Uint8Array };

/** SVG is text, and is found by its name; what it may do is for who serves it to say. */
const typeOf = async (path: string, bytes: Uint8Array): Promise<string> =>
  /\.svg$/i.test(path) ? 'image/svg+xml' : typeOfFile(bytes, path);

const noPicture = () => notFound('There is no such picture.');

/** @throws HttpError 404 for what is no picture */
async function asPicture(path: string, bytes: Uint8Array | null | undefined): Promise<Picture> {
  const type = bytes && (await typeOf(path, bytes));
  if (!bytes || !type || !TYPES.has(type)) throw noPicture();
  return { type, bytes };
}

/** Finds the pictures of apps that are installed, and of verified bundles that the user is asked about. */
export function createPictures(library: Pick<Runtime['library'], 'get' | 'files' | 'bundleFile'>) {
  const kept = new LRUCache<string, Picture>({ max: MAX_KEPT });

  async function keep(key: string, read: () => Promise<Picture>): Promise<Picture> {
    const picture = kept.get(key) ?? (await read());
    kept.set(key, picture);
    return picture;
  }

  async function brandingIn({ appId, manifest }: InstalledApp, which: 'icon' | 'mark'): Promise<Picture> {
    const path = manifest.branding?.[which];
    if (path === undefined) throw noPicture();
    return asPicture(path, (await library.files(appId)).get(path));
  }

  return {
    /** The icon or the mark of an app that is installed. */
    async brandingOf(appId: string, which: 'icon' | 'mark'): Promise<Picture> {
      const app = library.get(appId);
      if (!app) throw notFound('There is no such app here.');
      const read = () => brandingIn(app, which);
      // A folder under development changes without another version.
      return app.source.kind === 'store' ? keep(`${app.source.sha256} ${which}`, read) : read();
    },
    /** A picture of a bundle, by the hash of the bundle and its path there. */
    pictureIn: (sha256: string, path: string): Promise<Picture> =>
      keep(`${sha256}/${path}`, async () => asPicture(path, await library.bundleFile(sha256, path))),
  };
}
