import * as access from '../records/access.ts';
import * as admin from '../records/admin.ts';
import * as audit from '../records/audit.ts';
import * as emergencies from '../records/emergencies.ts';
import * as operations from '../records/operations.ts';
import * as own from '../records/own-apps.ts';
import * as publishers from '../records/publishers.ts';
import * as tokens from '../records/tokens.ts';
import * as versions from '../records/versions.ts';
import { PersonParam, route } from './route.ts';

/** The featured apps of the catalogue. */
export const featuredRoutes = {
  featuredApps: route.administration('admin GET /api/admin/featured', {
    summary: 'List the featured apps in their order, including those that are currently hidden.',
    success: { status: 200, body: admin.FeaturedApps },
  }),
  changeFeatured: route.administration('admin PUT /api/admin/featured', {
    summary: 'Set the featured apps of the catalogue and their order.',
    effects: ['decides'],
    body: admin.FeaturedChange,
    success: { status: 200, body: admin.FeaturedApps },
    errors: ['already_handled'],
  }),
};

/** Routes of administrators that stop a malicious publisher or app in one act. */
export const emergencyRoutes = {
  previewEmergency: route.administration('admin GET /api/admin/emergencies/preview', {
    summary: 'Preview what an emergency on a publisher or an app reaches. Changes nothing.',
    query: emergencies.EmergencyTarget,
    success: { status: 200, body: emergencies.EmergencyPreview },
    errors: ['not_found'],
  }),
  emergencies: route.administration('admin GET /api/admin/emergencies', {
    summary: 'List the last 100 emergencies, newest first.',
    success: { status: 200, body: emergencies.Emergencies },
  }),
  startEmergency: route.administration('admin POST /api/admin/emergencies', {
    summary:
      'Yank all versions of a publisher or an app, suspend it, revoke tokens and end sessions, in one act. Above the installs of the policy it waits for a second administrator.',
    effects: ['ends-for-many'],
    body: emergencies.NewEmergency,
    success: { status: 201, body: emergencies.Emergency },
    errors: ['not_found'],
  }),
  confirmEmergency: route.administration('admin POST /api/admin/emergencies/:id/confirm', {
    summary: 'Confirm an emergency of another administrator, which carries it out.',
    effects: ['ends-for-many'],
    params: emergencies.EmergencyParam,
    success: { status: 200, body: emergencies.Emergency },
    errors: ['not_found', 'already_handled'],
  }),
  refuseEmergency: route.administration('admin POST /api/admin/emergencies/:id/refuse', {
    summary: 'Refuse an emergency that waits for confirmation, or take back your own.',
    effects: ['decides'],
    params: emergencies.EmergencyParam,
    body: emergencies.EmergencyAnswer,
    success: { status: 200, body: emergencies.Emergency },
    errors: ['not_found', 'already_handled'],
  }),
  undoEmergency: route.administration('admin POST /api/admin/emergencies/:id/undo', {
    summary:
      'Undo an emergency: publish the versions that it yanked, and end the suspension. Revoked tokens and ended sessions do not come back.',
    effects: ['publishes-again'],
    params: emergencies.EmergencyParam,
    body: emergencies.EmergencyAnswer,
    success: { status: 200, body: emergencies.Emergency },
    errors: ['not_found', 'already_handled'],
  }),
};

