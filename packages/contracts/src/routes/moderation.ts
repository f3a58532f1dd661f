import * as conversation from '../records/conversation.ts';
import * as moderation from '../records/moderation.ts';
import * as served from '../records/served-tools.ts';
import * as versions from '../records/versions.ts';
import { Raster, route } from './route.ts';

/** Routes for moderators. */
export const moderationRoutes = {
  moderationQueue: route.moderation('moderator GET /api/moderation/queue', {
    summary: 'List the versions in review: oldest first, superseded ones last.',
    query: moderation.QueueQuery,
    success: { status: 200, body: moderation.ModerationQueue },
  }),
  serverDrifts: route.moderation('moderator GET /api/moderation/drift', {
    summary:
      'List the apps whose servers list other tools than those that were reviewed, so that a person must decide.',
    success: { status: 200, body: served.ServerDrifts },
  }),
  acceptDrift: route.moderation('moderator POST /api/moderation/apps/:appId/drift/accept', {
    summary:
      'Accept the tools that the server of an app lists now. To refuse them, yank the version or suspend the app.',
    effects: ['publishes-again'],
    body: served.AcceptDrift,
    success: { status: 200, body: served.ServerDrifts },
    errors: ['not_found', 'already_handled'],
  }),
  cannedReasons: route.moderation('moderator GET /api/moderation/reasons', {
    summary: 'List the canned reasons for rejections.',
    success: { status: 200, body: moderation.CannedReasons },
  }),
  moderators: route.moderation('moderator GET /api/moderation/moderators', {
    summary: 'List the moderators, to show names for locks and decisions.',
    success: { status: 200, body: moderation.Moderators },
  }),
  review: route.moderation('moderator GET /api/moderation/apps/:appId/versions/:version', {
    summary: 'Get everything that a reviewer needs about an uploaded version, in any state.',
    success: { status: 200, body: moderation.Review },
  }),
  lockReview: route.moderation('moderator POST /api/moderation/apps/:appId/versions/:version/lock', {
    summary: 'Lock a version for 15 minutes while you review it, or renew the lock.',
    effects: ['writes'],
    body: moderation.LockRequest,
    optionalBody: true,
    success: { status: 200, body: moderation.LockState },
    errors: ['not_found', 'already_handled', 'locked'],
  }),
  unlockReview: route.moderation('moderator DELETE /api/moderation/apps/:appId/versions/:version/lock', {
    summary: 'Release the lock of a version. An administrator may release the lock of any moderator.',
    effects: ['writes'],
    query: moderation.UnlockQuery,
    success: { status: 200, body: moderation.LockState },
    errors: ['not_found', 'already_handled', 'locked'],
  }),
  assignReview: route.moderation('moderator PUT /api/moderation/apps/:appId/versions/:version/assignment', {
    summary: 'Assign a version in review to a moderator, or to none.',
    effects: ['writes'],
    body: moderation.AssignmentRequest,
    success: { status: 200, body: moderation.Assignment },
    errors: ['not_found', 'already_handled'],
  }),
  reviewConversation: route.moderation(
    'moderator GET /api/moderation/apps/:appId/versions/:version/messages',
    {
      summary: 'List the messages between moderators and the publisher about a version.',
      success: { status: 200, body: conversation.Conversation },
    },
  ),
  writeReviewMessage: route.moderation(
    'moderator POST /api/moderation/apps/:appId/versions/:version/messages',
    {
      summary: 'Write to the publisher about a version in review, and optionally request changes.',
      effects: ['writes'],
      body: conversation.ModeratorMessage,
      success: { status: 201, body: conversation.Conversation },
      errors: ['not_found', 'already_handled', 'locked', 'limit_reached'],
    },
  ),
  reviewBundle: route.moderation('moderator GET /api/moderation/apps/:appId/versions/:version/bundle', {
    summary: 'Download the zip of an uploaded version, in any state.',
    success: { status: 200, type: 'application/zip' },
    headers: { 'X-Svc-Sha256': 'SHA-256 of the zip, in hex.' },
  }),
  reviewPanel: route.moderation('moderator GET /api/moderation/apps/:appId/versions/:version/panels/:panel', {
    summary:
      'Get a panel of an uploaded version as one page, in a sandbox without an origin, in which it connects to nothing.',
    errors: ['not_found', 'bundle_too_large'],
  }),
  reviewIcon: route.moderation('moderator GET /api/moderation/apps/:appId/versions/:version/icon', {
    summary: 'Get the icon of an uploaded version as the store draws it, in any state.',
    success: { status: 200, type: 'image/*' },
  }),
  reviewPicture: route.moderation(
    'moderator GET /api/moderation/apps/:appId/versions/:version/files/:path{.+}',
    {
      summary: 'Download an image that the branding of an uploaded version refers to, in any state.',
      query: Raster,
      success: { status: 200, type: 'image/*' },
    },
  ),
  approve: route.moderation('moderator POST /api/moderation/apps/:appId/versions/:version/approve', {
    summary: 'Approve a version: the store signs and publishes it.',
    effects: ['decides'],
    body: moderation.Approval,
    optionalBody: true,
    success: { status: 200, body: versions.VersionStatus },
    errors: ['not_found', 'already_handled', 'locked', 'validation_failed', 'app_suspended'],
  }),
  reject: route.moderation('moderator POST /api/moderation/apps/:appId/versions/:version/reject', {
    summary: 'Reject a version, with the reason.',
    effects: ['decides'],
    body: moderation.Rejection,
    success: { status: 200, body: versions.VersionStatus },
    errors: ['not_found', 'already_handled', 'locked', 'app_suspended'],
  }),
};
