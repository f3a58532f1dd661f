import { createHash } from 'node:crypto';
import { readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import { makePrivateFolder, newPrivateFile } from '@svc/bundle/private-files';
import { typeOfFile } from '../files/file-type.ts';
import type { Media } from '../media/prepare.ts';
import { RuntimeError } from '../platform/runtime-error.ts';
import type { System } from '../platform/system.ts';
import type { Library } from './library.ts';

/** A picture of an app that a page can show: always a bitmap. */
export type AppPicture = { type: string; bytes: Uint8Array };

/** Pictures of apps. An SVG is drawn once, in the media process, and never given to a page. */
export type RuntimePictures = {
  /**
   * The icon or the mark of an app. Null where it has none, or where it cannot be drawn: show a letter.
   * @throws RuntimeError `not-installed`
   */
  branding(appId: string, which: 'icon' | 'mark'): Promise<AppPicture | null>;
  /** A picture of a stored bundle by its hash and path, also of a bundle that waits for the user's consent. */
  inBundle(sha256: string, file: string): Promise<AppPicture | null>;
};

/** Bitmaps that every browser shows. */
const BITMAPS = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif']);
/** Side of a drawing, in pixels: an icon on a screen with four times the density. */
const SIDE = 512;
/** Drawings that failed in this process and are not tried again, at most. */
const MAX_FAILED = 1_000;

/** Creates the reader of pictures. Drawings are kept in a folder by the hash of their source. */
export function createAppPictures({
  system,
  library,
  draw,
  folder,
}: {
  system: System;
  library: Library;
  draw: Media['draw'];
  folder: string;
}): RuntimePictures {
  const inProgress = new Map<string, Promise<Uint8Array | null>>();
  const failed = new Set<string>();

  async function keep(file: string, png: Uint8Array): Promise<void> {
    makePrivateFolder(folder);
    const draft = `${file}.${Buffer.from(system.randomBytes(6)).toString('hex')}`;
    const handle = await newPrivateFile(draft);
    await handle.writeFile(png).finally(() => handle.close());
    await rename(draft, file);
  }

  async function drawNew(sha256: string, source: Uint8Array): Promise<Uint8Array | null> {
    const file = path.join(folder, `${sha256}.png`);
    const kept = await readFile(file).catch(() => null);
    if (kept) return kept;
    try {
      const png = await draw(source, SIDE, new AbortController().signal);
      // A drawing that cannot be kept is drawn again.
      await keep(file, png).catch(() => undefined);
      return png;
    } catch (error) {
      if (!(error instanceof RuntimeError)) throw error;
      if (failed.size < MAX_FAILED) failed.add(sha256);
      return null;
    }
  }

  /** Concurrent requests for the same drawing share it. */
  function drawn(source: Uint8Array): Promise<Uint8Array | null> {
    const sha256 = createHash('sha256').update(source).digest('hex');
    if (failed.has(sha256)) return Promise.resolve(null);
    const drawing =
      inProgress.get(sha256) ?? drawNew(sha256, source).finally(() => inProgress.delete(sha256));
    inProgress.set(sha256, drawing);
    return drawing;
  }

  async function asPicture(bytes: Uint8Array | null | undefined, file: string): Promise<AppPicture | null> {
    if (!bytes) return null;
    const type = await typeOfFile(bytes, file);
    if (BITMAPS.has(type)) return { type, bytes };
    const png = type === 'image/svg+xml' ? await drawn(bytes) : null;
    return png && { type: 'image/png', bytes: png };
  }

  return {
    async branding(appId, which) {
      const file = library.get(appId)?.manifest.branding?.[which];
      return file === undefined ? null : asPicture((await library.files(appId)).get(file), file);
    },
    inBundle: async (sha256, file) => asPicture(await library.bundleFile(sha256, file), file),
  };
}
