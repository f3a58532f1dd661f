import { z } from 'zod';
import { PermissionDiff } from '../records/footprint.ts';
import * as own from '../records/own-apps.ts';
import { App, PublisherParam, Version } from './parts.ts';
import { route } from './route.ts';

/** Apps of a publisher, for its members. For other users they do not exist (404). */
export const ownAppsRoutes = {
  ownApps: route.publishers('GET /api/publishers/:slug/apps', {
    summary: 'List the apps of your publisher with the state of their versions.',
    auth: 'person',
    params: PublisherParam,
    query: own.OwnPageQuery,
    success: { status: 200, body: own.OwnApps },
    errors: ['not_found'],
  }),
  ownApp: route.publishers('GET /api/publishers/:slug/apps/:appId', {
    summary: 'Get an app of your publisher.',
    auth: 'person',
    params: PublisherParam.extend(App.shape),
    success: { status: 200, body: own.OwnApp },
    errors: ['not_found'],
  }),
  ownVersions: route.publishers('GET /api/publishers/:slug/apps/:appId/versions', {
    summary: 'List all uploaded versions of an app of your publisher, in any state.',
    auth: 'person',
    params: PublisherParam.extend(App.shape),
    query: own.OwnPageQuery,
    success: { status: 200, body: own.OwnVersions },
    errors: ['not_found'],
  }),
  ownVersion: route.publishers('GET /api/publishers/:slug/apps/:appId/versions/:version', {
    summary: 'Get an uploaded version: its history, findings, permissions and changelog.',
    auth: 'person',
    params: PublisherParam.extend(Version.shape),
    success: { status: 200, body: own.OwnVersionDetail },
    errors: ['not_found'],
  }),
  ownPicture: route.publishers('GET /api/publishers/:slug/apps/:appId/versions/:version/pictures/:picture', {
    summary: 'Download the icon or the mark of an uploaded version, in any state.',
    auth: 'person',
    params: PublisherParam.extend(Version.shape).extend({ picture: z.enum(['icon', 'mark']) }),
    success: { status: 200, type: 'image/*' },
    errors: ['invalid_request', 'not_found'],
  }),
  compareVersions: route.publishers('GET /api/publishers/:slug/apps/:appId/diff', {
    summary: 'Compare the permissions of two versions.',
    auth: 'person',
    params: PublisherParam.extend(App.shape),
    query: own.Comparison,
    success: { status: 200, body: PermissionDiff },
    errors: ['not_found'],
  }),
};
