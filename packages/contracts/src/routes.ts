import { z } from 'zod';
import type { ErrorCode } from './errors.ts';
import { MANIFEST_SCHEMA_PATH } from './manifest/json-schema.ts';
import * as admin from './records/admin.ts';
import * as audit from './records/audit.ts';
import * as catalog from './records/catalog.ts';
import { AppId, AppVersion, Health, PublisherSlug } from './records/common.ts';
import { PublicKey, PublicKeys, RevocationList } from './records/keys.ts';
import * as moderation from './records/moderation.ts';
import * as versions from './records/versions.ts';

/** Who may call: anybody, the bearer of a developer token, a moderator, an administrator. */
export type RouteAuth = 'none' | 'developer' | 'moderator' | 'admin';

/** One entry of the route table. Paths are written `/api/apps/:appId`; `:path{.+}` takes the rest of the path. */
export type Route = {
  method: 'get' | 'post' | 'patch' | 'delete';
  path: string;
  tag: 'Catalogue' | 'Publishing' | 'Moderation' | 'Administration' | 'Keys' | 'Service';
  summary: string;
  auth: RouteAuth;
  params?: z.ZodObject;
  query?: z.ZodObject;
  /** JSON body; `optionalBody` lets it be left out. */
  body?: z.ZodType;
  optionalBody?: true;
  /** Media type of a body that is not JSON. */
  rawBody?: string;
  /** Status of success, and its JSON body or the media type of its bytes. */
  success: { status: 200 | 201; body: z.ZodType } | { status: 200; type: string };
  /** Headers that a successful answer carries, name to meaning. */
  headers?: Record<string, string>;
  /** Codes this route may answer with, beside those that follow from its input and authorisation. */
  errors: readonly ErrorCode[];
};

const App = z.object({ appId: AppId });
const Version = z.object({ appId: AppId, version: AppVersion });
const File = z.object({ ...Version.shape, path: z.string().describe('Path of the file inside the bundle.') });
const Code = z.object({ code: z.string().describe('A validation code, such as `remote.url`.') });
const Asset = z.object({ file: z.string().describe('Name of the file, which changes with its content.') });
const PublisherParam = z.object({ slug: PublisherSlug });

const caching = {
  'Cache-Control': 'How long the answer may be kept.',
  ETag: 'Send it back as `If-None-Match` to learn cheaply that nothing changed.',
};

