import { createHash } from 'node:crypto';
import type { Issue } from '@svc/contracts';
import type { Parts } from '../../domain/parts/parts.ts';
import type { Candidate } from '../../domain/versions/inspect-bundle.ts';
import type { PublicFile } from '../../domain/versions/version-store.ts';
import { ApiError } from '../../platform/api-error.ts';
import type { BlobStore } from '../../platform/blob-store.ts';
import { createGate, type GateLimits, type Requester } from '../../platform/gate.ts';
import type { Drawing, PictureRenderer } from '../../platform/picture-renderer.ts';
import { PLACEHOLDER } from './placeholder.ts';

/** Caches rasters by the hash of their source. They can be drawn again, so losing them does no harm. */
export interface RasterCache {
  get(sha256: string): Promise<Uint8Array | null>;
  put(sha256: string, png: Uint8Array): Promise<void>;
}

export type RasterDeps = Pick<Parts, 'blobs'> & {
  renderer: Pick<PictureRenderer, 'draw'>;
  cache: RasterCache;
  /** How many rasters are drawn at the same time and how many wait, shared fairly among accounts and networks. */
  limits: GateLimits;
};

/** Looks kept in memory; others are computed again. */
const MAX_LOOKS = 1_000;

/** The icon and the mark, which pages show small and often. Screenshots are bitmaps of limited size already. */
const brandingOf = ({ manifest: { branding }, pictures }: Candidate) =>
  (['icon', 'mark'] as const).flatMap((role) => {
    const picture = pictures.find(({ path }) => path === branding[role]);
    return picture === undefined ? [] : [{ role, picture }];
  });

const issueOf = (role: 'icon' | 'mark', why: string): Issue => ({
  code: role === 'mark' ? 'branding.mark.svg' : 'branding.icon.type',
  level: 'error',
  path: `/branding/${role}`,
  message: `The ${role} cannot be shown: ${why}. Simplify it, or save it as a PNG for an icon or as plain SVG.`,
});

async function bytesOf(blobs: BlobStore, sha256: string): Promise<Uint8Array> {
  const blob = await blobs.open(sha256);
  if (!blob) throw new Error('A picture of a version is missing.');
  return new Uint8Array(await new Response(blob.stream()).arrayBuffer());
}

/** Draws the pictures of apps as PNGs for the pages: each once, in a process with limits. */
export function createRasters({ renderer, cache, blobs, limits }: RasterDeps) {
  const gate = createGate(limits);
  /** Rasters being drawn. Concurrent requests for the same one share it. */
  const inProgress = new Map<string, Promise<Uint8Array>>();

  /** The looks of icons that were drawn lately. */
  const looks = new Map<string, string | null>();

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
    const drawing = await gate(() => renderer.draw(cached ?? bytes), requester);
    if (!drawing.ok) return drawing;
    if (cached === null) await cache.put(sha256, drawing.png);
    if (looks.size >= MAX_LOOKS) looks.clear();
    looks.set(sha256, drawing.look);
    return drawing;
  }

  /** Draws a published picture whose raster is not cached. A picture that cannot be drawn gives a placeholder. */
  async function drawPublished(sha256: string): Promise<Uint8Array> {
    const drawing = await gate(async () => renderer.draw(await bytesOf(blobs, sha256)));
    const png = drawing.ok ? drawing.png : PLACEHOLDER;
    await cache.put(sha256, png);
    return png;
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
      if (issues.length === 0) return look;
      throw new ApiError('validation_failed', 'The icon or the mark cannot be drawn: see issues.', {
        issues,
      });
    },

    /** The raster of a picture of a version; a placeholder when it cannot be drawn. */
    async rasterOf({ sha256 }: PublicFile): Promise<Uint8Array> {
      const cached = await cache.get(sha256);
      if (cached) return cached;
      const drawn = inProgress.get(sha256) ?? drawPublished(sha256).finally(() => inProgress.delete(sha256));
      inProgress.set(sha256, drawn);
      return drawn.catch(() => PLACEHOLDER);
    },
  };
}

export type Rasters = ReturnType<typeof createRasters>;
