import { z } from 'zod';
import { AppId, AppVersion } from '../records/common.ts';

/** Parameters of a path that names an app. */
export const App = z.object({ appId: AppId });

/** Parameters of a path that names a version. */
export const Version = z.object({ appId: AppId, version: AppVersion });

/** Headers of an answer that may be kept. */
export const caching = {
  'Cache-Control': 'How long the answer may be kept.',
  ETag: 'Send it back as `If-None-Match` to learn cheaply that nothing changed.',
};