/** Every endpoint of the store: what it takes, what it answers, who may call it. */
export const ROUTES = {
  catalog: {
    method: 'get',
    path: '/api/apps/catalog',
    tag: 'Catalogue',
    summary: 'Search and list published apps.',
    auth: 'none',
    query: catalog.CatalogQuery,
    success: { status: 200, body: catalog.CatalogPage },
    headers: { ...caching, Link: 'Address of the next page, `rel="next"`.' },
    errors: [],
  },
  publicKey: {
    method: 'get',
    path: '/api/apps/public-key',
    tag: 'Keys',
    summary: 'The key that checks what the store signs.',
    auth: 'none',
    success: { status: 200, body: PublicKey },
    headers: caching,
    errors: [],
  },
  publicKeys: {
    method: 'get',
    path: '/api/apps/public-keys',
    tag: 'Keys',
    summary: 'Every key the store has signed with, each signed by the one before it.',
    auth: 'none',
    success: { status: 200, body: PublicKeys },
    headers: caching,
    errors: [],
  },
  revocations: {
    method: 'get',
    path: '/api/apps/revocations',
    tag: 'Keys',
    summary: 'The withdrawn versions, as a list signed with the current key at least once an hour.',
    auth: 'none',
    success: { status: 200, body: RevocationList },
    headers: caching,
    errors: [],
  },
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
      'bundle_too_large',
      'unsupported_media_type',
      'validation_failed',
      'rate_limited',
    ],
  },
  appDetail: {
    method: 'get',
    path: '/api/apps/:appId',
    tag: 'Catalogue',
    summary: 'One app with its README and versions.',
    auth: 'none',
    params: App,
    success: { status: 200, body: catalog.AppDetail },
    headers: caching,
    errors: ['not_found'],
  },
  bundle: {
    method: 'get',
    path: '/api/apps/:appId/versions/:version/bundle',
    tag: 'Catalogue',
    summary: 'The signed zip of a published version.',
    auth: 'none',
    params: Version,
    success: { status: 200, type: 'application/zip' },
    headers: {
      ...caching,
      'X-Svc-Sha256': 'SHA-256 of the zip, in hex.',
      'X-Svc-Signature': 'Ed25519 signature over the signed facts, in base64.',
      'X-Svc-Key-Id': 'Which key signed.',
      'X-Svc-Published-At': 'When it was published; part of the signed facts.',
    },
    errors: ['not_found', 'yanked'],
  },
  files: {
    method: 'get',
    path: '/api/apps/:appId/versions/:version/files/:path{.+}',
    tag: 'Catalogue',
    summary: 'A picture that the branding of a published version names.',
    auth: 'none',
    params: File,
    success: { status: 200, type: 'image/*' },
    headers: caching,
    errors: ['not_found', 'yanked'],
  },
  versionStatus: {
    method: 'get',
    path: '/api/apps/:appId/versions/:version/status',
    tag: 'Publishing',
    summary: 'How an uploaded version fares.',
    auth: 'none',
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
  moderationQueue: {
    method: 'get',
    path: '/api/moderation/queue',
    tag: 'Moderation',
    summary: 'Versions that wait for a person: oldest first, superseded last.',
    auth: 'moderator',
    query: moderation.QueueQuery,
    success: { status: 200, body: moderation.ModerationQueue },
    errors: [],
  },
  cannedReasons: {
    method: 'get',
    path: '/api/moderation/reasons',
    tag: 'Moderation',
    summary: 'Reasons for a rejection that are ready to be given.',
    auth: 'moderator',
    success: { status: 200, body: moderation.CannedReasons },
    errors: [],
  },
  review: {
    method: 'get',
    path: '/api/moderation/apps/:appId/versions/:version',
    tag: 'Moderation',
    summary: 'All that a reviewer needs of an uploaded version, whatever its state.',
    auth: 'moderator',
    params: Version,
    success: { status: 200, body: moderation.Review },
    errors: ['not_found'],
  },
  lockReview: {
    method: 'post',
    path: '/api/moderation/apps/:appId/versions/:version/lock',
    tag: 'Moderation',
    summary: 'Tell other moderators that you look at a version, for 15 minutes or 15 more.',
    auth: 'moderator',
    params: Version,
    success: { status: 200, body: moderation.LockState },
    errors: ['not_found', 'already_handled'],
  },
  unlockReview: {
    method: 'delete',
    path: '/api/moderation/apps/:appId/versions/:version/lock',
    tag: 'Moderation',
    summary: 'Leave a version to others. An administrator may take the lock of anybody away.',
    auth: 'moderator',
    params: Version,
    success: { status: 200, body: moderation.LockState },
    errors: ['not_found', 'already_handled'],
  },
  reviewBundle: {
    method: 'get',
    path: '/api/moderation/apps/:appId/versions/:version/bundle',
    tag: 'Moderation',
    summary: 'The zip of an uploaded version, whatever its state.',
    auth: 'moderator',
    params: Version,
    success: { status: 200, type: 'application/zip' },
    headers: { 'X-Svc-Sha256': 'SHA-256 of the zip, in hex.' },
    errors: ['not_found'],
  },
  approve: {
    method: 'post',
    path: '/api/moderation/apps/:appId/versions/:version/approve',
    tag: 'Moderation',
    summary: 'Let a version be signed and published.',
    auth: 'moderator',
    params: Version,
    body: moderation.Approval,
    optionalBody: true,
    success: { status: 200, body: versions.VersionStatus },
    errors: ['not_found', 'already_handled'],
  },
  reject: {
    method: 'post',
    path: '/api/moderation/apps/:appId/versions/:version/reject',
    tag: 'Moderation',
    summary: 'Refuse a version, saying why.',
    auth: 'moderator',
    params: Version,
    body: moderation.Rejection,
    success: { status: 200, body: versions.VersionStatus },
    errors: ['not_found', 'already_handled'],
  },
  createPublisher: {
    method: 'post',
    path: '/api/admin/publishers',
    tag: 'Administration',
    summary: 'Make a publisher.',
    auth: 'admin',
    body: admin.NewPublisher,
    success: { status: 201, body: admin.Publisher },
    errors: ['already_exists'],
  },
  changePublisher: {
    method: 'patch',
    path: '/api/admin/publishers/:slug',
    tag: 'Administration',
    summary: 'Verify or suspend a publisher, or take either back.',
    auth: 'admin',
    params: PublisherParam,
    body: admin.PublisherChange,
    success: { status: 200, body: admin.Publisher },
    errors: ['not_found'],
  },
  issueToken: {
    method: 'post',
    path: '/api/admin/tokens',
    tag: 'Administration',
    summary: 'Make a developer token for a publisher. It is shown once.',
    auth: 'admin',
    body: admin.NewToken,
    success: { status: 201, body: admin.IssuedToken },
    errors: ['unknown_publisher'],
  },
  changeApp: {
    method: 'patch',
    path: '/api/admin/apps/:appId',
    tag: 'Administration',
    summary: 'Suspend an app, or let it back.',
    auth: 'admin',
    params: App,
    body: admin.AppChange,
    success: { status: 200, body: admin.AppRecord },
    errors: ['not_found'],
  },
  unyank: {
    method: 'post',
    path: '/api/admin/apps/:appId/versions/:version/unyank',
    tag: 'Administration',
    summary: 'Publish a withdrawn version again.',
    auth: 'admin',
    params: Version,
    body: versions.Unyank,
    success: { status: 200, body: versions.VersionStatus },
    errors: ['not_found', 'already_handled'],
  },
  auditLog: {
    method: 'get',
    path: '/api/admin/audit',
    tag: 'Administration',
    summary: 'Who did what, when and from where: newest first.',
    auth: 'admin',
    query: audit.AuditQuery,
    success: { status: 200, body: audit.AuditPage },
    errors: [],
  },
  openApi: {
    method: 'get',
    path: '/api/openapi.json',
    tag: 'Service',
    summary: 'This description, as OpenAPI 3.1.',
    auth: 'none',
    success: { status: 200, type: 'application/json' },
    headers: caching,
    errors: [],
  },
  health: {
    method: 'get',
    path: '/healthz',
    tag: 'Service',
    summary: 'Whether the process is alive.',
    auth: 'none',
    success: { status: 200, body: Health },
    errors: [],
  },
  ready: {
    method: 'get',
    path: '/readyz',
    tag: 'Service',
    summary: 'Whether the store can work: its database and its bundles are in reach.',
    auth: 'none',
    success: { status: 200, body: Health },
    errors: [],
  },
  metrics: {
    method: 'get',
    path: '/metrics',
    tag: 'Service',
    summary: 'What the store does, counted for Prometheus.',
    auth: 'admin',
    success: { status: 200, type: 'text/plain' },
    errors: [],
  },
  manifestSchema: {
    method: 'get',
    path: MANIFEST_SCHEMA_PATH,
    tag: 'Service',
    summary: 'The shape of a manifest, as JSON Schema for editors.',
    auth: 'none',
    success: { status: 200, type: 'application/schema+json' },
    headers: caching,
    errors: [],
  },
  codes: {
    method: 'get',
    path: '/docs/codes',
    tag: 'Service',
    summary: 'All validation codes, as a page to read.',
    auth: 'none',
    success: { status: 200, type: 'text/html' },
    headers: caching,
    errors: [],
  },
  code: {
    method: 'get',
    path: '/docs/codes/:code',
    tag: 'Service',
    summary: 'What a validation code means and how to mend it, as a page to read.',
    auth: 'none',
    params: Code,
    success: { status: 200, type: 'text/html' },
    headers: caching,
    errors: ['not_found'],
  },
  checkPage: {
    method: 'get',
    path: '/check',
    tag: 'Service',
    summary: 'A page that checks a bundle in the browser, without sending it anywhere.',
    auth: 'none',
    success: { status: 200, type: 'text/html' },
    headers: caching,
    errors: ['not_found'],
  },
  webAsset: {
    method: 'get',
    path: '/assets/:file',
    tag: 'Service',
    summary: 'A script or style of a page.',
    auth: 'none',
    params: Asset,
    success: { status: 200, type: '*/*' },
    headers: caching,
    errors: ['not_found'],
  },
  docs: {
    method: 'get',
    path: '/api/docs',
    tag: 'Service',
    summary: 'This description, as a page to read.',
    auth: 'none',
    success: { status: 200, type: 'text/html' },
    headers: caching,
    errors: [],
  },
} as const satisfies Record<string, Route>;

/** Name of a route in the table. */
export type RouteName = keyof typeof ROUTES;
