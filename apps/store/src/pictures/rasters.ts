import { createHash } from 'node:crypto';
import type { Issue } from '@svc/contracts';
import type { Candidate } from '../domain/versions/inspect-bundle.ts';
import type { PublicFile } from '../domain/versions/version-store.ts';
import { ApiError } from '../platform/api-error.ts';
import type { BlobStore } from '../platform/blob-store.ts';
import { createGate, type GateLimits, type Party } from '../platform/gate.ts';
import type { PictureRenderer } from '../platform/picture-renderer.ts';
import { PLACEHOLDER } from './placeholder.ts';

/** Where drawings are kept, by the hash of what they were drawn from. They can be drawn again, so nothing depends on them. */
export interface RasterCache {
  get(sha256: string): Promise<Uint8Array | null>;
  put(sha256: string, png: Uint8Array): Promise<void>;
}

export type RasterDeps = {
  renderer: Pick<PictureRenderer, 'draw'>;
  cache: RasterCache;
  blobs: BlobStore;
  /** How many drawings the renderer is asked for at once, and how many wait: shared among accounts and networks. */
  limits: GateLimits;
};

/** What the branding names and pages show small and often; screenshots are photographs of bounded size already. */
const brandingOf = ({ manifest: { branding }, pictures }: Candidate) =>
  (['icon', 'mark'] as const).flatMap((role) => {
    const picture = pictures.find(({ path }) => path === branding[role]);
    return picture === undefined ? [] : [{ role, picture }];
  });

const issueOf = (role: 'icon' | 'mark', why: string): Issue => ({
  // There is a code for what keeps an SVG from being shown; a PNG that does not draw is none that could be.
  code: role === 'mark' ? 'branding.mark.script' : 'branding.icon.type',
  level: 'error',
  path: `/branding/${role}`,
  message: `The ${role} cannot be shown: ${why}. Simplify it, or save it as a PNG for an icon or as plain SVG.`,
});

async function bytesOf(blobs: BlobStore, sha256: string): Promise<Uint8Array> {
  const blob = await blobs.open(sha256);
  if (!blob) throw new Error('A version has lost a picture.');
  return new Uint8Array(await new Response(blob.stream()).arrayBuffer());
}

/** The pictures of apps as pages show them: drawn once, by a process with limits, whatever the picture is made of. */
export function createRasters({ renderer, cache, blobs, limits }: RasterDeps) {
  const gate = createGate(limits);
  /** Those that are being drawn; who asks for the same one meanwhile waits for it. */
  const underWay = new Map<string, Promise<Uint8Array>>();

  /** Draws a picture that was published before it was drawn. Shows a placeholder for one that cannot be. */
  async function drawAgain(sha256: string): Promise<Uint8Array> {
    const drawing = await gate(async () => renderer.draw(await bytesOf(blobs, sha256)));
    const png = drawing.ok ? drawing.png : PLACEHOLDER;
    await cache.put(sha256, png);
    return png;
  }

  return {
    /**
     * Draws icon and mark of a bundle before it is taken.
     * @param party who sent the bundle: an account that sends many waits behind itself
     * @throws ApiError validation_failed for one that takes too much time or memory; those of the gate
     */
    async requireDrawable(candidate: Candidate, party: Party): Promise<void> {
      const issues: Issue[] = [];
      for (const { role, picture } of brandingOf(candidate)) {
        const sha256 = createHash('sha256').update(picture.bytes).digest('hex');
        if ((await cache.get(sha256)) !== null) continue;
        const drawing = await gate(() => renderer.draw(picture.bytes), party);
        if (drawing.ok) await cache.put(sha256, drawing.png);
        else issues.push(issueOf(role, drawing.why));
      }
      if (issues.length === 0) return;
      throw new ApiError('validation_failed', 'A picture of the branding cannot be drawn: see issues.', {
        issues,
      });
    },

    /** The raster of a picture that the branding of a version names; fails closed to a placeholder. */
    async rasterOf({ sha256 }: PublicFile): Promise<Uint8Array> {
      const kept = await cache.get(sha256);
      if (kept) return kept;
      const drawn = underWay.get(sha256) ?? drawAgain(sha256).finally(() => underWay.delete(sha256));
      underWay.set(sha256, drawn);
      return drawn.catch(() => PLACEHOLDER);
    },
  };
}

export type Rasters = ReturnType<typeof createRasters>;
