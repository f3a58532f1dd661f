import { PermissionDiff } from '../records/footprint.ts';
import * as own from '../records/own-apps.ts';
import { route } from './route.ts';

/** Apps of a publisher, for its members. For other users they do not exist (404). */
export const ownAppsRoutes = {
  ownApps: route.publishers('person GET /api/publishers/:slug/apps', {
    summary: 'List the apps of your publisher with the state of their versions.',
    query: own.OwnPageQuery,
    success: { status: 200, body: own.OwnApps },
  }),
  ownApp: route.publishers('person GET /api/publishers/:slug/apps/:appId', {
    summary: 'Get an app of your publisher.',
    success: { status: 200, body: own.OwnApp },
  }),
  ownVersions: route.publishers('person GET /api/publishers/:slug/apps/:appId/versions', {
    summary: 'List all uploaded versions of an app of your publisher, in any state.',
    query: own.OwnPageQuery,
    success: { status: 200, body: own.OwnVersions },
  }),
  ownVersion: route.publishers('person GET /api/publishers/:slug/apps/:appId/versions/:version', {
    summary: 'Get an uploaded version: its history, findings, permissions and changelog.',
    success: { status: 200, body: own.OwnVersionDetail },
  }),
  ownPicture: route.publishers(
    'person GET /api/publishers/:slug/apps/:appId/versions/:version/pictures/:picture',
    {
      summary: 'Download the icon or the mark of an uploaded version, in any state.',
      success: { status: 200, type: 'image/*' },
      errors: ['invalid_request', 'not_found'],
    },
  ),
  compareVersions: route.publishers('person GET /api/publishers/:slug/apps/:appId/diff', {
    summary: 'Compare the permissions of two versions.',
    query: own.Comparison,
    success: { status: 200, body: PermissionDiff },
  }),
  ownAppLife: route.publishers('person GET /api/publishers/:slug/apps/:appId/life', {
    summary: 'Get whether an app of your publisher is delisted, deprecated or offered.',
    success: { status: 200, body: own.OwnAppLife },
  }),
  setAppState: route.publishers('person PUT /api/publishers/:slug/apps/:appId/life', {
    summary: 'Delist or deprecate an app, or end either.',
    effects: ['writes'],
    body: own.AppState,
    success: { status: 200, body: own.OwnAppLife },
    errors: ['not_a_member', 'publisher_suspended', 'not_found'],
  }),
  deprecateVersion: route.publishers(
    'person PUT /api/publishers/:slug/apps/:appId/versions/:version/deprecation',
    {
      summary: 'Deprecate a version, or end that.',
      effects: ['writes'],
      body: own.VersionDeprecation,
      success: { status: 200, body: own.OwnAppLife },
      errors: ['not_a_member', 'publisher_suspended', 'not_found'],
    },
  ),
  depositReviewerAccount: route.publishers('person PUT /api/publishers/:slug/apps/:appId/reviewer-account', {
    summary:
      'Deposit a token with which the store lists the tools of a server that needs a sign-in. It is encrypted, and used for nothing else.',
    effects: ['makes-credential'],
    body: own.ReviewerToken,
    success: { status: 200, body: own.ReviewerAccountState },
    errors: ['not_a_member', 'publisher_suspended', 'not_found'],
  }),
  removeReviewerAccount: route.publishers(
    'person DELETE /api/publishers/:slug/apps/:appId/reviewer-account',
    {
      summary: 'Delete the reviewer account of an app.',
      effects: ['revokes'],
      success: { status: 200, body: own.ReviewerAccountState },
      errors: ['not_a_member', 'not_found'],
    },
  ),
  offerApp: route.publishers('person PUT /api/publishers/:slug/apps/:appId/offer', {
    summary: 'Offer an app to another publisher, or take the offer back.',
    effects: ['moves-ownership'],
    body: own.AppOffer,
    success: { status: 200, body: own.OwnAppLife },
    errors: ['not_a_member', 'publisher_suspended', 'not_found', 'unknown_publisher'],
  }),
  deleteApp: route.publishers('person DELETE /api/publishers/:slug/apps/:appId', {
    summary: 'Delete an app that was never installed. A published id is never given out again.',
    effects: ['ends-for-many'],
    success: { status: 200, body: own.AppMoved },
    errors: ['not_a_member', 'publisher_suspended', 'app_suspended', 'not_found', 'already_handled'],
  }),
  appOffers: route.publishers('person GET /api/publishers/:slug/offers', {
    summary: 'List the apps that other publishers offer to yours.',
    success: { status: 200, body: own.AppOffers },
  }),
  answerOffer: route.publishers('person POST /api/publishers/:slug/offers/:appId', {
    summary:
      'Accept or refuse an app that another publisher offers. Users are asked again at its next update.',
    effects: ['moves-ownership'],
    body: own.OfferAnswer,
    success: { status: 200, body: own.AppMoved },
    errors: [
      'not_a_member',
      'publisher_suspended',
      'app_suspended',
      'not_found',
      'already_handled',
      'storage_full',
    ],
  }),
  deletePublisher: route.publishers('person DELETE /api/publishers/:slug', {
    summary: 'Delete a publisher without apps. Its slug is never given out again.',
    effects: ['ends-for-many'],
    success: { status: 200, body: own.PublisherDeleted },
    errors: ['not_a_member', 'publisher_suspended', 'already_handled'],
  }),
};
