import * as versions from '../records/versions.ts';
import { Version } from './parts.ts';
import type { Route } from './route.ts';

/** What developers do with versions. */
export const publishingRoutes = {
  publish: {
    method: 'post',
    path: '/api/apps/publish',
    tag: 'Publishing',
    summary: 'Upload a bundle.',
    auth: 'developer',
    rawBody: 'application/zip',
    success: { status: 201, body: versions.PublishResult },
    headers: {
      'RateLimit-Policy': 'How many uploads a developer has in how many seconds.',
      RateLimit: 'How many of them are left, and when there are more.',
    },
    errors: [
      'empty_body',
      'invalid_bundle',
      'not_a_member',
      'publisher_suspended',
      'app_suspended',
      'unknown_publisher',
      'id_taken',
      'version_not_greater',
      'upload_too_slow',
      'bundle_too_large',
      'unsupported_media_type',
      'validation_failed',
      'rate_limited',
    ],
  },
  versionStatus: {
    method: 'get',
    path: '/api/apps/:appId/versions/:version/status',
    tag: 'Publishing',
    summary: 'How an uploaded version fares; as a page where `Accept` prefers one, as browsers do.',
    auth: 'none',
    pageToo: true,
    params: Version,
    success: { status: 200, body: versions.VersionStatus },
    errors: ['not_found'],
  },
  yank: {
    method: 'post',
    path: '/api/apps/:appId/versions/:version/yank',
    tag: 'Publishing',
    summary: 'Withdraw a published version.',
    auth: 'developer',
    params: Version,
    body: versions.Yank,
    success: { status: 200, body: versions.VersionStatus },
    errors: ['not_found', 'not_a_member', 'already_handled'],
  },
  withdraw: {
    method: 'post',
    path: '/api/apps/:appId/versions/:version/withdraw',
    tag: 'Publishing',
    summary: 'Take back a version that waits for a person.',
    auth: 'developer',
    params: Version,
    success: { status: 200, body: versions.VersionStatus },
    errors: ['not_found', 'not_a_member', 'already_handled'],
  },
} as const satisfies Record<string, Route>;
