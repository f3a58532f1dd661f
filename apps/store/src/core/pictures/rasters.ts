import { createHash } from 'node:crypto';
import type { Issue } from '@svc/contracts';
import { ApiError } from '../../platform/api-error.ts';
import { type BlobStore, openStored } from '../../platform/blob-store.ts';
import { createGate, type GateLimits, type Requester } from '../../platform/gate.ts';
import type { Drawing, PictureRenderer } from '../../platform/picture-renderer.ts';
import type { Parts } from '../domain/parts/parts.ts';
import type { Candidate } from '../domain/versions/inspect-bundle.ts';
import type { PublicFile } from '../domain/versions/version-record.ts';

/** A grey square of one pixel, shown instead of a picture that cannot be drawn. */
export const PLACEHOLDER: Uint8Array = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mO4CwAA3wDehPEKOwAAAABJRU5ErkJggg==',
  'base64',
);

/** Caches rasters by the hash of their source. They can be drawn again, so losing them does no harm. */
export interface RasterCache {
  get(sha256: string): Promise<Uint8Array | null>;
  put(sha256: string, png: Uint8Array): Promise<void>;
}

export type RasterDeps = Pick<Parts, 'blobs'> & {
  renderer: Pick<PictureRenderer, 'draw' | 'drawSmall'>;
  cache: RasterCache;
  /** How many rasters are drawn at the same time and how many wait, shared fairly among accounts and networks. */
  limits: GateLimits;
};

/**
 * The drawings of a picture: the PNG that other drawings are made from, or a WebP with sides of at most so many pixels. 192 is an icon of
 * 96 pixels on a screen with twice the density, 768 a screenshot on a phone of that density, 1280 one beside a list.
 */
export type RasterSize = '' | '192' | '768' | '1280';

/** The side of a logo, in pixels: link previews show it at 300. */
const LOGO_SIDE = 320;

/** The name of a drawing in the cache. */
const keyOf = (sha256: string, size: RasterSize): string =>
  size === '' ? sha256 : createHash('sha256').update(`${sha256} ${size}`).digest('hex');

/** Looks kept in memory; others are computed again. */
const MAX_LOOKS = 1_000;

/** The icon and the mark, which must be drawn: pages show them small and often. */
const brandingOf = ({ manifest: { branding }, pictures }: Candidate) =>
  (['icon', 'mark'] as const).flatMap((role) => {
    const picture = pictures.find(({ path }) => path === branding[role]);
    return picture === undefined ? [] : [{ role, picture }];
  });

const screenshotsOf = ({ manifest: { branding }, pictures }: Candidate) =>
  pictures.filter(({ path }) => branding.screenshots?.includes(path));

const issueOf = (role: 'icon' | 'mark', why: string): Issue => ({
  code: role === 'mark' ? 'branding.mark.svg' : 'branding.icon.type',
  level: 'error',
  path: `/branding/${role}`,
  message: `The ${role} cannot be shown: ${why}. Simplify it, or save it as a PNG for an icon or as plain SVG.`,
});

async function bytesOf(blobs: BlobStore, sha256: string): Promise<Uint8Array> {
  const blob = await openStored(blobs, sha256);
  return new Uint8Array(await new Response(blob.stream()).arrayBuffer());
}

