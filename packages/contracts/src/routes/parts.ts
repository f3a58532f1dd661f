import { z } from 'zod';
import { AppId, AppVersion, PublisherSlug } from '../records/common.ts';

/** Parameters of a path that names an app. */
export const App = z.object({ appId: AppId });

/** Parameters of a path that names a version. */
export const Version = z.object({ appId: AppId, version: AppVersion });

/** Parameters of a path that names a file of a version. */
export const File = Version.extend({ path: z.string().describe('Path of the file inside the bundle.') });

/** In which form a picture is asked for. */
export const Raster = z.object({
  raster: z
    .literal('')
    .optional()
    .describe('As the store drew it when it was published: a PNG of 1,024 pixels a side at most.'),
});

/** Parameters of a path that names a publisher. */
export const PublisherParam = z.object({ slug: PublisherSlug });

/** Parameters of a path that names a person who acts for a publisher. */
export const MemberParam = PublisherParam.extend({
  personId: z.string().min(1).describe('Id of the person.'),
});

/** Headers of an answer that may be kept. */
export const caching = {
  'Cache-Control': 'How long the answer may be kept.',
  ETag: 'Send it back as `If-None-Match` to learn cheaply that nothing changed.',
};

/** Headers of an answer of which a part can be asked for. */
export const ranges = {
  'Accept-Ranges':
    '`bytes`: send `Range: bytes=…`, with the ETag as `If-Range`, to go on where a download broke off.',
};

/** Headers of an answer that says how much of a rate is left. */
export const quotaHeaders = (what: string) => ({
  'RateLimit-Policy': `How many ${what} there may be in how many seconds.`,
  RateLimit: 'How many of them are left, and when there are more.',
});
