import { type InstalledApp, type Runtime, sniffType } from '@svc/runtime';
import { notFound } from './exchange.ts';

/** Icons that are kept at hand, as finding one reads a whole bundle. */
const MOST_KEPT = 64;

/** What an icon may be; anything else is no picture. */
const PICTURES = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/svg+xml']);

export type Picture = { type: string; bytes: Uint8Array };

/** SVG is text, and is found by its name; what it may do is for who serves it to say. */
const typeOf = (path: string, bytes: Uint8Array): string =>
  /\.svg$/i.test(path) ? 'image/svg+xml' : sniffType(bytes, path);

/** Finds the icons of the apps on this machine. */
export function createIcons(library: Pick<Runtime['library'], 'get' | 'files'>) {
  const kept = new Map<string, Picture>();

  async function read({ appId, manifest }: InstalledApp): Promise<Picture> {
    const path = manifest.branding?.icon;
    const bytes = path === undefined ? undefined : (await library.files(appId)).get(path);
    if (path === undefined || !bytes) throw notFound('The app has no icon.');
    const type = typeOf(path, bytes);
    if (!PICTURES.has(type)) throw notFound('The app has no icon.');
    return { type, bytes };
  }

  return async (appId: string): Promise<Picture> => {
    const app = library.get(appId);
    if (!app) throw notFound('There is no such app here.');
    // A folder under development changes without another version.
    if (app.source.kind !== 'store') return read(app);
    const key = app.source.sha256;
    const icon = kept.get(key) ?? (await read(app));
    kept.set(key, icon);
    const [oldest] = kept.keys();
    if (oldest !== undefined && kept.size > MOST_KEPT) kept.delete(oldest);
    return icon;
  };
}