/** Routes for administrators. */
export const administrationRoutes = {
  publishers: route.administration('admin GET /api/admin/publishers', {
    summary: 'Search publishers.',
    query: admin.PublisherQuery,
    success: { status: 200, body: admin.PublisherPage },
  }),
  apps: route.administration('admin GET /api/admin/apps', {
    summary: 'Search apps, published or not.',
    query: admin.AppQuery,
    success: { status: 200, body: admin.AppRecords },
  }),
  createPublisher: route.administration('admin POST /api/admin/publishers', {
    summary: 'Create a publisher, with its first owner.',
    effects: ['verifies', 'gives-power'],
    body: admin.NewPublisher,
    success: { status: 201, body: admin.Publisher },
    errors: ['already_exists', 'not_found', 'email_unverified'],
  }),
  changePublisher: route.administration('admin PATCH /api/admin/publishers/:slug', {
    summary: 'Verify or suspend a publisher, or undo either.',
    effects: ['publishes-again', 'verifies', 'ends-for-many'],
    body: admin.PublisherChange,
    success: { status: 200, body: admin.Publisher },
  }),
  putPublisher: route.administration('admin PUT /api/admin/publishers/:slug', {
    summary:
      'Create a publisher unless it exists, and verify or suspend it. The same request changes nothing.',
    effects: ['publishes-again', 'verifies', 'ends-for-many', 'gives-power'],
    body: admin.PublisherState,
    success: { status: 200, body: admin.Publisher },
    errors: ['already_exists'],
  }),
  putAccess: route.administration('admin PUT /api/admin/access', {
    summary:
      'Set who may sign up, publish and read, and how users with a role sign in. The same request changes nothing. A rule that a setting fixes otherwise is refused.',
    effects: ['opens-access', 'changes-store'],
    body: access.AccessState,
    success: { status: 200, body: access.AccessRules },
  }),
  putBrand: route.administration('admin PUT /api/admin/brand', {
    summary: 'Set the name, the logo and the accent of the store. The same request changes nothing.',
    effects: ['changes-store'],
    maxBody: 512 * 1024,
    body: access.BrandState,
    success: { status: 200, body: access.Brand },
    errors: ['rate_limited'],
  }),
  nameRequests: route.administration('admin GET /api/admin/name-requests', {
    summary: 'List pending name requests of verified publishers.',
    query: admin.NameRequestQuery,
    success: { status: 200, body: admin.NameRequestPage },
  }),
  approveName: route.administration('admin POST /api/admin/name-requests/:slug/approve', {
    summary: 'Approve the new name of a verified publisher.',
    effects: ['verifies'],
    body: admin.NameApproval,
    success: { status: 200, body: admin.Publisher },
    errors: ['already_handled'],
  }),
  refuseName: route.administration('admin POST /api/admin/name-requests/:slug/refuse', {
    summary: 'Refuse the new name of a verified publisher, which keeps its current one.',
    effects: ['decides'],
    body: admin.NameRefusal,
    success: { status: 200, body: admin.Publisher },
    errors: ['already_handled'],
  }),
  setMember: route.administration('admin PUT /api/admin/publishers/:slug/members/:personId', {
    summary: 'Make a user a member or an owner of a publisher, for example when it has no active owner.',
    effects: ['gives-power', 'moves-ownership'],
    body: publishers.MemberChange,
    success: { status: 200, body: publishers.PublisherMember },
    errors: ['not_found', 'last_owner'],
  }),
  publisherAccess: route.administration('admin GET /api/admin/publishers/:slug/access', {
    summary: 'List the members of a publisher, and the valid tokens that may act for it.',
    success: { status: 200, body: publishers.PublisherAccess },
  }),
  expelMember: route.administration('admin DELETE /api/admin/publishers/:slug/members/:personId', {
    summary: 'Remove a member from a publisher on behalf of the store.',
    effects: ['takes-access'],
    success: { status: 200, body: publishers.PublisherMember },
    errors: ['not_found', 'last_owner'],
  }),
  personTokens: route.administration('admin GET /api/admin/people/:id/tokens', {
    summary: 'List the valid tokens that a user owns or created.',
    params: PersonParam,
    success: { status: 200, body: tokens.AccessTokens },
  }),
  revokeAnyToken: route.administration('admin DELETE /api/admin/tokens/:id', {
    summary: 'Revoke a developer token of any user or publisher.',
    effects: ['takes-access'],
    params: tokens.TokenParam,
    success: { status: 200, body: tokens.RevokedToken },
  }),
  issueToken: route.administration('admin POST /api/admin/tokens', {
    summary: 'Create a developer token for a publisher. It is shown once.',
    effects: ['makes-credential'],
    body: tokens.NewToken,
    success: { status: 201, body: tokens.IssuedToken },
    errors: ['unknown_publisher', 'limit_reached'],
  }),
  changeApp: route.administration('admin PATCH /api/admin/apps/:appId', {
    summary: 'Suspend an app, or restore it.',
    effects: ['publishes-again', 'ends-for-many'],
    body: admin.AppChange,
    success: { status: 200, body: admin.AppRecord },
  }),
  reassignApp: route.administration('admin POST /api/admin/apps/:appId/reassign', {
    summary: 'Give an app to another publisher.',
    effects: ['moves-ownership'],
    body: own.AppReassignment,
    success: { status: 200, body: own.AppMoved },
    errors: ['not_found', 'unknown_publisher', 'already_handled'],
  }),
  ...featuredRoutes,
  unyank: route.administration('admin POST /api/admin/apps/:appId/versions/:version/unyank', {
    summary: 'Undo a yank: publish the version again.',
    effects: ['publishes-again'],
    body: versions.Unyank,
    success: { status: 200, body: versions.VersionStatus },
    errors: ['not_found', 'already_handled'],
  }),
  settingsInForce: route.administration('admin GET /api/admin/settings', {
    summary: 'List the settings in force. For secrets it only says whether they are set.',
    success: { status: 200, body: operations.SettingsInForce },
  }),
  storeHealth: route.administration('admin GET /api/admin/health', {
    summary: 'Get the health of the store: its dependencies, its queues, and the last runs of its jobs.',
    success: { status: 200, body: operations.StoreHealth },
  }),
  auditLog: route.administration('admin GET /api/admin/audit', {
    summary: 'Query the audit log; newest first by default.',
    query: audit.AuditQuery,
    success: { status: 200, body: audit.AuditPage },
  }),
};
