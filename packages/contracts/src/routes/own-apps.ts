import { z } from 'zod';
import { PermissionDiff } from '../records/footprint.ts';
import * as own from '../records/own-apps.ts';
import { App, PublisherParam, Version } from './parts.ts';
import type { Route } from './route.ts';

/** What those who act for a publisher read of its apps. Others are told that there is none. */
export const ownAppsRoutes = {
  ownApps: {
    method: 'get',
    path: '/api/publishers/:slug/apps',
    tag: 'Publishers',
    summary: 'The apps of a publisher you act for, and how they stand.',
    auth: 'person',
    params: PublisherParam,
    query: own.OwnPageQuery,
    success: { status: 200, body: own.OwnApps },
    errors: ['not_found'],
  },
  ownApp: {
    method: 'get',
    path: '/api/publishers/:slug/apps/:appId',
    tag: 'Publishers',
    summary: 'An app of a publisher you act for.',
    auth: 'person',
    params: PublisherParam.extend(App.shape),
    success: { status: 200, body: own.OwnApp },
    errors: ['not_found'],
  },
  ownVersions: {
    method: 'get',
    path: '/api/publishers/:slug/apps/:appId/versions',
    tag: 'Publishers',
    summary: 'Every uploaded version of such an app, in whatever state.',
    auth: 'person',
    params: PublisherParam.extend(App.shape),
    query: own.OwnPageQuery,
    success: { status: 200, body: own.OwnVersions },
    errors: ['not_found'],
  },
  ownVersion: {
    method: 'get',
    path: '/api/publishers/:slug/apps/:appId/versions/:version',
    tag: 'Publishers',
    summary: 'All about one of them: its way, findings, permissions and changelog.',
    auth: 'person',
    params: PublisherParam.extend(Version.shape),
    success: { status: 200, body: own.OwnVersionDetail },
    errors: ['not_found'],
  },
  ownPicture: {
    method: 'get',
    path: '/api/publishers/:slug/apps/:appId/versions/:version/pictures/:picture',
    tag: 'Publishers',
    summary: 'The icon or the mark of one of them, also before it is published.',
    auth: 'person',
    params: PublisherParam.extend(Version.shape).extend({ picture: z.enum(['icon', 'mark']) }),
    success: { status: 200, type: 'image/*' },
    errors: ['invalid_request', 'not_found'],
  },
  compareVersions: {
    method: 'get',
    path: '/api/publishers/:slug/apps/:appId/diff',
    tag: 'Publishers',
    summary: 'What one of its versions may do beyond another.',
    auth: 'person',
    params: PublisherParam.extend(App.shape),
    query: own.Comparison,
    success: { status: 200, body: PermissionDiff },
    errors: ['not_found'],
  },
} as const satisfies Record<string, Route>;
