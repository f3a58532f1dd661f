import * as admin from '../records/admin.ts';
import * as audit from '../records/audit.ts';
import * as publishers from '../records/publishers.ts';
import * as tokens from '../records/tokens.ts';
import * as versions from '../records/versions.ts';
import { App, MemberParam, PublisherParam, Version } from './parts.ts';
import type { Route } from './route.ts';

/** What administrators do. */
export const administrationRoutes = {
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
  setMember: {
    method: 'put',
    path: '/api/admin/publishers/:slug/members/:personId',
    tag: 'Administration',
    summary: 'Make somebody a member or an owner of a publisher, as when it has no owner who can act.',
    auth: 'admin',
    params: MemberParam,
    body: publishers.MemberChange,
    success: { status: 200, body: publishers.PublisherMember },
    errors: ['not_found', 'last_owner'],
  },
  issueToken: {
    method: 'post',
    path: '/api/admin/tokens',
    tag: 'Administration',
    summary: 'Make a developer token for a publisher. It is shown once.',
    auth: 'admin',
    body: tokens.NewToken,
    success: { status: 201, body: tokens.IssuedToken },
    errors: ['unknown_publisher', 'limit_reached'],
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
} as const satisfies Record<string, Route>;
