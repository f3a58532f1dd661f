import { LIMITS } from '../limits.ts';
import * as conversation from '../records/conversation.ts';
import * as served from '../records/served-tools.ts';
import * as versions from '../records/versions.ts';
import { caching, route } from './route.ts';

/** Routes for developers to publish and yank versions. */
export const publishingRoutes = {
  publish: route.publishing('developer POST /api/apps/publish', {
    summary: 'Upload a bundle.',
    effects: ['submits'],
    query: versions.PublishQuery,
    rawBody: 'application/zip',
    success: { status: 201, body: versions.PublishResult },
    headers: {
      'RateLimit-Policy': 'The limit on uploads of one developer, and its window in seconds.',
      RateLimit: 'How many remain in the window, and when it resets.',
    },
    errors: [
      'empty_body',
      'invalid_bundle',
      'invalid_attestation',
      'not_a_member',
      'publisher_suspended',
      'app_suspended',
      'unknown_publisher',
      'id_taken',
      'version_not_greater',
      'storage_full',
      'upload_too_slow',
      'bundle_too_large',
      'unsupported_media_type',
      'validation_failed',
      'rate_limited',
    ],
  }),
  versionStatus: route.publishing('members GET /api/apps/:appId/versions/:version/status', {
    summary: 'Get the status of an uploaded version; as a page if `Accept` prefers HTML.',
    pageToo: true,
    success: { status: 200, body: versions.VersionStatus },
  }),
  recordTools: route.publishing('developer PUT /api/apps/:appId/versions/:version/served-tools', {
    summary:
      'Record which tools the server of a version in review has, as `tools/list` returns them, under the rules of an upload. The moderator sees them; the first record stays.',
    effects: ['submits'],
    body: served.ServedList,
    maxBody: LIMITS.served.body,
    success: { status: 201, body: served.KeptTools },
    errors: ['not_found', 'not_a_member', 'already_handled', 'publisher_suspended', 'app_suspended'],
  }),
  toolRecord: route.catalogue('members GET /api/apps/:appId/versions/:version/tools', {
    summary: 'Get the signed record of the tools that the server of a published version had.',
    query: served.ToolRecordQuery,
    success: { status: 200, body: served.ToolRecord },
    headers: { 'Cache-Control': caching['Cache-Control'] },
  }),
  reviewClock: route.publishing('members GET /api/review-clock', {
    summary: 'Say how long reviews take, and how many versions wait; as a page if `Accept` prefers HTML.',
    pageToo: true,
    success: { status: 200, body: versions.ReviewClock },
    headers: { 'Cache-Control': caching['Cache-Control'] },
  }),
  yank: route.publishing('developer POST /api/apps/:appId/versions/:version/yank', {
    summary: 'Yank a published version.',
    effects: ['ends-for-many'],
    body: versions.Yank,
    success: { status: 200, body: versions.VersionStatus },
    errors: ['not_found', 'not_a_member', 'already_handled', 'rate_limited'],
  }),
  conversation: route.publishing('developer GET /api/apps/:appId/versions/:version/messages', {
    summary: 'List the messages between moderators and your publisher about a version.',
    success: { status: 200, body: conversation.Conversation },
    errors: ['not_found', 'not_a_member'],
  }),
  writeMessage: route.publishing('developer POST /api/apps/:appId/versions/:version/messages', {
    summary: 'Write to the moderators about a version in review. It answers an open request for changes.',
    effects: ['writes'],
    body: conversation.PublisherMessage,
    success: { status: 201, body: conversation.Conversation },
    errors: ['not_found', 'not_a_member', 'already_handled', 'limit_reached'],
  }),
  confirmVersion: route.publishing('person POST /api/apps/:appId/versions/:version/confirm', {
    summary: 'Confirm a version of your publisher that waits for it. It is then published, or reviewed.',
    effects: ['publishes-again'],
    provenAddress: true,
    body: versions.Confirmation,
    success: { status: 200, body: versions.VersionStatus },
    errors: ['not_found', 'not_a_member', 'publisher_suspended', 'app_suspended', 'already_handled'],
  }),
  retractVersion: route.publishing('developer POST /api/apps/:appId/versions/:version/withdraw', {
    summary: 'Retract a version in review.',
    effects: ['writes'],
    success: { status: 200, body: versions.VersionStatus },
    errors: ['not_found', 'not_a_member', 'already_handled'],
  }),
};
