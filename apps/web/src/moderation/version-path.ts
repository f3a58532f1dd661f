import { apiRequest } from '@svc/contracts/client';

type Ref = { appId: string; version: string };

/** The path of the review page of a version. */
export const pathOf = ({ appId, version }: Ref): string =>
  `/moderation/apps/${encodeURIComponent(appId)}/versions/${encodeURIComponent(version)}`;

/** The path of the icon of a version, as the store draws it. */
export const iconOf = ({ appId, version }: Ref): string =>
  apiRequest('GET /api/moderation/apps/:appId/versions/:version/icon', { params: { appId, version } }).path;

/** The path of a picture of a version, as the store draws it. */
export const picturePath = ({ appId, version }: Ref, path: string): string =>
  apiRequest('GET /api/moderation/apps/:appId/versions/:version/files/:path{.+}', {
    params: { appId, version, path },
    query: { raster: '' },
  }).path;
