import { AppId } from '../records/common.ts';
import * as installs from '../records/installs.ts';
import { PublisherParam } from './parts.ts';
import { route } from './route.ts';

/** Install statistics for publishers. */
export const installsRoutes = {
  installChart: route.publishers('GET /api/publishers/:slug/apps/:appId/installs', {
    summary: 'Get the installs of an app of your publisher, by day and version.',
    auth: 'person',
    params: PublisherParam.extend({ appId: AppId }),
    query: installs.InstallsQuery,
    success: { status: 200, body: installs.InstallChart },
    errors: ['not_found'],
  }),
};
