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
  ownAppLife: route.publishers('GET /api/publishers/:slug/apps/:appId/life', {
    summary: 'Get whether an app of your publisher is delisted, deprecated or offered.',
    auth: 'person',
    params: PublisherParam.extend(App.shape),
    success: { status: 200, body: own.OwnAppLife },
    errors: ['not_found'],
  }),
  setAppState: route.publishers('PUT /api/publishers/:slug/apps/:appId/life', {
    summary: 'Delist or deprecate an app, or end either.',
    auth: 'person',
    params: PublisherParam.extend(App.shape),
    body: own.AppState,
    success: { status: 200, body: own.OwnAppLife },
    errors: ['not_a_member', 'publisher_suspended', 'not_found'],
  }),
  deprecateVersion: route.publishers('PUT /api/publishers/:slug/apps/:appId/versions/:version/deprecation', {
    summary: 'Deprecate a version, or end that.',
    auth: 'person',
    params: PublisherParam.extend(Version.shape),
    body: own.VersionDeprecation,
    success: { status: 200, body: own.OwnAppLife },
    errors: ['not_a_member', 'publisher_suspended', 'not_found'],
  }),
  depositReviewerAccount: route.publishers('PUT /api/publishers/:slug/apps/:appId/reviewer-account', {
    summary:
      'Deposit a token with which the store lists the tools of a server that needs a sign-in. It is encrypted, and used for nothing else.',
    auth: 'person',
    freshProof: true,
    params: PublisherParam.extend(App.shape),
    body: own.ReviewerToken,
    success: { status: 200, body: own.ReviewerAccountState },
    errors: ['not_a_member', 'publisher_suspended', 'not_found'],
  }),
  removeReviewerAccount: route.publishers('DELETE /api/publishers/:slug/apps/:appId/reviewer-account', {
    summary: 'Delete the reviewer account of an app.',
    auth: 'person',
    params: PublisherParam.extend(App.shape),
    success: { status: 200, body: own.ReviewerAccountState },
    errors: ['not_a_member', 'not_found'],
  }),
  offerApp: route.publishers('PUT /api/publishers/:slug/apps/:appId/offer', {
    summary: 'Offer an app to another publisher, or take the offer back.',
    auth: 'person',
    freshProof: true,
    params: PublisherParam.extend(App.shape),
    body: own.AppOffer,
    success: { status: 200, body: own.OwnAppLife },
    errors: ['not_a_member', 'publisher_suspended', 'not_found', 'unknown_publisher'],
  }),
  deleteApp: route.publishers('DELETE /api/publishers/:slug/apps/:appId', {
    summary: 'Delete an app that was never installed. A published id is never given out again.',
    auth: 'person',
    freshProof: true,
    params: PublisherParam.extend(App.shape),
    success: { status: 200, body: own.AppMoved },
    errors: ['not_a_member', 'publisher_suspended', 'app_suspended', 'not_found', 'already_handled'],
  }),
  appOffers: route.publishers('GET /api/publishers/:slug/offers', {
    summary: 'List the apps that other publishers offer to yours.',
    auth: 'person',
    params: PublisherParam,
    success: { status: 200, body: own.AppOffers },
    errors: ['not_found'],
  }),
  answerOffer: route.publishers('POST /api/publishers/:slug/offers/:appId', {
    summary:
      'Accept or refuse an app that another publisher offers. Users are asked again at its next update.',
    auth: 'person',
    freshProof: true,
    params: PublisherParam.extend(App.shape),
    body: own.OfferAnswer,
    success: { status: 200, body: own.AppMoved },
    errors: ['not_a_member', 'publisher_suspended', 'app_suspended', 'not_found', 'already_handled'],
  }),
  deletePublisher: route.publishers('DELETE /api/publishers/:slug', {
    summary: 'Delete a publisher without apps. Its slug is never given out again.',
    auth: 'person',
    freshProof: true,
    params: PublisherParam,
    success: { status: 200, body: own.PublisherDeleted },
    errors: ['not_a_member', 'publisher_suspended', 'already_handled'],
  }),
};
