import { z } from 'zod';
import { AppId, AppVersion, PublisherSlug } from '../records/common.ts';

/** Parameters that mean the same in every path, by their name: a route declares the others of its path as `params`. */
export const PATH_PARAMS = {
  appId: AppId,
  version: AppVersion,
  path: z.string().describe('Path of the file inside the bundle.'),
  slug: PublisherSlug,
  personId: z.string().min(1).describe('Id of the user.'),
  panel: z.string().describe('Id of the panel in the manifest.'),
  picture: z.enum(['icon', 'mark']),
  place: z.string().describe('Path of the page.'),
};

/** Query of an image. */
export const Raster = z.object({
  raster: z
    .enum(['', '192', '1280'])
    .optional()
    .describe(
      'Returns the image as the store rendered it at publication: empty for a PNG with sides of at most 1,024 pixels, or a number for a WebP with sides of at most that many.',
    ),
});

/** Path parameters of a user. */
export const PersonParam = z.object({ id: PATH_PARAMS.personId });

/** Headers of a cacheable response. */
export const caching = {
  'Cache-Control': 'How long the response may be cached.',
  ETag: 'Send it as `If-None-Match` to revalidate a cached response.',
};

/** Headers of a response that supports ranges. */
export const ranges = {
  'Accept-Ranges': '`bytes`: to resume a download, send `Range: bytes=…` with the ETag as `If-Range`.',
};

/** Headers of a response of a rate-limited route. */
export const quotaHeaders = (what: string) => ({
  'RateLimit-Policy': `The limit on ${what}, and its window in seconds.`,
  RateLimit: 'How many remain in the window, and when it resets.',
});
