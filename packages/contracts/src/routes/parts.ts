import { z } from 'zod';
import { AppId, AppVersion, PublisherSlug } from '../records/common.ts';

/** Parameters of a path that names an app. */
export const App = z.object({ appId: AppId });

/** Parameters of a path that names a version. */
export const Version = z.object({ appId: AppId, version: AppVersion });

/** Parameters of a path that names a publisher. */
export const PublisherParam = z.object({ slug: PublisherSlug });

/** Parameters of a path that names somebody who acts for a publisher. */
export const MemberParam = PublisherParam.extend({
  personId: z.string().min(1).describe('Id of the person.'),
});

/** Headers of an answer that may be kept. */
export const caching = {
  'Cache-Control': 'How long the answer may be kept.',
  ETag: 'Send it back as `If-None-Match` to learn cheaply that nothing changed.',
};
