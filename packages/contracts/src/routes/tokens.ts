import * as device from '../records/device.ts';
import * as tokens from '../records/tokens.ts';
import * as trusted from '../records/trusted-publishing.ts';
import { route } from './route.ts';

/** Device sign-in (RFC 8628): a program shows a code, and the user approves it in a browser, which may be on another device. */
export const deviceRoutes = {
  startDevice: route.tokens('everyone POST /api/developer/device/start', {
    summary: 'Start a device sign-in.',
    body: device.DeviceAsk,
    optionalBody: true,
    success: { status: 200, body: device.DeviceStart },
  }),
  pollDevice: route.tokens('everyone POST /api/developer/device/poll', {
    summary:
      'Poll a device sign-in. After the approval, the first poll returns the token; later ones fail with `expired`.',
    body: device.DevicePoll,
    success: { status: 200, body: device.DevicePollAnswer },
    errors: ['access_denied', 'expired', 'slow_down'],
  }),
  devicePage: route.tokens('person GET /device', {
    summary: 'Page to type the code that a device shows.',
    effects: ['makes-credential'],
    provenAddress: true,
    page: true,
    query: device.DevicePageQuery,
    errors: ['rate_limited'],
  }),
  findDevice: route.tokens('person POST /device', {
    summary: 'Page that shows which program requests access, and which scopes.',
    effects: ['proves'],
    page: true,
    form: device.DeviceLookForm,
    errors: ['not_found', 'rate_limited'],
  }),
  answerDevice: route.tokens('person POST /device/answer', {
    summary: 'Approve or deny a device sign-in.',
    effects: ['makes-credential'],
    provenAddress: true,
    page: true,
    form: device.DeviceAnswerForm,
    errors: ['not_a_member', 'already_handled', 'limit_reached'],
  }),
};

/** Routes to manage developer tokens. */
export const tokenRoutes = {
  myTokens: route.tokens('person GET /api/people/me/tokens', {
    summary: 'List your valid developer tokens.',
    success: { status: 200, body: tokens.TokenList },
  }),
  makeMyToken: route.tokens('person POST /api/people/me/tokens', {
    summary: 'Create a developer token that acts as a member of your publishers. It is shown once.',
    effects: ['makes-credential'],
    provenAddress: true,
    body: tokens.NewPersonalToken,
    success: { status: 201, body: tokens.FreshToken },
    errors: ['not_a_member', 'id_taken', 'limit_reached'],
  }),
  revokeMyToken: route.tokens('person DELETE /api/people/me/tokens/:id', {
    summary: 'Revoke a token of yours. It stops working immediately.',
    effects: ['revokes'],
    params: tokens.TokenParam,
    success: { status: 200, body: tokens.RevokedToken },
  }),
  publisherTokens: route.tokens('person GET /api/publishers/:slug/tokens', {
    summary: 'List the valid tokens of a publisher, for its owners.',
    success: { status: 200, body: tokens.TokenList },
    errors: ['not_a_member'],
  }),
  makePublisherToken: route.tokens('person POST /api/publishers/:slug/tokens', {
    summary: 'Create a token of a publisher for its automation, for its owners. It is shown once.',
    effects: ['makes-credential'],
    provenAddress: true,
    body: tokens.NewPublisherToken,
    success: { status: 201, body: tokens.FreshToken },
    errors: ['not_a_member', 'id_taken', 'limit_reached'],
  }),
  revokePublisherToken: route.tokens('person DELETE /api/publishers/:slug/tokens/:id', {
    summary: 'Revoke a token of a publisher, for its owners. It stops working immediately.',
    effects: ['revokes'],
    params: tokens.TokenParam,
    success: { status: 200, body: tokens.RevokedToken },
    errors: ['not_a_member', 'not_found'],
  }),
  trustedPublishers: route.tokens('person GET /api/publishers/:slug/trusted-publishers', {
    summary: 'List the CI workflows that may publish apps of a publisher, for its owners.',
    query: trusted.TrustedPublisherQuery,
    success: { status: 200, body: trusted.TrustedPublishers },
    errors: ['not_a_member'],
  }),
  addTrustedPublisher: route.tokens('person POST /api/publishers/:slug/trusted-publishers', {
    summary: 'Let a CI workflow publish an app without a stored secret, for the owners of its publisher.',
    effects: ['gives-power'],
    provenAddress: true,
    body: trusted.NewTrustedPublisher,
    success: { status: 201, body: trusted.TrustedPublisher },
    errors: ['not_a_member', 'publisher_suspended', 'id_taken', 'already_exists', 'limit_reached'],
  }),
  removeTrustedPublisher: route.tokens('person DELETE /api/publishers/:slug/trusted-publishers/:id', {
    summary: 'Remove a CI workflow, and revoke the tokens that its jobs have.',
    effects: ['revokes'],
    params: tokens.TokenParam,
    success: { status: 200, body: trusted.TrustedPublisher },
    errors: ['not_a_member', 'not_found'],
  }),
  setPublishingRules: route.tokens('person PUT /api/publishers/:slug/apps/:appId/publishing', {
    summary: 'Set who may publish an app, for the owners of its publisher.',
    effects: ['gives-power'],
    provenAddress: true,
    body: trusted.PublishingRules,
    success: { status: 200, body: trusted.PublishingRules },
    errors: ['not_a_member', 'not_found'],
  }),
  exchangeIdToken: route.tokens('everyone POST /api/developer/ci/token', {
    summary:
      'Exchange the ID token of a CI job for a token that publishes one app for 15 minutes. An ID token counts once. A refusal names each claim that is not the expected one.',
    closed: true,
    body: trusted.IdTokenExchange,
    success: { status: 201, body: tokens.FreshToken },
    errors: ['forbidden', 'publisher_suspended', 'rate_limited', 'unavailable'],
  }),
  whoAmI: route.tokens('developer GET /api/developer/whoami', {
    summary: 'Get the caller, and the publishers that the caller acts for.',
    success: { status: 200, body: tokens.WhoAmI },
  }),
  revokeThisToken: route.tokens('developer DELETE /api/developer/token', {
    summary: 'Revoke the token of the request. It stops working immediately.',
    effects: ['revokes'],
    success: { status: 200, body: tokens.RevokedToken },
  }),
};