/** Draws the pictures of apps as PNGs for the pages: each once, in a process with limits. */
export function createRasters({ renderer, cache, blobs, limits }: RasterDeps) {
  const gate = createGate(limits);
  /** Rasters being drawn. Concurrent requests for the same one share it. */
  const inProgress = new Map<string, Promise<Uint8Array>>();

  /** The looks of icons that were drawn lately. */
  const looks = new Map<string, string | null>();

  /** Keeps what pages show of a picture of a bundle. One that takes too much is tried again when it is asked for. */
  async function keepSmall(key: string, bytes: Uint8Array, side: number): Promise<void> {
    const drawing = await renderer.drawSmall(bytes, side);
    if (drawing.ok) await cache.put(key, drawing.png);
  }

  /** Draws a picture of a bundle, unless its raster is cached; and again where only its look is not known any more. */
  async function drawUploaded(
    role: 'icon' | 'mark',
    bytes: Uint8Array,
    requester: Requester,
  ): Promise<Drawing> {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const cached = await cache.get(sha256);
    const look = role === 'mark' ? null : looks.get(sha256);
    if (cached !== null && look !== undefined) return { ok: true, png: cached, look };
    const small = keyOf(sha256, '192');
    const drawing = await gate(async () => {
      const drawn = await renderer.draw(cached ?? bytes);
      if (drawn.ok && !(await cache.get(small))) await keepSmall(small, drawn.png, 192);
      return drawn;
    }, requester);
    if (!drawing.ok) return drawing;
    if (cached === null) await cache.put(sha256, drawing.png);
    if (looks.size >= MAX_LOOKS) looks.clear();
    looks.set(sha256, drawing.look);
    return drawing;
  }

  /** Draws the screenshots of a bundle as pages show them. They are bitmaps of limited size, and need not be drawable. */
  async function drawScreenshots(candidate: Candidate, requester: Requester): Promise<void> {
    for (const { bytes } of screenshotsOf(candidate)) {
      const key = keyOf(createHash('sha256').update(bytes).digest('hex'), '1280');
      if (!(await cache.get(key))) await gate(() => keepSmall(key, bytes, 1280), requester);
    }
  }

  /** Draws a published picture whose raster is not cached. A picture that cannot be drawn gives a placeholder. */
  async function drawPublished(sha256: string, size: RasterSize): Promise<Uint8Array> {
    const drawing = await gate(async () => {
      const bytes = await bytesOf(blobs, sha256);
      return size === '' ? renderer.draw(bytes) : renderer.drawSmall(bytes, Number(size));
    });
    const drawn = drawing.ok ? drawing.png : PLACEHOLDER;
    await cache.put(keyOf(sha256, size), drawn);
    return drawn;
  }

  return {
    /**
     * Draws the icon and the mark of a bundle before it is accepted.
     * @param requester the uploader: an account that uploads many bundles delays only itself
     * @returns the look of the icon, see `Drawing`
     * @throws ApiError validation_failed for a picture that takes too much time or memory; the errors of the gate
     */
    async requireDrawable(candidate: Candidate, requester: Requester): Promise<string | null> {
      const issues: Issue[] = [];
      let look: string | null = null;
      for (const { role, picture } of brandingOf(candidate)) {
        const drawing = await drawUploaded(role, picture.bytes, requester);
        if (!drawing.ok) issues.push(issueOf(role, drawing.why));
        else if (role === 'icon') look = drawing.look;
      }
      if (issues.length === 0) {
        await drawScreenshots(candidate, requester);
        return look;
      }
      throw new ApiError('validation_failed', 'The icon or the mark cannot be drawn: see issues.', {
        issues,
      });
    },

    /**
     * Draws the logo of the store as a square PNG.
     * @throws ApiError invalid_request for a picture that takes too much time or memory; the errors of the gate
     */
    async drawLogo(bytes: Uint8Array, requester: Requester): Promise<Uint8Array> {
      const drawing = await gate(() => renderer.draw(bytes, LOGO_SIDE), requester);
      if (drawing.ok) return drawing.png;
      throw new ApiError('invalid_request', `The logo cannot be shown: ${drawing.why}.`);
    },

    /** The raster of a picture of a version; a placeholder when it cannot be drawn. */
    async rasterOf({ sha256 }: PublicFile, size: RasterSize = ''): Promise<Uint8Array> {
      const key = keyOf(sha256, size);
      const cached = await cache.get(key);
      if (cached) return cached;
      const drawn = inProgress.get(key) ?? drawPublished(sha256, size).finally(() => inProgress.delete(key));
      inProgress.set(key, drawn);
      return drawn.catch(() => PLACEHOLDER);
    },
  };
}

export type Rasters = ReturnType<typeof createRasters>;
